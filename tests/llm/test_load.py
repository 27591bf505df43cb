import subprocess
import sys

import pytest

from actloop.errors import ConfigError
from actloop.llm.known_models import known_model
from actloop.llm.load import load_llm
from actloop.llm.retry import RetryLLM
from actloop.messages import UserMessage
from tests.support.fake_openai import FakeOpenAI, Fault


@pytest.mark.asyncio
async def test_a_model_is_loaded_by_its_name_and_retries() -> None:
    async with FakeOpenAI(Fault(503, headers={"Retry-After": "0"}), "hello") as server:
        llm = load_llm("openai:gpt-4o", base_url=server.url, api_key="k", temperature=0.5, max_tokens=20)
        reply = await llm.chat([UserMessage("hi")])
        await llm.aclose()
    assert reply.message.content == "hello"
    assert (server.requests[1]["model"], server.requests[1]["temperature"], server.requests[1]["max_tokens"]) == (
        "gpt-4o",
        0.5,
        20,
    )


def test_without_retries_nothing_is_wrapped() -> None:
    assert not isinstance(load_llm("openai:m", max_retries=0), RetryLLM)


def test_a_known_model_brings_its_sizes_and_abilities() -> None:
    llm = load_llm("openai:gpt-4o-mini")
    assert (llm.context_size, llm.max_output_tokens) == (128_000, 16_384)
    assert llm.abilities == {
        "tool_call": True,
        "json_mode": True,
        "json_schema": True,
        "vision": True,
        "thinking": False,
    }


def test_an_unknown_model_gets_cautious_ones_and_what_is_given_counts() -> None:
    llm = load_llm("openai:qwen2.5:7b", context_size=4_096, abilities={"tool_call": False})
    assert (llm.context_size, llm.max_output_tokens) == (4_096, 2_048)
    assert llm.abilities == {
        "tool_call": False,
        "json_mode": True,
        "json_schema": True,
        "vision": False,
        "thinking": False,
    }
    assert load_llm("openai:x", max_output_tokens=99).max_output_tokens == 99


@pytest.mark.parametrize("name", ["", "gpt-4o", "openai:", ":gpt-4o"])
def test_a_name_without_provider_and_model_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="'provider:model'"):
        load_llm(name)


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no provider 'opnai'; use one of 'openai', 'local'"):
        load_llm("opnai:gpt-4o")


@pytest.mark.parametrize("provider", ["anthropic", "google"])
def test_a_provider_without_an_adapter_is_told_how_to_be_reached(provider: str) -> None:
    with pytest.raises(ConfigError, match="use 'openai:some-model' with the base_url"):
        load_llm(f"{provider}:some-model")


@pytest.mark.parametrize("setting", ["timeout", "context_size", "max_output_tokens"])
def test_a_size_of_nothing_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=f"{setting} of model 'openai:m' must be more than 0"):
        load_llm("openai:m", **{setting: 0})  # type: ignore[arg-type]


def test_the_longest_beginning_of_a_name_counts_and_only_whole_parts_of_it() -> None:
    assert known_model("gpt-4o-2024-08-06").context_size == 128_000
    assert known_model("gpt-4-0613").context_size == 8_192
    assert known_model("openai/gpt-5-mini").context_size == 400_000
    assert known_model("o10-new") == known_model("something else")


def test_the_module_does_not_import_the_http_client() -> None:
    check = "import sys, actloop.llm.load; assert not {'aiohttp', 'yarl', 'pydantic'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", check], check=True)
