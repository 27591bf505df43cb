"""Where a setting comes from, and what a wrong one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from actloop.config import Settings, load_settings
from actloop.errors import ConfigError


def settings_of(
    home: Path, environ: dict[str, str] | None = None, *, file: str | None = None, **options: str
) -> Settings:
    """Load settings in a directory of their own, with ``file`` as its actloop.toml."""
    work = home / "work"
    work.mkdir(exist_ok=True)
    if file is not None:
        (work / "actloop.toml").write_text(file, encoding="utf-8")
    return load_settings(environ={"HOME": str(home), **(environ or {})}, directory=work, **options)


def test_with_nothing_set_no_model_is_named_and_the_defaults_hold(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    assert (settings.models, settings.files, settings.keys, settings.max_iterations) == ({}, (), (), 50)
    assert settings.tools_root == tmp_path / "work"


def test_an_option_wins_over_the_environment_and_that_over_the_files(tmp_path: Path) -> None:
    user = tmp_path / "config" / "actloop"
    user.mkdir(parents=True)
    (user / "actloop.toml").write_text("[agent]\nmax_iterations = 7\ntool_timeout = 7\n[limits]\nmax_calls = 7\n")
    environ = {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "ACTLOOP_MAX_ITERATIONS": "9",
        "ACTLOOP_MODEL": "openai:env",
    }
    file = '[agent]\nmax_iterations = 8\ntool_timeout = 8\n[model]\nname = "openai:file"\n'
    settings = settings_of(tmp_path, environ, file=file, model="openai:option")
    assert settings.max_iterations == 9
    assert settings.agent.tool_timeout == 8.0
    assert settings.limits.max_calls == 7
    assert settings.models["general"].name == "openai:option"
    assert settings.files == (user / "actloop.toml", tmp_path / "work" / "actloop.toml")


def test_another_model_does_not_inherit_what_a_file_says_about_its_own(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:a"\nbase_url = "http://127.0.0.1:1/v1"\ntemperature = 0.5\n'
    assert settings_of(tmp_path, file=file).models["general"].base_url == "http://127.0.0.1:1/v1"
    assert settings_of(tmp_path, file=file, model="openai:a").models["general"].temperature == 0.5
    assert settings_of(tmp_path, file=file, model="openai:b").models["general"].base_url is None


def test_models_have_roles_and_abilities(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:a"\n[models.fast]\nname = "local:b"\nabilities = { tool_call = false }\n'
    models = settings_of(tmp_path, file=file).models
    assert {role: model.name for role, model in models.items()} == {"general": "openai:a", "fast": "local:b"}
    assert models["fast"].abilities == {"tool_call": False}


@pytest.mark.parametrize(
    ("environ", "key"),
    [
        ({"OPENAI_API_KEY": "usual"}, "usual"),
        ({"OPENAI_API_KEY": "usual", "ACTLOOP_API_KEY": "own"}, "own"),
        ({"ANTHROPIC_API_KEY": "another provider's"}, None),
    ],
    ids=["usual", "own", "other"],
)
def test_a_key_is_the_one_for_actloop_or_the_usual_one_of_the_provider(
    tmp_path: Path, environ: dict[str, str], key: str | None
) -> None:
    assert settings_of(tmp_path, environ, model="openai:a").models["general"].api_key == key


def test_settings_without_a_name_are_those_of_the_embedded_model(tmp_path: Path) -> None:
    model = settings_of(tmp_path, {"ACTLOOP_CONTEXT_SIZE": "4096"}).models["general"]
    assert (model.name, model.context_size) == ("local:default", 4096)


def test_the_usual_key_goes_to_the_usual_address(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "usual", "OPENAI_BASE_URL": "http://ours/v1"}
    assert settings_of(tmp_path, environ, model="openai:a").models["general"].base_url == "http://ours/v1"
    there = settings_of(tmp_path, environ, model="openai:a", base_url="http://there/v1")
    assert there.models["general"].base_url == "http://there/v1"
    assert settings_of(tmp_path, environ, model="local:a").models["general"].base_url is None


def test_the_key_of_the_general_model_does_not_go_to_another_place(tmp_path: Path) -> None:
    file = '[models.fast]\nname = "openai:b"\nbase_url = "http://elsewhere/v1"\n[models.smart]\nname = "openai:c"\n'
    models = settings_of(tmp_path, {"ACTLOOP_API_KEY": "own"}, file=file, model="openai:a").models
    assert {role: model.api_key for role, model in models.items()} == {"fast": None, "smart": "own", "general": "own"}


def test_a_file_may_name_the_variable_of_a_key_but_not_hold_the_key(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:a"\napi_key_env = "MY_KEY"\n'
    settings = settings_of(tmp_path, {"MY_KEY": "secret", "OPENAI_API_KEY": "usual"}, file=file)
    assert settings.models["general"].api_key == "secret"
    assert "secret" not in repr(settings)
    assert settings.keys == ("OPENAI_API_KEY",)
    with pytest.raises(ConfigError, match=r"\[models.general\]: a key does not belong into a file.*api_key_env"):
        settings_of(tmp_path, file='[model]\nname = "openai:a"\napi_key = "secret"\n')


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "[agent]\ntool_timout = 3\n",
            r"actloop.toml: \[agent\]: unknown key 'tool_timout'; did you mean 'tool_timeout'",
        ),
        ("[agnt]\n", "unknown key 'agnt'; did you mean 'agent'"),
        ("[agent]\nmax_iterations = '5'\n", r"\[agent\] max_iterations is '5', but a whole number, greater than 0"),
        ("[agent]\nmax_iterations = true\n", "max_iterations is True, but a whole number"),
        ("[agent]\nmax_iterations = 0\n", "max_iterations is 0, but a whole number, greater than 0"),
        ("[agent]\ntool_timeout = nan\n", "tool_timeout is nan, but a number, greater than 0"),
        ("[limits]\nmax_cost = -1.0\n", r"\[limits\] max_cost is -1.0"),
        ("agent = 3\n", r"'agent' must be a table, written as \[agent\]"),
        ("model = 'openai:a'\n", r"\[models.general\] must be a table with the key 'name'"),
        ("[model]\nbase_url = 'http://x'\n", "the model for 'general' has settings .base_url. but no name"),
        ("[model]\nname = 'a:b'\nabilities = { fly = true }\n", "abilities: unknown key 'fly'"),
        ("[model]\nname = 'a:b'\n[models.general]\nname = 'a:b'\n", "are the same; keep one"),
        ("[agent\n", "actloop.toml' is not valid TOML"),
    ],
    ids=range(13),
)
def test_a_wrong_file_is_told_where_and_what_is_allowed(tmp_path: Path, file: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        settings_of(tmp_path, file=file)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ACTLOOP_MAX_ITERATIONS", "many"),
        ("ACTLOOP_TOOL_TIMEOUT", "inf"),
        ("ACTLOOP_THREADS", "0"),
        ("ACTLOOP_MAX_TOKENS", "1.5"),
    ],
)
def test_a_wrong_variable_is_named_with_its_value(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name} is .*{text}.* is expected"):
        settings_of(tmp_path, {name: text})


def test_a_variable_that_means_nothing_is_noticed(tmp_path: Path) -> None:
    environ = {"ACTLOOP_MAX_ITERATION": "3", "ACTLOOP_TEST_PG_DSN": "x", "ACTLOOP_DEBUG": "1"}
    assert settings_of(tmp_path, environ).unknown_variables == ("ACTLOOP_MAX_ITERATION",)


def test_a_relative_tools_root_belongs_to_its_file(tmp_path: Path) -> None:
    assert settings_of(tmp_path, file="[tools]\nroot = 'docs'\n").tools_root == tmp_path / "work" / "docs"


def test_the_service_has_its_own_table_and_variables(tmp_path: Path) -> None:
    file = '[serve]\nport = 9000\nallowed_hosts = ["Agent.Example"]\n[agents.a]\ntools = ["clock"]\nmodel = "fast"\n'
    settings = settings_of(tmp_path, {"ACTLOOP_PORT": "9001", "ACTLOOP_ON_DISCONNECT": "cancel"}, file=file)
    service = settings.service
    assert (service.host, service.port, service.on_disconnect) == ("127.0.0.1", 9001, "cancel")
    assert service.allowed_hosts == ("agent.example",)
    assert service.database_url == f"sqlite:///{settings.data_dir / 'actloop.db'}"
    assert settings.agents["a"].tools == ("clock",)
    assert settings.unknown_variables == ()


def test_what_is_secret_is_not_shown_with_the_settings(tmp_path: Path) -> None:
    environ = {"ACTLOOP_SERVER_KEY": "sk-SECRET-0123456789", "ACTLOOP_DATABASE_URL": "postgresql://me:SECRET@db/x"}
    settings = settings_of(tmp_path, environ)
    assert settings.service.server_key == "sk-SECRET-0123456789"
    assert settings.service.node != "local", "machines that share a database have different names"
    assert "SECRET" not in repr(settings)


@pytest.mark.parametrize(
    ("file", "environ", "told"),
    [
        ("[serve]\nprot = 1\n", {}, "did you mean 'port'"),
        ("[serve]\ndatabase_url = 'x'\n", {}, "unknown key 'database_url'"),
        ("[serve]\nallowed_hosts = 'x'\n", {}, "a list of names is expected"),
        ("[agents.a]\ntool = []\n", {}, "did you mean 'tools'"),
        ("[agents]\na = 1\n", {}, r"\[agents.a\] must be a table"),
        ("", {"ACTLOOP_ON_DISCONNECT": "stop"}, "'finish' or 'cancel' is expected"),
        ("", {"ACTLOOP_PORT": "99999"}, "up to 65535"),
        ("", {"ACTLOOP_SERVER_KEY": "short"}, "ACTLOOP_SERVER_KEY is shorter"),
        ("", {"ACTLOOP_SERVER_KEY": "schlüssel-0123456789"}, "ACTLOOP_SERVER_KEY must be of ASCII"),
    ],
)
def test_a_wrong_setting_of_the_service_is_told(tmp_path: Path, file: str, environ: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        settings_of(tmp_path, environ, file=file)
