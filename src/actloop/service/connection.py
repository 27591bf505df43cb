"""One connection of a client, with a deadline for what uvicorn waits for without end: the head of a request."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

__all__ = ["Connection"]

_HEAD_SECONDS = 30.0
"""Within which the head of a request must have come, from the connection's beginning or the head's first byte on.

Between two requests uvicorn's own timeout counts, and the body has one in `actloop.service.gate`.
"""


class Connection(H11Protocol):
    """Closes itself when a request begins and does not go on, so that nobody can hold connections for nothing."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client is there."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Something came; whether it completes a head shows in the cycle that answers it."""
        super().data_received(data)
        if self._answering():
            self._forget_deadline()
        elif not self.transport.is_closing():
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._forget_deadline()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._answering():
            self.transport.close()

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete
