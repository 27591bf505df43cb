import json
import math
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.llm.base import named_tool_choice
from actloop.messages import (
    AssistantMessage,
    ImagePart,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
    valid_history,
)
from tests.support.strict import read_body, violations

LOOK = ToolSpec("look", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})
OTHER = ToolSpec("other", "Something else.", {})


def body(messages: list[Message], *, quirks: Quirks | None = None, vision: bool = False, **options: Any) -> Any:
    value, wrong = read_body(RequestWriter("m", quirks or Quirks(), vision=vision).write(messages, **options))
    assert not wrong
    assert violations(value) == []
    return value


def sent(messages: list[Message], *, quirks: Quirks | None = None, vision: bool = False) -> Any:
    return body(messages, quirks=quirks, vision=vision)["messages"]


def asked(*ids: str, name: str = "look", content: str = "") -> AssistantMessage:
    return AssistantMessage(content, tuple(ToolCall(call_id, name, {"q": call_id}) for call_id in ids))


def round_of(*ids: str) -> list[Message]:
    return [asked(*ids), *(ToolMessage(f"result of {call_id}", call_id, "look") for call_id in ids)]


def test_a_conversation_is_written_in_the_form_of_the_api() -> None:
    messages = [SystemMessage("Be brief."), UserMessage("How far?"), *round_of("c1"), AssistantMessage("3 km")]
    assert body(messages) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How far?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q":"c1"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "result of c1"},
            {"role": "assistant", "content": "3 km"},
        ],
    }


def test_only_what_is_asked_for_is_sent() -> None:
    value = body(
        [UserMessage("q")],
        tools=[LOOK, OTHER],
        tool_choice=named_tool_choice("look"),
        max_tokens=7,
        temperature=0.5,
        stream=True,
    )
    assert [tool["function"]["name"] for tool in value["tools"]] == ["look", "other"]
    assert value["tools"][1]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert value["tool_choice"] == {"type": "function", "function": {"name": "look"}}
    assert (value["max_tokens"], value["temperature"]) == (7, 0.5)
    assert (value["stream"], value["stream_options"]) == (True, {"include_usage": True})


def test_a_tool_choice_goes_only_with_tools_and_auto_is_left_out() -> None:
    assert "tool_choice" not in body([UserMessage("q")], tools=[], tool_choice="required")
    assert "tool_choice" not in body([UserMessage("q")], tools=[LOOK], tool_choice="auto")


def test_a_message_is_encoded_once_for_each_form() -> None:
    message = UserMessage("q")
    writer = RequestWriter("m", Quirks(), vision=False)
    first = writer.messages([message])[0]
    assert RequestWriter("other model", Quirks(temperature=False), vision=False).messages([message])[0] is first
    assert writer.messages([message])[0] is first


def test_text_that_is_no_text_still_goes_out_as_utf8() -> None:
    messages = sent(
        [UserMessage("q"), *round_of("c1")[:1], ToolMessage("ok \udc97 caf\u00e9 \ud83d end \U0001f600", "c1")]
    )
    assert messages[-1]["content"] == "ok \ufffd caf\u00e9 \ufffd end \U0001f600"


def test_the_halves_of_an_emoji_are_joined() -> None:
    assert sent([UserMessage("\ud83d\ude00")])[0]["content"] == "\U0001f600"


