"""The examples do what they say, with a scripted model."""

from __future__ import annotations

import asyncio

import pytest

from actloop.messages import ToolMessage
from actloop.testing import ScriptedLLM
from examples import events, guarded, stock
from tests.agent.helpers import call, calls


def test_stock_asks_the_tool() -> None:
    llm = ScriptedLLM([call("stock", item="cups"), "12 cups are left."])
    assert stock.main(llm) == "12 cups are left."
    assert llm.requests[1].messages[-1].content == "12"


def test_events_follows_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    turn = calls(("population", {"city": "Oslo"}), ("population", {"city": "Bergen"}))
    answer = asyncio.run(events.main(ScriptedLLM([turn, "Oslo", "Oslo is larger."])))
    assert answer == "Oslo is larger."
    printed = capsys.readouterr().out
    assert "→ population({'city': 'Oslo'})" in printed
    assert "← 291000" in printed
    assert "2 turns" in printed


def test_guarded_keeps_mails_inside_and_remembers() -> None:
    turn = calls(
        ("send_mail", {"to": "eve@evil.test", "text": "noon"}), ("send_mail", {"to": "ada@example.com", "text": "noon"})
    )
    llm = ScriptedLLM([turn, "Only Ada could be told.", "To Ada."])
    assert asyncio.run(guarded.main(llm)) == "To Ada."
    assert guarded.sent == ["ada@example.com"]
    results = [m.content for m in llm.requests[1].messages if isinstance(m, ToolMessage)]
    assert "may only go to example.com" in results[0]
    assert "Only Ada could be told." in [message.content for message in llm.requests[2].messages]
