import json
from typing import Any

import pytest

from actloop.errors import ContextOverflow, LLMError, UnsupportedParameter
from actloop.llm.adapters.openai_errors import Asked, error_in, error_of
from actloop.llm.adapters.openai_quirks import SYSTEM_ROLE, USER_AFTER_TOOL

ASKED = Asked("openai", "Model 'm' at https://example.org", "sk-secret-1234")


def error(status: int, body: Any, **headers: str) -> LLMError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_of(ASKED, status, raw, headers)


def said(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **fields}}


@pytest.mark.parametrize(
    "body",
    [
        said("it went wrong"),
        {"error": "it went wrong"},
        {"object": "error", "message": "it went wrong", "type": "BadRequestError", "code": 400},
        {"detail": "it went wrong"},
        [{"error": {"code": 400, "message": "it went wrong", "status": "INVALID_ARGUMENT"}}],
        {"error": {"message": "Provider returned error", "metadata": {"raw": "it went wrong"}}},
        b"it went wrong",
    ],
)
def test_the_explanation_is_found_in_every_shape(body: Any) -> None:
    assert "it went wrong" in str(error(400, body))


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, {"error": {"message": None}}]
)
def test_a_body_that_says_nothing_still_gives_an_error(body: Any) -> None:
    found = error(500, body)
    assert found.status == 500
    assert found.retryable
    assert "Model 'm' at https://example.org answered 500" in str(found)


def test_a_page_is_told_by_its_title() -> None:
    found = error(502, b"<html><head><title>502 Bad Gateway</title></head></html>")
    assert "an HTML page titled '502 Bad Gateway'" in str(found)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_retryable(status: int) -> None:
    assert error(status, said("busy")).retryable


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_will_not_pass_is_not(status: int) -> None:
    assert not error(status, said("no")).retryable


def test_a_wrong_key_says_what_to_check_and_never_shows_the_key() -> None:
    found = error(401, said("Incorrect API key provided: sk-secret-1234"))
    assert "ACTLOOP_API_KEY" in str(found)
    assert "sk-secret" not in str(found)


def test_a_missing_key_is_told_apart() -> None:
    found = error_of(Asked("openai", "Model 'm'"), 401, b"{}", {})
    assert "No key was sent" in str(found)


def test_a_redirect_names_the_address() -> None:
    found = error(307, b"", Location="http://elsewhere/v1")
    assert "http://elsewhere/v1" in str(found)
    assert not found.retryable


def test_the_wait_that_is_asked_for_is_kept() -> None:
    assert error(429, said("slow down"), **{"Retry-After": "7"}).retry_after == 7


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, said("You exceeded your current quota", code="insufficient_quota")),
        (429, said("You exceeded your current quota, please check your plan and billing details.")),
        (402, {"error": {"message": "Insufficient Balance"}}),
        (403, said("Your credit balance is too low")),
    ],
)
def test_an_exhausted_quota_is_not_retried(status: int, body: Any) -> None:
    assert not error(status, body).retryable


def test_a_quota_with_a_time_to_wait_is_only_a_rate_limit() -> None:
    assert error(429, said("You exceeded your current quota, retry in 20 s"), **{"Retry-After": "20"}).retryable


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, said("whatever", code="context_length_exceeded")),
        (400, said("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.")),
        (400, said("Your input exceeds the context window of this model")),
        (400, said("prompt is too long: 213462 tokens > 200000 maximum")),
        (400, said("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)")),
        (400, said("This model's maximum prompt length is 131072 but the request contains 537812 tokens.")),
        (400, said("Please reduce the length of the messages or completion.")),
        (
            400,
            said("the request exceeds the available context size, try increasing it", type="exceed_context_size_error"),
        ),
        (400, said("Prompt contains 40000 tokens, too large for model with 32768 maximum context length")),
        (422, {"detail": "Input is too long"}),
        (413, b"Payload Too Large"),
    ],
)
def test_a_request_that_is_too_long_is_known_by_code_and_by_many_wordings(status: int, body: Any) -> None:
    assert type(error(status, body)) is ContextOverflow


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, said("Rate limit reached: too many tokens per min. Please reduce the length of your messages")),
        (401, said("context window")),
        (400, said("Invalid value for 'messages[1].content'")),
        (400, said("max_tokens is too large: 100000. This model supports at most 16384 completion tokens")),
    ],
)
def test_other_refusals_are_no_overflow(status: int, body: Any) -> None:
    assert not isinstance(error(status, body), ContextOverflow | UnsupportedParameter)


@pytest.mark.parametrize(
    ("parameter", "status", "body"),
    [
        ("tools", 400, {"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}}),
        ("tools", 400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'}),
        ("tools", 500, {"error": {"code": 500, "message": "tools param requires --jinja flag"}}),
        ("tools", 500, {"code": 500, "message": "Unsupported param: tools", "type": "server_error"}),
        ("tools", 404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}),
        ("tools", 400, said("`tool calling` is not supported with this model")),
        ("tool_choice", 400, said("Invalid tool_choice type: 'object'. Supported string values: none, auto, required")),
        ("tool_choice", 400, said("deepseek-reasoner does not support this tool_choice")),
        ("response_format", 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
        ("response_format", 400, said("This response_format type is unavailable now")),
        ("response_format", 400, said("Model does not support json_schema", param="response_format")),
        ("temperature", 400, said("Only the default (1) value is", param="temperature", code="unsupported_value")),
        ("max_tokens", 400, said("'max_tokens' is not supported with this model. Use 'max_completion_tokens'")),
        ("max_completion_tokens", 422, {"detail": [{"loc": ["max_completion_tokens"], "msg": "Extra inputs are not"}]}),
        ("stream_options", 400, said("Unrecognized request argument supplied: stream_options")),
        ("reasoning_content", 400, said("The `reasoning_content` in the thinking mode must be passed back")),
        ("reasoning_content", 400, said("property 'reasoning_content' is unsupported")),
        (USER_AFTER_TOOL, 400, {"message": "Unexpected role 'user' after role 'tool'", "code": "3230"}),
        (SYSTEM_ROLE, 500, {"error": {"message": "System role not supported"}}),
    ],
)  # fmt: skip
def test_a_refused_parameter_is_named(parameter: str, status: int, body: Any) -> None:
    found = error(status, body)
    assert isinstance(found, UnsupportedParameter)
    assert found.parameter == parameter


@pytest.mark.parametrize("value", [{"choices": []}, {"error": None, "choices": []}, [], "x", None, {"status": "ok"}])
def test_a_body_without_error_has_none(value: Any) -> None:
    assert error_in(ASKED, value) is None


def test_an_error_inside_a_good_status_keeps_its_own_code() -> None:
    found = error_in(ASKED, {"error": {"message": "upstream timed out", "code": 504}})
    assert found is not None
    assert (found.status, found.retryable) == (504, True)


def test_an_error_beside_choices_is_one_too() -> None:
    found = error_in(ASKED, {"error": {"message": "upstream is gone"}, "choices": [{"finish_reason": "error"}]})
    assert "upstream is gone" in str(found)


def test_an_error_inside_a_stream_may_be_final() -> None:
    found = error_in(ASKED, {"error": {"message": "no such thing", "type": "invalid_request_error"}})
    assert found is not None
    assert not found.retryable