def test_numbers_that_are_not_json_become_null() -> None:
    call = ToolCall("c1", "look", {"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}})
    messages = sent([UserMessage("q"), AssistantMessage("", (call,)), ToolMessage("r", "c1")])
    assert json.loads(messages[1]["tool_calls"][0]["function"]["arguments"]) == {
        "a": None,
        "b": [None, 1.5],
        "c": {"d": None},
    }


def test_an_unreadable_call_is_sent_with_empty_arguments_and_a_name_that_is_allowed() -> None:
    calls = (ToolCall("c1", "functions. my tool!", {}, unreadable="{'q"), ToolCall("c2", "", {}))
    messages = sent([UserMessage("q"), AssistantMessage("", calls), ToolMessage("r", "c1"), ToolMessage("r", "c2")])
    functions = [call["function"] for call in messages[1]["tool_calls"]]
    assert functions == [{"name": "functions__my_tool_", "arguments": "{}"}, {"name": "unnamed", "arguments": "{}"}]


def test_a_long_id_is_shortened_the_same_way_in_call_and_result() -> None:
    messages = sent([UserMessage("q"), *round_of("call_" + "x" * 115)])
    assert len(messages[1]["tool_calls"][0]["id"]) <= 40
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]


def test_an_id_that_comes_again_in_a_later_round_gets_another_one() -> None:
    history = [UserMessage("q"), *round_of("same"), *round_of("same"), *round_of("same", "new")]
    messages = sent(history)
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(set(ids)) == 4
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ids
    assert sent(history) == messages


def test_more_calls_than_a_message_may_hold_become_several_rounds() -> None:
    ids = [f"c{number}" for number in range(300)]
    messages = sent([UserMessage("q"), *round_of(*ids), UserMessage("go on")])
    assert [len(message["tool_calls"]) for message in messages if "tool_calls" in message] == [128, 128, 44]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ids
    assert messages[-1]["content"] == "go on"


def test_user_messages_in_a_row_become_one() -> None:
    messages = sent([UserMessage("a"), UserMessage("b"), UserMessage("c"), AssistantMessage("x"), UserMessage("d")])
    assert [message["content"] for message in messages] == ["a\n\nb\n\nc", "x", "d"]


def test_an_empty_assistant_message_is_left_out() -> None:
    assert [message["content"] for message in sent([UserMessage("a"), AssistantMessage(" "), UserMessage("b")])] == [
        "a\n\nb"
    ]


def test_images_go_to_models_that_see() -> None:
    picture = UserMessage([TextPart("What is this?"), ImagePart("data:image/png;base64,AAAA")])
    assert sent([picture], vision=True)[0]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    assert sent([picture])[0]["content"] == "What is this?\n[image]"
    assert len(sent([UserMessage("Look."), picture], vision=True)[0]["content"]) == 3


def test_mistral_gets_ids_of_nine_characters_distinct_and_stable() -> None:
    history = [UserMessage("q"), *round_of("call_0fypS1hVXabc", "toolu_01A-b", "abcDEF123")]
    first = sent(history, quirks=Quirks(nine_character_ids=True))
    ids = [call["id"] for call in first[1]["tool_calls"]]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", call_id) for call_id in ids)
    assert len(set(ids)) == 3
    assert ids[2] == "abcDEF123"
    assert [message["tool_call_id"] for message in first[2:]] == ids
    fresh = [UserMessage("q"), *round_of("call_0fypS1hVXabc", "toolu_01A-b", "abcDEF123")]
    assert sent(fresh, quirks=Quirks(nine_character_ids=True)) == first


def test_mistral_gets_an_assistant_message_between_result_and_user() -> None:
    messages = sent([UserMessage("q"), *round_of("c1"), UserMessage("stop")], quirks=Quirks(assistant_after_tool=True))
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant", "user"]


def test_reasoning_goes_back_only_where_it_is_wanted() -> None:
    thought = AssistantMessage(
        "", (ToolCall("c1", "look"),), reasoning="r", reasoning_state={"reasoning_content": "as it came"}
    )
    plain = AssistantMessage("x", reasoning="")
    history: list[Message] = [UserMessage("q"), thought, ToolMessage("r", "c1"), plain]
    assert not any("reasoning_content" in message for message in sent(history))
    replayed = sent(history, quirks=Quirks(replay_reasoning=True))
    assert [message.get("reasoning_content") for message in replayed] == [None, "as it came", None, ""]


def test_instructions_open_the_conversation_where_there_is_no_system_role() -> None:
    messages = sent([SystemMessage("Be brief."), UserMessage("q")], quirks=Quirks(system_as_user=True))
    assert messages == [{"role": "user", "content": "Be brief.\n\nq"}]


def test_parameters_are_named_and_left_out_as_the_server_wants() -> None:
    value = body(
        [UserMessage("q")],
        quirks=Quirks(
            max_tokens="max_completion_tokens", temperature=False, stream_usage=False, named_tool_choice=False
        ),
        tools=[LOOK, OTHER],
        tool_choice=named_tool_choice("other"),
        max_tokens=5,
        temperature=1.0,
        stream=True,
    )
    assert value["max_completion_tokens"] == 5
    assert not {"max_tokens", "temperature", "stream_options"} & value.keys()
    assert value["tool_choice"] == "required"
    assert [tool["function"]["name"] for tool in value["tools"]] == ["other"]


def schema_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def test_strict_is_sent_only_for_a_schema_that_can_be_strict() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    opened = {**closed, "required": []}
    for schema, strict in ((closed, True), (opened, False), ({"anyOf": [closed, opened]}, False)):
        form = body([UserMessage("q")], response_format=schema_format(schema))["response_format"]
        assert form["json_schema"]["strict"] is strict
        assert form["json_schema"]["schema"] == schema


texts = st.text(st.characters(codec=None), max_size=8)
ids = st.sampled_from(["", "a", "b", "call_1", "x" * 50, "\ud800"])
arguments = st.dictionaries(texts, st.floats() | texts | st.none(), max_size=2)
calls = st.builds(ToolCall, ids, texts, arguments)
histories = st.lists(
    st.builds(SystemMessage, texts)
    | st.builds(UserMessage, texts)
    | st.builds(AssistantMessage, texts, st.lists(calls, max_size=3))
    | st.builds(ToolMessage, texts, ids),
    max_size=12,
)
all_quirks = st.builds(
    Quirks,
    nine_character_ids=st.booleans(),
    assistant_after_tool=st.booleans(),
    replay_reasoning=st.booleans(),
    system_as_user=st.booleans(),
)


@given(histories, all_quirks)
def test_every_valid_history_becomes_a_request_that_breaks_no_rule(messages: list[Message], quirks: Quirks) -> None:
    history = valid_history([*messages, UserMessage("q")])
    writer = RequestWriter("m", quirks, vision=False)
    raw = writer.write(history)
    value, wrong = read_body(raw)
    assert not wrong
    assert violations(value) == []
    assert writer.write(history) == raw
