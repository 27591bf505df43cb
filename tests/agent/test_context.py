"""Long runs: the context is kept inside the window, and the question is never lost."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from actloop.agent import ContextCompacted, ReActAgent
from actloop.context import ContextGuard, ConversationMemory, summary_text
from actloop.errors import ContextOverflow
from actloop.llm import Reply
from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.messages import AssistantMessage, Message, Usage, UserMessage, broken_rule, text_of
from actloop.testing import EventRecorder, ScriptedLLM, ScriptedRequest
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call
from tests.support.strict import violations

_FILLER = "Nothing of interest stands on this page, it goes on and on. " * 34


@tool
def read_page(number: int) -> str:
    """Read a page of the archive."""
    key = "The key of the vault is 7431. " if number == 3 else ""
    return f"Page {number}. {key}{_FILLER}"


class Archive(ScriptedLLM):
    """Reads ``pages`` pages, one a turn, then answers with the key that it still sees; checks each request strictly.

    A request of more than ``window`` tokens (four characters of JSON each) is refused, as a provider would.
    """

    def __init__(self, pages: int, *, window: int = 8_000, native: bool = True) -> None:
        self.refused: list[str] = []
        self.longest = 0
        writer = RequestWriter("m", Quirks(), vision=False)

        def play(messages: Sequence[Message], request: ScriptedRequest) -> Reply | str:
            body = writer.write(messages, tools=request.tools, response_format=request.response_format)
            self.refused += violations(json.loads(body)) + [rule for rule in [broken_rule(messages)] if rule]
            tokens = len(body) // 4
            self.longest = max(self.longest, tokens)
            if tokens > window:
                raise ContextOverflow(f"{tokens} tokens are too many")
            page = len(self.requests)
            if page <= pages:
                asked = call("read_page", f"c{page}", number=page)
                turn = asked if native else AssistantMessage(action("read_page", number=page))
            else:
                keys = set(re.findall(r"key of the vault is (\d+)", "\n".join(text_of(m.content) for m in messages)))
                text = f"The key is {' or '.join(keys) or 'lost'}."
                turn = AssistantMessage(text if native else answer(text))
            return Reply(turn, Usage.of_call(tokens, 20))

        abilities = {"tool_call": True} if native else TEXT_ONLY
        super().__init__(play, abilities=abilities, context_size=window, max_output_tokens=1_000)


def summariser() -> ScriptedLLM:
    """Writes down the keys it reads and nothing else."""

    def write(messages: Sequence[Message]) -> str:
        keys = re.findall(r"The key of the vault is \d+\.", text_of(messages[-1].content))
        return " ".join(["Pages were read.", *sorted(set(keys))])

    return ScriptedLLM(write)


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False], ids=["native", "JSON"])
async def test_after_300_turns_a_fact_of_the_third_is_still_known(native: bool) -> None:
    llm = Archive(300, native=native)
    guard = ContextGuard.for_llm(llm, compact_llm=summariser())
    recorder = EventRecorder()
    agent = ReActAgent(llm, [read_page], context_guard=guard, max_iterations=310, system_prompt="Read every page.")
    result = await agent.run("What is the key of the vault? Read pages 1 to 300.", on_event=recorder)

    assert (result.answer, result.stop_reason) == ("The key is 7431.", "answer")
    assert len(result.steps) == 300
    assert llm.refused == []
    assert llm.longest <= 8_000
    assert all("What is the key of the vault?" in _said(request.messages) for request in llm.requests)
    compactions = recorder.of(ContextCompacted)
    assert 10 < len(compactions) < 100, "each should last for a good many turns"
    assert all(event.kept_messages < event.original_messages for event in compactions)
    assert len([message for message in result.messages if summary_text(message) is not None]) == 1


def _said(messages: Sequence[Message]) -> str:
    return "\n".join(text_of(message.content) for message in messages)


@pytest.mark.asyncio
async def test_an_agent_without_a_guard_of_its_own_still_keeps_to_the_window() -> None:
    llm = Archive(40)
    result = await ReActAgent(llm, [read_page], max_iterations=50).run("Read pages 1 to 40. Which key is there?")
    assert result.stop_reason == "answer"
    assert llm.longest <= 8_000
    assert llm.refused == []


@pytest.mark.asyncio
async def test_what_summaries_cost_is_part_of_the_usage() -> None:
    llm, fast = Archive(30), summariser()
    agent = ReActAgent(llm, [read_page], context_guard=ContextGuard.for_llm(llm, compact_llm=fast))
    result = await agent.run("Read pages 1 to 30.")
    assert len(fast.requests) > 1
    assert result.usage.calls == len(llm.requests) + len(fast.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False], ids=["native", "JSON"])
async def test_a_refused_request_is_made_shorter_and_sent_once_more(native: bool) -> None:
    """The guard believes in a larger window than there is."""
    llm = Archive(20, window=3_000, native=native)
    agent = ReActAgent(llm, [read_page], context_guard=ContextGuard(7_000))
    result = await agent.run("Read pages 1 to 20.")
    assert result.stop_reason == "answer"
    assert llm.longest > 3_000
    assert llm.refused == []


@pytest.mark.asyncio
async def test_a_model_that_refuses_every_length_ends_the_run_with_what_is_there() -> None:
    def script(messages: Sequence[Message]) -> AssistantMessage:
        if len(llm.requests) == 1:
            return call("read_page", number=3)
        raise ContextOverflow("too long")

    llm = ScriptedLLM(script)
    result = await ReActAgent(llm, [read_page]).run("q")
    assert result.stop_reason == "error"
    assert result.error == "too long"
    assert "7431" in result.answer
    assert broken_rule(result.messages) is None
    assert len(llm.requests) < 10
    first, second = (ContextGuard(1).tokens(request.messages) for request in llm.requests[1:3])
    assert second < first


@pytest.mark.asyncio
async def test_a_small_request_that_is_refused_as_too_long_is_sent_once_more_and_spoils_no_later_run() -> None:
    llm = ScriptedLLM([ContextOverflow("too long"), "fine", call("read_page", number=3), "7431"])
    agent = ReActAgent(llm, [read_page])
    assert (await agent.run("q")).answer == "fine"
    assert (await agent.run("Which key stands on page 3?")).answer == "7431"
    assert "The key of the vault is 7431." in _said(llm.requests[-1].messages)


@pytest.mark.asyncio
async def test_a_conclusion_longer_than_the_window_is_cut_for_the_synthesis() -> None:
    llm = ScriptedLLM(["word " * 100_000, "In short: words."], context_size=8_000, max_output_tokens=1_000)
    agent = ReActAgent(llm, [read_page])
    result = await agent.run("q")
    assert len(result.answer) == 500_000
    assert "".join([piece async for piece in agent.stream_answer("q", result)]) == "In short: words."
    assert ContextGuard(1).tokens(llm.requests[-1].messages) <= 7_000


@pytest.mark.asyncio
async def test_a_prompt_that_cannot_fit_is_told_with_numbers_and_asks_no_model() -> None:
    llm = ScriptedLLM([], context_size=400, max_output_tokens=200)
    result = await ReActAgent(llm, [read_page]).run("why? " * 500)
    assert result.stop_reason == "error"
    assert "does not fit the context window" in (result.error or "")
    assert llm.requests == []


@pytest.mark.asyncio
async def test_a_long_conversation_is_compacted_when_it_is_loaded() -> None:
    memory = ConversationMemory(
        [
            message
            for number in range(40)
            for message in (UserMessage(f"question {number}", pinned=True), AssistantMessage(f"answer {number} " * 60))
        ]
    )
    fast = ScriptedLLM(["They asked forty questions."])
    llm = ScriptedLLM(["fine", "still fine"])
    agent = ReActAgent(llm, memory=memory, context_guard=ContextGuard(3_000, compact_llm=fast))
    recorder = EventRecorder()
    await agent.run("and now?", on_event=recorder)

    [event] = recorder.of(ContextCompacted)
    assert event.original_messages == 82
    assert recorder.kinds.index("ContextCompacted") < recorder.kinds.index("ThinkingFinished")
    assert "facts, decisions and tool results" in _said(fast.requests[0].messages)
    assert "They asked forty questions." in _said(llm.requests[0].messages)
    assert len(memory.messages) < 82

    await agent.run("and then?")
    said = _said(llm.requests[1].messages)
    assert [said.count(text) for text in ("They asked forty", "and now?", "fine", "and then?")] == [1, 1, 1, 1]


@pytest.mark.asyncio
async def test_the_synthesis_fits_the_window_too_and_knows_the_summary() -> None:
    llm = Archive(100)
    agent = ReActAgent(
        llm, [read_page], max_iterations=110, context_guard=ContextGuard.for_llm(llm, compact_llm=summariser())
    )
    result = await agent.run("Read pages 1 to 100.")
    said = "".join([piece async for piece in agent.stream_answer("Read pages 1 to 100.", result)])
    assert said == "The key is 7431."
    [question] = [text_of(message.content) for message in llm.requests[-1].messages if message.role == "user"]
    assert "Summary of earlier work:\nPages were read. The key of the vault is 7431." in question
    assert 'read_page({"number": 100})' in question
    assert llm.longest <= 8_000


@pytest.mark.asyncio
async def test_a_synthesis_that_is_refused_as_too_long_is_asked_for_with_less() -> None:
    llm = ScriptedLLM([call("read_page", number=3), "found", ContextOverflow("too long"), "The key is 7431."])
    agent = ReActAgent(llm, [read_page])
    result = await agent.run("q")
    assert "".join([piece async for piece in agent.stream_answer("q", result)]) == "The key is 7431."
    first, second = (len(_said(request.messages)) for request in llm.requests[-2:])
    assert second < first


@pytest.mark.asyncio
async def test_every_call_counts_its_messages_only_once() -> None:
    """Messages keep their count; a later check of the same history counts only what is new."""
    llm = ScriptedLLM([call("read_page", number=1), call("read_page", number=2), "done"])
    result = await ReActAgent(llm, [read_page]).run("q")
    assert all("tokens" in message.memo for message in result.messages[:-1])
