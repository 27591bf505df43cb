"""``actloop serve`` and ``actloop keys``: the service, and who may call it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import webbrowser
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from actloop.cli.pull import ensure_model
from actloop.config import Settings
from actloop.config.agents import ConfiguredAgents
from actloop.config.wiring import build_tools, served_name
from actloop.errors import ConfigError
from actloop.service.auth import LOCAL_OWNER
from actloop.service.logs import log_as_json
from actloop.service.server import serve as serve_agents
from actloop.service.store.database import Database
from actloop.service.store.keys import KeyStore
from actloop.service.store.schema import migrate

__all__ = ["add_key", "has_screen", "list_keys", "remove_key", "serve"]


def serve(
    settings: Settings, tools_file: Path | None, *, host: str | None, port: int | None, open_page: bool = False
) -> None:
    """Serve until SIGTERM or Ctrl-C. Raises `ConfigError` for what cannot be served, and says what to do.

    open_page: open the page in a browser where there is a screen; the log then holds only what needs attention.
    """
    service = replace(settings.service, host=host or settings.service.host)
    if port is not None:
        service = replace(service, port=port)
    tools = build_tools(settings, tools_file)
    ensure_model(settings)
    log_as_json(logging.WARNING if open_page else logging.INFO)
    name = served_name(settings)

    def say(address: str) -> None:
        print(f"Serving {name} at {address} (Ctrl-C ends it).", file=sys.stderr, flush=True)
        if open_page and has_screen(os.environ, sys.platform):
            # a browser may take its time to start, and some wait until it is closed
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve_agents(service, ConfiguredAgents(settings, tools), on_ready=say)


def has_screen(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser opened here would be seen: not on a machine that somebody is logged in to from elsewhere."""
    if environ.get("SSH_CONNECTION"):
        return False
    return platform in {"darwin", "win32"} or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def add_key(settings: Settings, name: str) -> None:
    """Make a key and print it, this once. Raises `ConfigError` for a name that cannot be one or is in use."""
    if not 0 < len(name) <= _LONGEST_NAME or name != name.strip() or not name.isprintable() or name == LOCAL_OWNER:
        raise ConfigError(
            f"{name!r} cannot be the name of a key; take another one of up to {_LONGEST_NAME} printable characters."
        )
    key = _with_keys(settings, lambda keys: keys.add(name))
    print(key)
    print("This is the only time it is shown. Callers send it as: Authorization: Bearer KEY", file=sys.stderr)
    print("A service that began without a key asks for one when it is started again.", file=sys.stderr)


def remove_key(settings: Settings, name: str) -> None:
    """Remove a key: it stops working at once. Raises `ConfigError` when there is none."""
    if not _with_keys(settings, lambda keys: keys.remove(name)):
        raise ConfigError(f"there is no key named {name!r}; see 'actloop keys'.")


def list_keys(settings: Settings) -> None:
    """Print the names that have a key, one a line."""
    names = _with_keys(settings, lambda keys: keys.names())
    for name in names:
        print(name)
    if not names:
        print("Nobody has a key; 'actloop keys add NAME' makes one.", file=sys.stderr)


_LONGEST_NAME = 100
_Result = TypeVar("_Result")


def _with_keys(settings: Settings, do: Callable[[KeyStore], Awaitable[_Result]]) -> _Result:
    async def work() -> _Result:
        database = Database(settings.service.database_url)
        try:
            await migrate(database)
            return await do(KeyStore(database))
        finally:
            await database.aclose()

    return asyncio.run(work())
