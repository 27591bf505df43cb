from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.leaked_calls import find_leaked_calls
from actloop.messages import ToolSpec

LOOKUP = ToolSpec(
    "lookup",
    "Look something up.",
    {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["q"],
        "additionalProperties": False,
    },
)
BOOK = ToolSpec(
    "book",
    "Book a room.",
    {
        "type": "object",
        "properties": {
            "room": {"type": "string"},
            "nights": {"type": "integer"},
            "extras": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["room"],
    },
)
CLOCK = ToolSpec("clock", "Tell the time.", {"type": "object", "properties": {}})
TOOLS = [LOOKUP, BOOK, CLOCK]

TEA = '{"name": "lookup", "arguments": {"q": "tea"}}'
INN = '{"name": "lookup", "arguments": {"q": "inn", "limit": 3}}'
TEA_CALL = ("lookup", {"q": "tea"})
INN_CALL = ("lookup", {"q": "inn", "limit": 3})


def found(text: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    leaked = find_leaked_calls(text, TOOLS)
    return [(call.name, call.arguments) for call in leaked.calls], leaked.text


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{TEA}\n</tool_call>",
        f"<tool_call>{TEA}",
        f"<tool_call>```json\n{TEA}\n```</tool_call>",
        f"<tools>\n{TEA}\n</tools>",
        f"<function_call>{TEA}</function_call>",
        f"{TEA}</tool_call>",
        f"<tool_call>{TEA}}}</tool_call>",
        f"<|tool_call|>[{TEA}]<|/tool_call|>",
        f"{TEA}}}",
        f"[TOOL_CALLS][{TEA}]",
        f"[TOOL_CALLS] {TEA}",
        '[TOOL_CALLS]lookup{"q": "tea"}',
        '[TOOL_CALLS]lookup[ARGS]{"q": "tea"}',
        '[TOOL_CALLS]lookup[CALL_ID]a1B2c3D4e[ARGS]{"q": "tea"}',
        '<|python_tag|>{"type": "function", "name": "lookup", "parameters": {"q": "tea"}}<|eom_id|>',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>lookup\n```json\n{"q": "tea"}\n```'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>lookup<｜tool▁sep｜>{"q": "tea"}<｜tool▁call▁end｜>'
        "<｜tool▁calls▁end｜>",
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"q": "tea"}'
        "<|tool_call_end|><|tool_calls_section_end|>",
        '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"q": "tea"}<|call|>',
        "<function=lookup>\n<parameter=q>\ntea\n</parameter>\n</function>",
        '<function=lookup>{"q": "tea"}</function>',
        '<function_calls>\n<invoke name="lookup">\n<parameter name="q">tea</parameter>\n</invoke>\n</function_calls>',
        TEA,
        f"[{TEA}]",
        f"\n{TEA}\n\n.\n",
        f"```json\n{TEA}\n```",
        f"```\n{TEA}\n```",
        f"Action: {TEA}",
        f"Action:\n{TEA}",
        f"**Action:**\n```json\n{TEA}\n```",
        'Action: lookup\nAction Input: {"q": "tea"}',
        'Action: lookup\nAction Input:\n```json\n{"q": "tea"}\n```',
        '{{"name": "lookup", "arguments": {{"q": "tea"}}}}',
        '{{"name": "lookup", "arguments": {"q": "tea"}}}',
        '{"name": "functions.lookup", "arguments": "{\\"q\\": \\"tea\\"}"}',
        '{"function": {"name": "lookup", "arguments": {"q": "tea"}}}',
        '{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": {"q": "tea"}}}]}',
        '{"tool": "lookup", "args": {"q": "tea"}}',
        '{"tool_name": "lookup", "tool_args": {"q": "tea"}, "reasoning": "to know"}',
        '{"action": "lookup", "action_input": {"q": "tea"}}',
        '{"function": "lookup", "parameters": {"q": "tea"}}',
        "{'name': 'lookup', 'arguments': {'q': 'tea'}}",
        '<|python_tag|>lookup.call(q="tea")<|eom_id|>',
        "[lookup(q='tea')]",
    ],
)
def test_a_call_is_read_in_every_form_that_models_write(text: str) -> None:
    assert found(text) == ([TEA_CALL], "")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Let me check.\n<tool_call>\n{TEA}\n</tool_call>", "Let me check."),
        (f"Let me check.<tool_call>{TEA}</tool_call>", "Let me check."),
        (f"Let me check.\n\n```json\n{TEA}\n```\n", "Let me check."),
        (f"Let me check.\n{TEA}", "Let me check."),
        (f"{TEA}\nI will wait for the result.", "I will wait for the result."),
        (f"First this.\n<tool_call>{TEA}</tool_call>\nThen I wait.", "First this.\n\nThen I wait."),
        (
            'Thought: look\nAction: lookup\nAction Input: {"q": "tea"}\nObservation: made up',
            "Thought: look\n\nObservation: made up",
        ),
    ],
)
def test_what_the_model_says_besides_is_left(text: str, left: str) -> None:
    assert found(text) == ([TEA_CALL], left)


