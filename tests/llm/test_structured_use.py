"""Schemas of real use on every level: a plan, a tool list, an extraction from Chinese text, nested unions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actloop.llm.structured import structured_llm_call
from actloop.messages import AssistantMessage, ToolCall, UserMessage
from actloop.testing import ScriptedLLM

LEVELS = {"native": {"tool_call": True}, "json_mode": {"json_mode": True, "json_schema": True}, "plain_text": {}}

_STEP = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "task": {"type": "string"},
        "dependencies": {"type": "array", "items": {"type": "string"}},
        "tool_hint": {"type": ["string", "null"]},
        "model_hint": {"type": ["string", "null"]},
    },
    "required": ["id", "task", "dependencies"],
}
_ACTION = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"type": {"const": "move"}, "to": {"$ref": "#/$defs/Place"}},
            "required": ["type", "to"],
        },
        {
            "type": "object",
            "properties": {"type": {"const": "wait"}, "seconds": {"type": "number"}},
            "required": ["type", "seconds"],
        },
    ]
}
_PLACE = {
    "oneOf": [
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x", "y"],
        },
    ]
}

USES: list[Any] = [
    pytest.param(
        {
            "type": "object",
            "properties": {"steps": {"type": "array", "items": _STEP, "minItems": 2}},
            "required": ["steps"],
        },
        {
            "steps": [
                {"id": 1, "task": "look", "dependencies": []},
                {"id": 2, "task": "tell", "dependencies": 1, "tool_hint": None, "model_hint": "fast"},
            ]
        },
        {
            "steps": [
                {"id": "1", "task": "look", "dependencies": []},
                {"id": "2", "task": "tell", "dependencies": ["1"], "tool_hint": None, "model_hint": "fast"},
            ]
        },
        id="plan",
    ),
    pytest.param(
        {
            "type": "object",
            "properties": {"tools": {"type": "array", "items": {"type": "string"}}},
            "required": ["tools"],
        },
        {"tools": "calculator"},
        {"tools": ["calculator"]},
        id="tools",
    ),
    pytest.param(
        {
            "type": "object",
            "properties": {
                "姓名": {"type": "string"},
                "年龄": {"type": "integer"},
                "职业": {"enum": ["工程师", "医生"]},
            },
            "required": ["姓名", "年龄"],
            "additionalProperties": False,
        },
        {"姓名": "张伟", "年龄": "28", "职业": " 工程师"},
        {"姓名": "张伟", "年龄": 28, "职业": "工程师"},
        id="Chinese",
    ),
    pytest.param(
        {"type": "array", "items": _ACTION, "$defs": {"Place": _PLACE}},
        [{"type": "move", "to": {"x": "1", "y": 2}}, {"type": "wait", "seconds": "0.5"}],
        [{"type": "move", "to": {"x": 1, "y": 2}}, {"type": "wait", "seconds": 0.5}],
        id="unions",
    ),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("schema", "written", "data"), USES)
@pytest.mark.asyncio
async def test_a_slightly_wrong_reply_gives_the_right_data_in_one_call(
    level: str, schema: dict[str, Any], written: Any, data: Any
) -> None:
    wrapped = written if isinstance(written, dict) else {"value": written}
    reply: Any = AssistantMessage("", [ToolCall("c", "result", wrapped)])
    if level != "native":
        reply = f"Here you are:\n```json\n{json.dumps(wrapped, ensure_ascii=False)}\n```\nI hope this helps."
    llm = ScriptedLLM([reply], abilities=LEVELS[level])
    result = await structured_llm_call(llm, [UserMessage("go")], schema, "result")
    assert (result.value, result.level_used, result.llm_calls) == (data, level, 1)
