"""The command ``actloop``: what its errors look like and which exit code they have. The commands are in `commands`.

Exit codes: 0 it worked, 1 it ended without an answer, 2 it was asked wrongly (arguments, settings, files), 130 Ctrl-C.
"""

from __future__ import annotations

import sys
import traceback

from actloop.config import debug_wanted
from actloop.errors import ActloopError, ConfigError

__all__ = ["main"]

_EXTRA = {"markdown_it", "rich", "typer"}


def main() -> None:
    """Run the command line of this process and exit. A person sees sentences; ``ACTLOOP_DEBUG=1`` shows tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # tests and embedders may have put another kind of stream here
            stream.reconfigure(errors="replace")
    try:
        from actloop.cli.commands import app
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        sys.exit(_say("the terminal commands need more packages: pip install 'actloop[cli]'", 2))
    try:
        app(prog_name="actloop")
    except ConfigError as error:
        sys.exit(_say(str(error), 2))
    except ActloopError as error:
        sys.exit(_say(str(error), 1))
    except Exception as error:  # noqa: BLE001 - the outermost border: nobody is left to handle it
        sys.exit(
            _say(f"this should not have happened: {type(error).__name__}: {error}. See it with ACTLOOP_DEBUG=1.", 1)
        )


def _say(message: str, exit_code: int) -> int:
    if debug_wanted():
        traceback.print_exc()
    print(f"actloop: {message}", file=sys.stderr)
    return exit_code