@pytest.mark.parametrize(
    "text",
    [
        f"[TOOL_CALLS][{TEA}, {INN}]",
        f"<tool_call>{TEA}</tool_call>\n<tool_call>{INN}</tool_call>",
        f"<tool_call>{TEA}<tool_call>{INN}",
        f"{TEA}\n{INN}",
        f"```json\n{TEA}\n{INN}\n```",
        f"<|python_tag|>{TEA}; {INN}",
        f"{TEA},\n{INN}",
        '[TOOL_CALLS]lookup{"q": "tea"}[TOOL_CALLS]lookup{"q": "inn", "limit": 3}',
        "[lookup(q='tea'), lookup(q='inn', limit=3)]",
        '<invoke name="lookup"><parameter name="q">tea</parameter></invoke>'
        '<invoke name="lookup"><parameter name="q">inn</parameter><parameter name="limit">3</parameter></invoke>',
    ],
)
def test_several_calls_come_in_their_order(text: str) -> None:
    assert found(text) == ([TEA_CALL, INN_CALL], "")


@pytest.mark.parametrize(
    "text",
    [
        f"{TEA}\n{TEA}\n{TEA}",
        f"{TEA}\n{TEA}\n" + TEA[:20],
        f"```json\n{TEA}\n```\n```json\n{TEA}\n```\n```json\n" + TEA[:5],
        f"<tool_call>\n{TEA}\n</tool_call>\n<tool_call>\n{TEA}\n</tool_call>\n<tool_c",
        f"{TEA}{TEA}",
    ],
)
def test_the_same_call_again_and_again_is_one_call(text: str) -> None:
    assert found(text) == ([TEA_CALL], "")


def test_values_in_tags_get_the_types_of_the_schema() -> None:
    text = (
        "<tool_call>\n<function=book>\n<parameter=room>\n012\n</parameter>\n<parameter=nights>\n2\n</parameter>\n"
        '<parameter=extras>\n["cot", "late {out}"]\n</parameter>\n</function>\n</tool_call>'
    )
    assert found(text) == ([("book", {"room": "012", "nights": 2, "extras": ["cot", "late {out}"]})], "")


