"""What happens at the same time: starts and limits, deletion and next turns, a shutdown and a database that fails."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from actloop import tool
from actloop.service.parts import running_parts
from actloop.service.runs import active_run, local
from actloop.service.server import Server
from actloop.service.store.database import StoreError
from actloop.service.store.runs import ConversationGone
from actloop.testing import ScriptedLLM
from actloop.tools import Tool
from tests.service.test_broken_database import locked
from tests.service.test_runs import Gate, call, joined, messages_of
from tests.support.paced_llm import PacedLLM
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in

CHAT = {"model": "actloop", "messages": [{"role": "user", "content": "go"}]}


async def with_a_message_too_late(service: TestedService, llm: PacedLLM) -> tuple[str, str]:
    """A conversation whose run is at its answer, with a message that will be the next turn; and that run."""
    conversation = await service.conversation()
    run = await service.start(conversation, "first")
    await service.until(lambda: llm.open == 1)
    answer = await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "and then?"})
    assert (answer.data["delivery"], answer.data["run_id"]) == ("next_turn", None)
    return conversation, run


@pytest.mark.asyncio
async def test_many_starts_at_once_are_not_more_runs_than_allowed(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path, max_runs=3), llm) as service:
        paths = [f"/api/conversations/{await service.conversation()}/runs" for _ in range(10)]
        answers = await asyncio.gather(*(service.ask("POST", path, {"query": "go"}) for path in paths))
        assert sorted(answer.status for answer in answers) == [202] * 3 + [503] * 7
        llm.finish()


@pytest.mark.asyncio
async def test_a_streamed_chat_that_finds_no_room_is_refused_before_it_begins(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path, max_runs=1), llm) as service:
        run = await service.run()
        for stream in (True, False):
            answer = await service.ask("POST", "/v1/chat/completions", {**CHAT, "stream": stream})
            assert (answer.status, answer.data["error"]["type"]) == (503, "server_error")
        llm.finish()
        await service.events(run)
        await service.until(lambda: service.parts.runner.active == 0)
        answer = await service.ask("POST", "/v1/chat/completions", {**CHAT, "stream": True})
        assert answer.status == 200
        assert answer.text.endswith("data: [DONE]\n\n")


@pytest.mark.asyncio
async def test_a_question_that_is_refused_leaves_no_conversation(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        assert (await service.ask("POST", "/api/ask", {"query": "go", "agent": "nobody"})).status == 422
        assert (await service.ask("GET", "/api/conversations")).data["conversations"] == []


@pytest.mark.asyncio
async def test_a_deleted_conversation_has_no_next_turn(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path), llm) as service:
        conversation, _ = await with_a_message_too_late(service, llm)
        llm.finish()
        assert (await service.ask("DELETE", f"/api/conversations/{conversation}")).status == 204
        await service.until(lambda: service.parts.runner.active == 0)
        assert (await service.ask("GET", f"/api/conversations/{conversation}")).status == 404
        assert llm.open == 0


@pytest.mark.asyncio
async def test_nothing_begins_in_a_conversation_that_is_being_deleted(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        conversation = await service.conversation()
        path = f"/api/conversations/{conversation}/runs"
        async with service.parts.runner.forgetting(conversation):
            assert (await service.ask("POST", path, {"query": "go"})).status == 404
            assert await service.parts.conversations.get(conversation, "local") is not None
        found = await service.parts.conversations.get(conversation, "local")
        assert found is not None
        await service.parts.conversations.delete(conversation)
        with pytest.raises(ConversationGone):  # as when it was looked up before
            await service.parts.runner.start(found, "go")


@pytest.mark.asyncio
async def test_a_run_whose_conversation_another_machine_deleted_ends(tmp_path: Path) -> None:
    gate = Gate()
    agents = ScriptedAgents(ScriptedLLM([call("wait"), "brief", "Never said."]), [gate.tool()])
    async with serving(settings_in(tmp_path), agents) as service:
        conversation = await service.conversation()
        run = await service.start(conversation)
        await gate.entered.wait()
        await service.parts.conversations.delete(conversation)
        runner = service.parts.runner
        assert isinstance(runner, local.LocalRunner)
        runner._active[run].queue.put("anything that makes an event")
        await service.until(lambda: service.parts.runner.active == 0)


@pytest.mark.asyncio
async def test_a_next_turn_that_the_database_refuses_waits_and_the_service_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path), llm) as service:

        async def fails(*_: Any, **__: Any) -> None:
            raise StoreError("the database cannot be used now")

        conversation, run = await with_a_message_too_late(service, llm)
        with monkeypatch.context() as patched:
            patched.setattr(service.parts.runs, "create", fails)
            llm.finish()
            await service.events(run)
            await service.until(lambda: service.parts.runner.active == 0)
        assert (await service.ask("GET", "/healthz")).status == 200
        assert joined(await service.events(await service.start(conversation, "second"))) == "Done."
        said = [item["content"] for item in await messages_of(service, run) if item["role"] == "user"]
        assert said[:2] == ["first", "second"]
        assert "and then?" in said[2]


@pytest.mark.asyncio
async def test_a_shutdown_while_the_database_is_locked_ends_and_the_next_start_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_CLOSE_SECONDS", 0.2)
    llm = PacedLLM("Done.")
    impatient = f"sqlite:///{tmp_path / 'service.db'}?timeout=0.02"
    with ExitStack() as after_the_shutdown:
        async with serving(settings_in(tmp_path, database_url=impatient), llm) as service:
            _, run = await with_a_message_too_late(service, llm)
            after_the_shutdown.enter_context(locked(tmp_path / "service.db"))
    async with serving(settings_in(tmp_path), llm) as service:
        assert (await service.state(run))["status"] == "interrupted"
        assert (await service.events(run))[-1].name == "done"


@pytest.mark.asyncio
async def test_no_more_waits_for_an_agent_than_it_could_read(tmp_path: Path) -> None:
    gate = Gate()
    agents = ScriptedAgents(ScriptedLLM([call("wait"), "brief", "Read."]), [gate.tool()])
    async with serving(settings_in(tmp_path), agents) as service:
        run = await service.run()
        await gate.entered.wait()
        path = f"/api/runs/{run}/interrupts"
        answers = [await service.ask("POST", path, {"content": f"no. {number}"}) for number in range(60)]
        assert [answer.status for answer in answers] == [202] * 50 + [429] * 10
        assert answers[-1].headers["retry-after"] == "5"
        assert (await service.ask("DELETE", f"{path}/{answers[0].data['id']}")).status == 204
        assert (await service.ask("POST", path, {"content": "x" * 499_990})).status == 429
        assert (await service.ask("POST", path, {"content": "again"})).status == 202
        gate.left.set()
        assert joined(await service.events(run)) == "Read."


@pytest.mark.asyncio
async def test_a_message_to_a_run_that_ends_just_now_is_the_next_turn(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["brief", "One.", "brief", "Two."]) as service:
        parts = service.parts
        run = await parts.runs.get(id := await service.run(), "local")
        assert run is not None
        await service.events(id)
        await service.until(lambda: parts.runner.active == 0)
        conversation = await parts.conversations.get(run.conversation_id, "local")
        assert conversation is not None
        stale = await parts.runner.interrupt(run, conversation, "and then?")  # it was looked up while it ran
        assert stale.delivery == "next_turn"
        assert stale.run_id is not None
        assert joined(await service.events(stale.run_id)) == "Two."
        assert await parts.runner.cancel(run) is False


def lingering(entered: asyncio.Event, left: asyncio.Event) -> Tool:
    """A tool that does not let itself be cancelled."""

    @tool
    async def linger() -> str:
        """Wait, whatever comes."""
        entered.set()
        while not left.is_set():
            with suppress(asyncio.CancelledError):
                await left.wait()
        return "too late"

    return linger


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["cancelled", "interrupted"])
async def test_a_run_ends_without_a_tool_that_does_not_let_itself_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(active_run, "_END_SECONDS", 0.1)
    entered, left = asyncio.Event(), asyncio.Event()
    llm = ScriptedLLM([call("linger"), "brief", "On we go.", "brief", "Again."])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [lingering(entered, left)])) as service:
        run = await service.run("first")
        await entered.wait()
        await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "hurry"})
        if how == "cancelled":
            await service.ask("POST", f"/api/runs/{run}/cancel")
            assert (await service.events(run))[-1].name == "done"
            await service.until(lambda: service.parts.runner.active == 0)
            conversation = (await service.state(run))["conversation_id"]
            assert joined(await service.events(await service.start(conversation, "second"))) == "On we go."
            left.set()
            await service.until(lambda: all(task.get_name() != run for task in asyncio.all_tasks()))
        else:
            asyncio.get_running_loop().call_later(0.5, left.set)
    async with serving(settings_in(tmp_path), []) as service:
        assert (await service.state(run))["status"] == how
        messages = await messages_of(service, run)
        assert [item["role"] for item in messages[:3]] == ["user", "assistant", "tool"]
        said = [str(item["content"]) for item in messages if item["role"] == "user"]
        assert said[0] == "first"
        assert sum("hurry" in text for text in said) == 1
        assert "too late" not in str(messages)


@pytest.mark.asyncio
async def test_a_run_that_is_cancelled_before_it_begins_leaves_its_question(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        found = await service.parts.conversations.get(await service.conversation(), "local")
        assert found is not None
        run = await service.parts.runner.start(found, "never mind")
        await service.parts.runner.cancel(run)
        assert [event.name for event in await service.events(run.id)] == ["done"]
        assert [item["content"] for item in await messages_of(service, run.id)] == ["never mind"]


@pytest.mark.asyncio
async def test_a_second_ctrl_c_does_not_wait_for_a_run_that_does_not_end(tmp_path: Path) -> None:
    entered, left = asyncio.Event(), asyncio.Event()
    agents = ScriptedAgents(ScriptedLLM([call("linger")]), [lingering(entered, left)])
    async with running_parts(settings_in(tmp_path), agents) as parts:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = Server(parts)
            serving_now = asyncio.create_task(server._serve([listener]))
            found = await parts.conversations.create("local")
            run = await parts.runner.start(found, "go")
            await entered.wait()
            began = time.monotonic()
            server.handle_exit(signal.SIGINT, None)
            await asyncio.sleep(0.2)
            assert not serving_now.done()
            server.handle_exit(signal.SIGINT, None)
            await serving_now
    assert time.monotonic() - began < active_run._END_SECONDS
    left.set()
    async with serving(settings_in(tmp_path), []) as service:
        assert (await service.state(run.id))["status"] == "interrupted"
