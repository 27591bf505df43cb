"""The command ``actloop``: what its errors look like and which exit code they have. The commands are in `commands`.

Exit codes: 0 it worked, 1 it ended without an answer, 2 it was asked wrongly (arguments, settings, files), 130 Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
import traceback

from actloop.config import debug_wanted
from actloop.errors import ActloopError, ConfigError

__all__ = ["main"]

_EXTRA = {"markdown_it", "rich", "typer"}
_SERVICE_EXTRA = {"alembic", "fastapi", "httptools", "sqlalchemy", "uvicorn"}


def main() -> None:
    """Run the command line of this process and exit. A person sees sentences; ``ACTLOOP_DEBUG=1`` shows tracebacks."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # embedders may have put another kind of stream here
            stream.reconfigure(errors="replace")
    try:
        sys.exit(_run())
    finally:
        _flush()


def _run() -> int:
    """Run the command and return its exit code; the command line's own errors and ends come as `SystemExit`."""
    try:
        from actloop.cli.commands import app

        app(prog_name="actloop")
    except KeyboardInterrupt:
        return 130
    except ConfigError as error:
        return _say(str(error), 2)
    except ActloopError as error:
        return _say(str(error), 1)
    except Exception as error:  # noqa: BLE001 - the outermost border: nobody is left to handle it
        if isinstance(error, ModuleNotFoundError) and error.name in _EXTRA:
            return _say("the terminal commands need more packages: pip install 'actloop[cli]'", 2)
        if isinstance(error, ModuleNotFoundError) and error.name in _SERVICE_EXTRA:
            return _say("the service needs more packages: pip install 'actloop[serve]'", 2)
        return _say(f"this should not have happened: {type(error).__name__}: {error}. See it with ACTLOOP_DEBUG=1.", 1)
    return 0


def _flush() -> None:
    """Write out what is left; a reader that has gone away is no error (as the docs of `SIGPIPE` in Python advise)."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str, exit_code: int) -> int:
    if debug_wanted():
        traceback.print_exc()
    print(f"actloop: {message}", file=sys.stderr)
    return exit_code