def test_a_call_without_arguments_must_be_marked_as_one() -> None:
    assert found('<tool_call>{"name": "clock"}</tool_call>') == ([("clock", {})], "")
    assert found('{"name": "clock", "arguments": {}}') == ([("clock", {})], "")
    assert found('{"name": "clock"}') == ([], '{"name": "clock"}')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You can use lookup to find tea.",
        'lookup(q="tea")',
        "[lookup(q=open('secrets').read())]",
        "[lookup('tea')]",
        "<|python_tag|>print(1)",
        "[lookup(q=" + "-" * 5_000 + "1)]",
        'To do this call `lookup` with {"q": "tea"}.',
        f"Write `{TEA}` to look up tea.",
        f"Use it like this:\n```json\n{TEA}\n```\nThen read the result.",
        f"The form is\n```\n<tool_call>{TEA}</tool_call>\n```\nand nothing else.",
        f"The form is\n```\nfirst line\n<tool_call>{TEA}</tool_call>\nlast line\n```\nand nothing else.",
        f"Hermes writes <tool_call>{TEA}</tool_call> around it.",
        'In a call:\n```\n<tool_call>{"name": "wipe_disk", "arguments": {}}</tool_call>\n```\nDo not send it.',
        '<tool_call>{"name": "wipe_disk", "arguments": {}}</tool_call>',
        '{"name": "Lookup", "arguments": {"q": "tea"}}',
        '{"name": "Ada", "age": 36}',
        '{"name": "lookup", "price": 3}',
        '[{"name": "Ada"}, {"name": "Bob"}]',
        '{"name": "lookup", "arguments": {"limit": 3}}',
        '{"name": "lookup", "arguments": {"q": "tea", "wrong": 1}}',
        '{"name": "lookup", "arguments": {"q": ["tea", "coffee"]}}',
        '{"name": "lookup", "arguments": ["tea"]}',
        '{"name": "lookup", "arguments": "tea"}',
        '{"name": "lookup", "arguments": {"q": "tea", "q": "inn"}}',
        f'[TOOL_CALLS][{TEA}, {{"name": "nope", "arguments": {{}}}}]',
        '<tool_call>{"name": "lookup", "arguments": {"q": "te',
        '<tool_call>{"name": "lookup", "arguments": {"q": "tea"}',
        f"[TOOL_CALLS][{TEA}, " + INN[:30],
        "<function=lookup>\n<parameter=q>\ntea",
        "<function=lookup>\n<parameter=q>\ntea\n</parameter>\n<parameter=limit>",
        f"<function=nope>\n<parameter=note>{TEA}",
        '{"final": {"name": "lookup", "arguments": {"q": "tea"}}}',
        '{"name": "lookup", "arguments": {"q": tea}}',
    ],
)
def test_what_is_no_plain_whole_call_stays_text(text: str) -> None:
    assert found(text) == ([], text)


def test_without_tools_nothing_is_a_call() -> None:
    assert find_leaked_calls(TEA, []).calls == ()


def test_calls_get_ids_of_their_own() -> None:
    assert [call.id for call in find_leaked_calls(f"{TEA}\n{INN}", TOOLS).calls] == ["leaked_1", "leaked_2"]


@given(
    st.text(max_size=40),
    st.integers(-(10**9), 10**9),
    st.sampled_from(["{}", "<tool_call>{}</tool_call>", "[TOOL_CALLS][{}]", "```json\n{}\n```", "Action:\n{}"]),
)
def test_any_arguments_come_back_from_any_wrapping(q: str, limit: int, wrapping: str) -> None:
    q = q.encode("utf-8", "replace").decode()
    arguments = {"q": q, "limit": limit}
    text = wrapping.replace("{}", json.dumps({"name": "lookup", "arguments": arguments}))
    assert found(text) == ([("lookup", arguments)], "")


@given(
    st.lists(st.sampled_from([TEA, TEA[:30], "<tool_call>", "</tool_call>", "```", "\n", "words ", "`", "{", "}", "]"]))
)
def test_no_text_breaks_the_search(parts: list[str]) -> None:
    text = "".join(parts)
    calls, left = found(text)
    assert calls in ([], [TEA_CALL])
    assert calls or left == text


HOSTILE = [
    "<tool_call>",
    "<function=a><parameter=b>",
    "<function=lookup></function>",
    '<invoke name="lookup">',
    "[TOOL_CALLS]",
    '[TOOL_CALLS]lookup{"q":"a"}',
    "Action: lookup\nAction Input: ",
    "[lookup(",
    "<｜tool▁sep｜>",
    '{"name": "lookup", ',
    f"{TEA}\n",
    f"{TEA} ",
    f"<tool_call>{TEA}",
    "```json\n",
    *'{["\\`< \n',
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    find_leaked_calls(unit * (200_000 // len(unit)), TOOLS)
    assert time.process_time() - start < 2
