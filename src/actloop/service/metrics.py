"""Counters of the service, in Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats)."""

from __future__ import annotations

from collections import Counter

__all__ = ["Metrics"]


class Metrics:
    """What is counted here; what can be asked for (active runs …) is given to `text`."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.rejected: Counter[str] = Counter()

    def text(self, *, active_runs: int, streams: int, events_stored: int, runs: Counter[str], healthy: bool) -> str:
        """The page for a scraper."""
        lines = [
            *_family("actloop_http_requests_total", "counter", "Answered requests."),
            *(
                f'actloop_http_requests_total{{method="{method}",status="{status}"}} {count}'
                for (method, status), count in sorted(self.requests.items())
            ),
            *_family("actloop_http_rejected_total", "counter", "Requests that were turned away, by reason."),
            *(f'actloop_http_rejected_total{{reason="{why}"}} {count}' for why, count in sorted(self.rejected.items())),
            *_family("actloop_runs_total", "counter", "Runs that ended here, by how they ended."),
            *(f'actloop_runs_total{{status="{status}"}} {count}' for status, count in sorted(runs.items())),
            *_family("actloop_runs_active", "gauge", "Runs at work."),
            f"actloop_runs_active {active_runs}",
            *_family("actloop_streams_open", "gauge", "Open event streams."),
            f"actloop_streams_open {streams}",
            *_family("actloop_events_stored_total", "counter", "Events written to the log."),
            f"actloop_events_stored_total {events_stored}",
            *_family("actloop_store_healthy", "gauge", "1 when the last write to the database worked."),
            f"actloop_store_healthy {int(healthy)}",
        ]
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, help: str) -> list[str]:
    return [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
