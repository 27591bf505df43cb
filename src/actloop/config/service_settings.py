"""How the service is set up: where it listens, who may call, what it allows, where it keeps things."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from actloop.config.fields import field_kinds, known_keys, typed_text, typed_value
from actloop.errors import ConfigError

__all__ = [
    "SERVICE_VARIABLES",
    "AgentSpec",
    "OnDisconnect",
    "ServiceSettings",
    "agent_spec",
    "service_settings",
    "service_table",
]

OnDisconnect = Literal["finish", "cancel"]


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """A named agent of ``[agents.NAME]``: its model's role, what it is told, which tools it has (None: all)."""

    model: str | None = None
    system_prompt: str | None = None
    instructions: str | None = None
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of ``actloop serve``.

    database_url: ``sqlite:///FILE`` or ``postgresql://…``.
    host, port: where it listens.
    server_key: a key that callers need, beside those that ``actloop keys`` made.
    allowed_hosts: names by which it may be called, beside those of this machine; for a reverse proxy.
    node: what this machine is called among those that share a database.
    on_disconnect: whether a run whose last reader has gone away finishes or is cancelled.
    max_runs: how many runs work at once.
    rate_limit: requests a second of one caller; ten seconds' worth may come at once.
    max_body_bytes: the largest request body.
    heartbeat: seconds between signs of life on a silent stream.
    """

    database_url: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8000
    server_key: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    node: str = "local"
    on_disconnect: OnDisconnect = "finish"
    max_runs: int = 100
    rate_limit: float = 50.0
    max_body_bytes: int = 1 << 20
    heartbeat: float = 15.0


_KEYS: Mapping[str, type] = {
    "host": str,
    "port": int,
    "node": str,
    "on_disconnect": str,
    "max_runs": int,
    "rate_limit": float,
    "max_body_bytes": int,
    "heartbeat": float,
}
"""What ``[serve]`` of a file may hold, beside ``allowed_hosts``. A key or a password does not belong there."""

SERVICE_VARIABLES = frozenset(
    {f"ACTLOOP_{key.upper()}" for key in _KEYS}
    | {"ACTLOOP_DATABASE_URL", "ACTLOOP_SERVER_KEY", "ACTLOOP_ALLOWED_HOSTS"}
)

_SHORTEST_KEY = 16


def service_settings(table: Mapping[str, Any], environ: Mapping[str, str], data_dir: Path) -> ServiceSettings:
    """Return the settings: variables count more than ``table``, the files' ``[serve]`` with its values checked.

    Raises `ConfigError` that names the variable or key.
    """
    values = dict(table)
    for key, kind in _KEYS.items():
        name = f"ACTLOOP_{key.upper()}"
        if environ.get(name, "").strip():
            values[key] = typed_text(kind, environ[name], name)
    if environ.get("ACTLOOP_ALLOWED_HOSTS"):
        values["allowed_hosts"] = [name.strip() for name in environ["ACTLOOP_ALLOWED_HOSTS"].split(",")]
    values["allowed_hosts"] = tuple(name.lower() for name in values.get("allowed_hosts", ()) if name)
    url = environ.get("ACTLOOP_DATABASE_URL", "").strip() or f"sqlite:///{data_dir / 'actloop.db'}"
    if not url.startswith("sqlite"):
        values.setdefault("node", socket.gethostname() or "local")
    server_key = environ.get("ACTLOOP_SERVER_KEY", "").strip() or None  # a file's last line end is none of the key
    return _checked(ServiceSettings(database_url=url, server_key=server_key, **values))


def _checked(settings: ServiceSettings) -> ServiceSettings:
    if settings.on_disconnect not in get_args(OnDisconnect):
        raise ConfigError(f"on_disconnect is {settings.on_disconnect!r}, but 'finish' or 'cancel' is expected.")
    if settings.port > 65_535:
        raise ConfigError(f"port is {settings.port!r}, but a number up to 65535 is expected.")
    if settings.server_key is not None and len(settings.server_key) < _SHORTEST_KEY:
        raise ConfigError(f"ACTLOOP_SERVER_KEY is shorter than {_SHORTEST_KEY} characters, which can be guessed.")
    if settings.server_key is not None and not re.fullmatch(r"[!-~]+", settings.server_key):
        raise ConfigError("ACTLOOP_SERVER_KEY must be of ASCII letters, digits and signs; a header cannot say others.")
    return settings


def service_table(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a file's ``[serve]``, each value checked. Raises `ConfigError`, which says where."""
    known_keys(table, (*_KEYS, "allowed_hosts"), where)
    plain = {key: value for key, value in table.items() if key != "allowed_hosts"}
    typed = {key: typed_value(_KEYS[key], value, f"{where} {key}") for key, value in plain.items()}
    hosts = _names(table, "allowed_hosts", where)
    return typed if hosts is None else {**typed, "allowed_hosts": hosts}


def agent_spec(table: object, where: str) -> AgentSpec:
    """Return the agent that a table describes. Raises `ConfigError`, which says where."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table, not {table!r}.")
    known_keys(table, field_kinds(AgentSpec), where)
    plain = {key: value for key, value in table.items() if key != "tools"}
    typed = {key: typed_value(str, value, f"{where} {key}") for key, value in plain.items()}
    return AgentSpec(tools=_names(table, "tools", where), **typed)


def _names(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is not None and not isinstance(value, list):
        raise ConfigError(f"{where} {key} is {value!r}, but a list of names is expected.")
    return None if value is None else tuple(typed_value(str, item, f"{where} {key}") for item in value)
