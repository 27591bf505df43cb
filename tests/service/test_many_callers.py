"""Many callers who do anything at any time: whatever comes together, each run ends and its events are whole."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import pytest

from actloop import tool
from actloop.llm import ChatOptions, Delta, EndDelta, Reply, TextDelta
from actloop.messages import AssistantMessage, Message, ToolCall, Usage, broken_rule
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in
from tests.support.sse_client import open_stream

_USAGE = Usage.of_call(1, 1)


class WhimsicalLLM:
    """Calls a tool, or fails, or answers, a moment later."""

    abilities: Mapping[str, bool] = {"tool_call": True}
    context_size = 128_000
    max_output_tokens = 4_096

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """Whatever comes to its mind."""
        await asyncio.sleep(self._chance.random() / 100)
        what = self._chance.random()
        if what < 0.1:
            raise RuntimeError("a fault of the model's own")
        if what < 0.5:
            calls = [ToolCall(f"call_{number}", "look", {"at": number}) for number in range(self._chance.randint(1, 3))]
            return Reply(AssistantMessage("", calls), _USAGE)
        return Reply(AssistantMessage("brief"), _USAGE)

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """Some words."""
        for _ in range(self._chance.randint(1, 5)):
            await asyncio.sleep(self._chance.random() / 100)
            yield TextDelta("word ")
        yield EndDelta("stop", _USAGE)

    async def aclose(self) -> None:
        """Nothing to close."""


class Callers:
    """Do one thing after the other to a few conversations that they all know."""

    def __init__(self, service: TestedService, chance: random.Random, conversations: list[str]) -> None:
        self._service = service
        self._chance = chance
        self._conversations = conversations
        self._runs = ["run_" + "0" * 32]

    async def act(self) -> None:
        """Do something; nothing of it may be a fault of the service's own."""
        conversation, run = self._chance.choice(self._conversations), self._chance.choice(self._runs)
        match self._chance.randrange(12):
            case 0 | 1 | 2 | 3:
                await self._ask("POST", f"/api/conversations/{conversation}/runs", {"query": "go"})
            case 4 | 5:
                await self._ask("POST", f"/api/runs/{run}/interrupts", {"content": "and then?"})
            case 6:
                await self._ask("DELETE", f"/api/runs/{run}/interrupts/int_1")
            case 7:
                await self._ask("POST", f"/api/runs/{run}/{self._chance.choice(['stop', 'cancel'])}")
            case 8:
                await self._ask("POST", f"/api/runs/{run}/calls/call_0/cancel")
            case 9 if self._chance.random() < 0.2:
                await self._ask("DELETE", f"/api/conversations/{conversation}")
            case 10:
                whole = await self._ask("GET", f"/api/conversations/{conversation}")
                if last := whole.get("runs", [])[-1:]:
                    again = {"query": "again", "replaces": last[0]["id"]}
                    await self._ask("POST", f"/api/conversations/{conversation}/runs", again)
            case _:
                await self._read(run, cut_after=self._chance.choice([None, 50, 400]))

    async def _ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        answer = await self._service.ask(method, path, body)
        assert answer.status in {200, 202, 204, 404, 409, 503}, (method, path, answer)
        data: dict[str, Any] = answer.data if answer.text else {}
        if isinstance(run := data.get("run_id"), str):
            self._runs.append(run)
        return data

    async def _read(self, run: str, cut_after: int | None) -> None:
        try:
            async with open_stream(self._service.port, f"/api/runs/{run}/events", cut_after=cut_after) as stream:
                assert stream.status in {200, 404, 503}
                if stream.status == 200:
                    async for _ in stream.events():
                        pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass


@pytest.mark.asyncio
@pytest.mark.parametrize("on_disconnect", ["finish", "cancel"])
async def test_each_run_ends_and_its_events_are_whole(tmp_path: Path, on_disconnect: str) -> None:
    chance = random.Random(7)

    @tool
    async def look(at: int) -> str:
        """Look."""
        await asyncio.sleep(chance.random() / 50)
        return f"seen {at}"

    agents = ScriptedAgents(WhimsicalLLM(chance), [look])
    async with serving(settings_in(tmp_path, max_runs=4, on_disconnect=on_disconnect), agents) as service:
        conversations = [await service.conversation() for _ in range(4)]
        callers = Callers(service, chance, conversations)

        async def caller() -> None:
            for _ in range(12):
                await callers.act()

        await asyncio.gather(*(caller() for _ in range(8)))
        await service.until(lambda: service.parts.runner.active == 0 and not service.parts.streams)
        for conversation in conversations:
            whole = await service.ask("GET", f"/api/conversations/{conversation}")
            for run in whole.data.get("runs", ()):
                assert run["status"] != "running"
                events = await service.events(run["id"])
                assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]
                assert [event.name for event in events].count("done") == 1
                assert events[-1].name == "done"
            assert broken_rule(await service.parts.conversations.history(conversation)) is None
