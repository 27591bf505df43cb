"""The one reader of the environment and of ``actloop.toml``: everything that can be set, in one frozen object.

What counts, from strongest to weakest: an option of the command, an environment variable, ``actloop.toml`` in the
working directory, ``actloop.toml`` in the user's configuration directory, the default. Keys are merged one by one, with
one exception: whoever names another model leaves out what the files say about theirs (its address, its temperature …).

Keys of providers are never read from a file, only from the environment; a file may say from which variable.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from actloop.agent.limits import Limits
from actloop.agent.settings import AgentSettings
from actloop.config.fields import field_kinds, known_keys, typed_text, typed_value
from actloop.config.service_settings import (
    SERVICE_VARIABLES,
    AgentSpec,
    ServiceSettings,
    agent_spec,
    service_settings,
    service_table,
)
from actloop.errors import ConfigError
from actloop.llm.base import Ability

__all__ = ["EMBEDDED", "FILE_NAME", "KEY_VARIABLES", "ModelSettings", "Settings", "debug_wanted", "load_settings"]

FILE_NAME = "actloop.toml"

KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "local": (),
}
"""The providers, and where their own tools look for a key; used when ``ACTLOOP_API_KEY`` is not set."""

EMBEDDED = "local:default"
"""What serves when no model is named: the best embedded model in the cache."""

_ADDRESS_VARIABLES = {"openai": "OPENAI_BASE_URL"}
"""Where a provider's own tools look for an address: a key that was meant for it must not go elsewhere."""

_MAY_BE_ZERO = {"temperature", "max_retries", "max_calls_only_turns", "demote_after_runs", "completion_check_calls"}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model: its name as ``provider:model``, and how to reach and ask it; None leaves a point to the provider.

    timeout is in seconds, the sizes are in tokens. ``api_key_env`` names the variable that ``api_key`` comes from.
    """

    name: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    timeout: float = 60.0
    max_retries: int = 3
    temperature: float | None = None
    max_tokens: int | None = None
    context_size: int | None = None
    max_output_tokens: int | None = None
    abilities: Mapping[str, bool] = field(default_factory=dict)

    @property
    def provider(self) -> str:
        """The part of the name before the first colon."""
        return self.name.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set.

    models: by role; empty when none is set, and then the embedded local model serves.
    agents: named ones, which the service offers beside the one without a name.
    tools_root: the directory that the file tools may read.
    threads: for a local model; None leaves one core free.
    files: the settings files that were read, weakest first.
    keys: the variables with a key of a provider that are set, by name only.
    unknown_variables: variables that start with ``ACTLOOP_`` and mean nothing; probably misspelt.
    """

    models: Mapping[str, ModelSettings]
    agent: AgentSettings
    limits: Limits
    service: ServiceSettings
    agents: Mapping[str, AgentSpec]
    max_iterations: int
    tools_root: Path
    models_dir: Path
    data_dir: Path
    threads: int | None
    files: tuple[Path, ...]
    keys: tuple[str, ...]
    unknown_variables: tuple[str, ...]


_MODEL_KEYS = {name: kind for name, kind in field_kinds(ModelSettings).items() if name != "api_key"}
_AGENT_KEYS = {"max_iterations": int, **field_kinds(AgentSettings)}
_LIMIT_KEYS = {"max_tokens": int, "max_cost": float, "max_time": float, "max_calls": int}
_MODEL_VARIABLES = {
    "ACTLOOP_MODEL": "name",
    "ACTLOOP_BASE_URL": "base_url",
    "ACTLOOP_TIMEOUT": "timeout",
    "ACTLOOP_MAX_RETRIES": "max_retries",
    "ACTLOOP_TEMPERATURE": "temperature",
    "ACTLOOP_CONTEXT_SIZE": "context_size",
    "ACTLOOP_MAX_OUTPUT_TOKENS": "max_output_tokens",
}
_OTHER_VARIABLES = {
    "ACTLOOP_API_KEY",
    "ACTLOOP_CACHE_DIR",
    "ACTLOOP_DATA_DIR",
    "ACTLOOP_DEBUG",
    "ACTLOOP_THREADS",
    "ACTLOOP_TOOLS_ROOT",
}

Table = dict[str, Any]


def debug_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether ``ACTLOOP_DEBUG`` asks for Python's traceback where a person would get a sentence."""
    return environ.get("ACTLOOP_DEBUG", "").strip().lower() not in {"", "0", "false", "no", "off"}


