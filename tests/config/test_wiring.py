"""From settings to live objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from actloop.config import Settings, load_settings
from actloop.config.wiring import build_agent, build_models, build_tools, served_name
from actloop.errors import ConfigError
from actloop.llm import ModelRegistry
from actloop.testing import ScriptedLLM


def settings_of(home: Path, file: str = "", **environ: str) -> Settings:
    (home / "actloop.toml").write_text(file, encoding="utf-8")
    return load_settings(environ={"HOME": str(home), **environ}, directory=home)


@pytest.mark.asyncio
async def test_each_role_gets_its_model_and_what_was_set_for_it(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:a"\ncontext_size = 9000\n[models.fast]\nname = "openai:b"\ncontext_size = 5000\n'
    models = build_models(settings_of(tmp_path, file, OPENAI_API_KEY="key"))
    assert (models.get("general").context_size, models.get("fast").context_size) == (9000, 5000)
    assert models.get("smart") is models.get("general")
    await models.aclose()


def test_a_key_that_is_named_but_not_there_is_told_before_anything_is_sent(tmp_path: Path) -> None:
    file = '[model]\nname = "openai:a"\napi_key_env = "MY_KEY"\n'
    with pytest.raises(ConfigError, match="the key of 'openai:a' comes from the environment variable 'MY_KEY'"):
        build_models(settings_of(tmp_path, file))


def test_openai_itself_is_not_asked_without_a_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'openai:a' needs a key of OpenAI: set OPENAI_API_KEY"):
        build_models(settings_of(tmp_path, '[model]\nname = "openai:a"\n'))


def test_without_a_model_of_ones_own_the_embedded_one_serves_under_its_own_name(tmp_path: Path) -> None:
    assert served_name(settings_of(tmp_path)) == "local:smollm2-135m-instruct"
    assert served_name(settings_of(tmp_path, '[model]\nname = "openai:a"\n')) == "openai:a"


def test_a_tool_of_the_users_takes_the_place_of_a_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from actloop import tool\n@tool\ndef calculator() -> str:\n    'Mine.'\n    return ''\n"
    )
    tools = build_tools(settings_of(tmp_path), tmp_path / "mine.py")
    assert [tool.description for tool in tools if tool.name == "calculator"] == ["Mine."]
    assert len({tool.name for tool in tools}) == len(tools) > 1


@pytest.mark.asyncio
async def test_the_file_tools_of_an_agent_read_below_the_root_that_was_set(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("inside")
    (tmp_path / "b.txt").write_text("outside")
    settings = settings_of(tmp_path, "[tools]\nroot = 'docs'\n[agent]\nmax_iterations = 1\n")
    (read_file,) = (tool for tool in build_tools(settings) if tool.name == "read_file")
    assert "inside" in (await read_file.run({"path": "a.txt"})).content
    llm = ScriptedLLM(["At once."])
    result = await build_agent(settings, ModelRegistry({"general": llm}), [read_file]).run("Hi")
    assert (result.answer, result.iterations) == ("At once.", 1)
