"""Serve the demonstration until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from actloop.service.server import serve
from tests.support.demo.model import DemoAgents
from tests.support.service import settings_in


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.demo", description=__doc__)
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one")
    parser.add_argument("--pace", type=float, default=1.0, help="how long a second of model and tools takes")
    parser.add_argument("--data", type=Path, help="where conversations are kept; by default they end with the service")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        settings = settings_in(options.data or Path(directory), port=options.port)
        serve(settings, DemoAgents(options.pace), on_ready=_say)


def _say(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


main()