def load_settings(
    *,
    model: str | None = None,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
    directory: Path | None = None,
) -> Settings:
    """Read the settings of a process that works in ``directory`` (default: the current one).

    ``model`` and ``base_url`` are the command's options. Raises `ConfigError` for a file that is no TOML, an unknown
    key, a wrong type or an impossible number, naming the file or the variable.
    """
    directory = directory or Path.cwd()
    paths = [path for path in (_config_dir(environ) / FILE_NAME, directory / FILE_NAME) if path.is_file()]
    files = [_read_file(path) for path in paths]
    options = {key: value for key, value in (("name", model), ("base_url", base_url)) if value}
    from_environment = {**_model_from(environ), **options}
    agent = {**_merged(files, "agent"), **_numbers_from(environ, _AGENT_KEYS)}
    data_dir = _path(
        environ, "ACTLOOP_DATA_DIR", _home_dir(environ, "XDG_DATA_HOME", ".local/share", "Library/Application Support")
    )
    return Settings(
        models=_models([*files, {"models": {"general": from_environment}}], environ),
        max_iterations=agent.pop("max_iterations", 50),
        agent=AgentSettings(**agent),
        limits=Limits(**{**_merged(files, "limits"), **_numbers_from(environ, _LIMIT_KEYS)}),
        tools_root=_path(environ, "ACTLOOP_TOOLS_ROOT", _merged(files, "tools").get("root", directory)),
        models_dir=_path(environ, "ACTLOOP_CACHE_DIR", _home_dir(environ, "XDG_CACHE_HOME", ".cache", "Library/Caches"))
        / "models",
        data_dir=data_dir,
        service=service_settings(_merged(files, "serve"), environ, data_dir),
        agents=_merged(files, "agents"),
        threads=_numbers_from(environ, {"threads": int}).get("threads"),
        files=tuple(paths),
        keys=tuple(name for names in KEY_VARIABLES.values() for name in names if environ.get(name)),
        unknown_variables=_unknown(environ),
    )


# Files


def _read_file(path: Path) -> Table:
    """Return the file's tables, each value checked: ``models`` by role, ``agents`` by name, ``agent``, ``limits`` …"""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{str(path)!r} is not UTF-8: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{str(path)!r} is not valid TOML: {error}.") from error
    known_keys(content, ("model", "models", "agent", "agents", "limits", "serve", "tools"), str(path))
    roles = _table(content, "models", str(path))
    if "model" in content:
        if "general" in roles:
            raise ConfigError(f"{path}: [model] and [models.general] are the same; keep one of them.")
        roles = {"general": content["model"], **roles}
    tools = _typed(_table(content, "tools", str(path)), {"root": str}, f"{path}: [tools]")
    if "root" in tools:
        tools["root"] = path.parent / Path(tools["root"]).expanduser()
    return {
        "models": {role: _model_table(table, f"{path}: [models.{role}]") for role, table in roles.items()},
        "agent": _typed(_table(content, "agent", str(path)), _AGENT_KEYS, f"{path}: [agent]"),
        "limits": _typed(_table(content, "limits", str(path)), _LIMIT_KEYS, f"{path}: [limits]"),
        "tools": tools,
        "serve": service_table(_table(content, "serve", str(path)), f"{path}: [serve]"),
        "agents": {
            name: agent_spec(table, f"{path}: [agents.{name}]")
            for name, table in _table(content, "agents", str(path)).items()
        },
    }


def _table(content: Table, name: str, where: str) -> Table:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: {name!r} must be a table, written as [{name}], not {table!r}.")
    return table


def _typed(table: Table, kinds: Mapping[str, type], where: str) -> Table:
    known_keys(table, kinds, where)
    return {
        key: typed_value(kinds[key], value, f"{where} {key}", zero=key in _MAY_BE_ZERO) for key, value in table.items()
    }


def _model_table(table: object, where: str) -> Table:
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table with the key 'name', for example name = \"openai:gpt-5-mini\".")
    if "api_key" in table:
        raise ConfigError(
            f"{where}: a key does not belong into a file. Put it into an environment variable and name that: "
            'api_key_env = "OPENAI_API_KEY".'
        )
    abilities = table.get("abilities", {})
    if not isinstance(abilities, dict):
        raise ConfigError(f"{where} abilities must be a table such as {{ tool_call = false }}, not {abilities!r}.")
    kinds = dict.fromkeys(get_args(Ability), bool)
    plain = {key: value for key, value in table.items() if key != "abilities"}
    typed = _typed(plain, {key: kind for key, kind in _MODEL_KEYS.items() if key != "abilities"}, where)
    return {**typed, "abilities": _typed(abilities, kinds, f"{where} abilities")} if abilities else typed


