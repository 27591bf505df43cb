import pytest

from actloop.errors import UnsupportedParameter
from actloop.llm.adapters.openai_quirks import SYSTEM_ROLE, USER_AFTER_TOOL, Quirks, learnt, quirks_of

LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("base_url", "model", "quirks"),
    [
        (LOCAL, "qwen2.5:7b", Quirks()),
        ("https://api.openai.com/v1", "gpt-4o", Quirks(max_tokens="max_completion_tokens")),
        ("https://api.openai.com/v1", "gpt-5-mini", Quirks(max_tokens="max_completion_tokens", temperature=False)),
        ("https://openrouter.ai/api/v1", "openai/o3", Quirks(max_tokens="max_completion_tokens", temperature=False)),
        ("https://x.openai.azure.com/openai/v1", "gpt-5-chat", Quirks()),
        ("https://api.mistral.ai/v1", "anything", Quirks(nine_character_ids=True, assistant_after_tool=True)),
        (LOCAL, "mistralai/Mistral-Small-24B", Quirks(nine_character_ids=True, assistant_after_tool=True)),
        ("https://api.deepseek.com", "deepseek-chat", Quirks(replay_reasoning=True)),
        (LOCAL, "deepseek-r1:8b", Quirks()),
        ("https://notdeepseek.com/v1", "m", Quirks()),
    ],
)
def test_what_is_known_beforehand(base_url: str, model: str, quirks: Quirks) -> None:
    assert quirks_of(base_url, model) == quirks


@pytest.mark.parametrize(
    ("parameter", "message", "quirks"),
    [
        ("max_tokens", "", Quirks(max_tokens="max_completion_tokens")),
        ("max_completion_tokens", "", Quirks()),
        ("temperature", "", Quirks(temperature=False)),
        ("stream_options", "", Quirks(stream_usage=False)),
        ("tool_choice", "", Quirks(named_tool_choice=False)),
        ("reasoning_content", "reasoning_content is missing in message 2", Quirks(replay_reasoning=True)),
        ("reasoning_content", "property 'reasoning_content' is unsupported", Quirks()),
        (SYSTEM_ROLE, "", Quirks(system_as_user=True)),
        (USER_AFTER_TOOL, "", Quirks(assistant_after_tool=True)),
        ("tools", "", None),
        ("response_format", "", None),
    ],
)
def test_what_is_learnt_from_a_refusal(parameter: str, message: str, quirks: Quirks | None) -> None:
    assert learnt(Quirks(), UnsupportedParameter(message, parameter=parameter)) == quirks