def _merged(files: list[Table], section: str) -> Table:
    result: Table = {}
    for file in files:
        result |= file[section]
    return result


# Models


def _models(layers: list[Table], environ: Mapping[str, str]) -> dict[str, ModelSettings]:
    tables: dict[str, Table] = {}
    for layer in layers:
        for role, upper in layer["models"].items():
            lower = tables.get(role, {})
            same = upper.get("name", lower.get("name")) == lower.get("name")
            tables[role] = {**lower, **upper} if same else upper
    if not tables.get("general"):
        tables.pop("general", None)
    for role, table in tables.items():
        if role == "general" and "base_url" not in table:
            table.setdefault("name", EMBEDDED)
        if "name" not in table:
            raise ConfigError(
                f"the model for {role!r} has settings ({', '.join(sorted(table))}) but no name; name it by --model, "
                f"ACTLOOP_MODEL or [model] name in {FILE_NAME}, for example 'openai:gpt-5-mini'."
            )
        if address := environ.get(_ADDRESS_VARIABLES.get(_place(table)[0], "")):
            table.setdefault("base_url", address)
    return {role: ModelSettings(**table, api_key=_key(role, tables, environ)) for role, table in tables.items()}


def _key(role: str, tables: Mapping[str, Table], environ: Mapping[str, str]) -> str | None:
    """The key for a role. ``ACTLOOP_API_KEY`` is the general model's, and others' at the same provider and address."""
    table = tables[role]
    if "api_key_env" in table:
        return environ.get(table["api_key_env"]) or None
    own = environ.get("ACTLOOP_API_KEY")
    if own and _place(table) == _place(tables.get("general", table)):
        return own
    names = KEY_VARIABLES.get(_place(table)[0], ())
    return next((environ[name] for name in names if environ.get(name)), None)


def _place(table: Table) -> tuple[str, str | None]:
    return table["name"].partition(":")[0], table.get("base_url")


# The environment


def _model_from(environ: Mapping[str, str]) -> Table:
    given = {key: (name, environ[name]) for name, key in _MODEL_VARIABLES.items() if environ.get(name, "").strip()}
    return {
        key: typed_text(_MODEL_KEYS[key], text, name, zero=key in _MAY_BE_ZERO) for key, (name, text) in given.items()
    }


def _numbers_from(environ: Mapping[str, str], kinds: Mapping[str, type]) -> Table:
    given = {key: f"ACTLOOP_{key.upper()}" for key in kinds if environ.get(f"ACTLOOP_{key.upper()}", "").strip()}
    return {key: typed_text(kinds[key], environ[name], name, zero=key in _MAY_BE_ZERO) for key, name in given.items()}


def _path(environ: Mapping[str, str], name: str, default: Path) -> Path:
    return Path(environ[name]).expanduser().absolute() if environ.get(name) else default


def _config_dir(environ: Mapping[str, str]) -> Path:
    return _home_dir(environ, "XDG_CONFIG_HOME", ".config", "Library/Application Support")


def _home_dir(environ: Mapping[str, str], variable: str, unix: str, macos: str) -> Path:
    """A directory of ours by the XDG base directory specification, or where macOS keeps such things."""
    given = environ.get(variable, "")
    if given.startswith("/"):  # the specification: relative paths are to be ignored
        return Path(given) / "actloop"
    home = Path(environ.get("HOME") or Path.home())
    return home / (macos if sys.platform == "darwin" else unix) / "actloop"


def _unknown(environ: Mapping[str, str]) -> tuple[str, ...]:
    numbers = {f"ACTLOOP_{key.upper()}" for key in (*_AGENT_KEYS, *_LIMIT_KEYS)}
    known = numbers | _MODEL_VARIABLES.keys() | _OTHER_VARIABLES | SERVICE_VARIABLES
    ours = (name for name in environ if name.startswith("ACTLOOP_") and not name.startswith("ACTLOOP_TEST_"))
    return tuple(sorted(name for name in ours if name not in known))
