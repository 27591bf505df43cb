"""A run over HTTP, from the question to its last event, and how it is spoken to and ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from actloop import tool
from actloop.errors import LLMError
from actloop.messages import AssistantMessage, ToolCall
from actloop.testing import ScriptedLLM
from actloop.tools import Artifact, Tool, ToolResult
from tests.support.paced_llm import PacedLLM
from tests.support.service import ScriptedAgents, TestedService, serving, settings_in
from tests.support.sse_client import SentEvent, open_stream


def data_of(events: Sequence[SentEvent], name: str) -> list[dict[str, Any]]:
    return [json.loads(event.data) for event in events if event.name == name]


def joined(events: Sequence[SentEvent]) -> str:
    return "".join(data["content"] for data in data_of(events, "answer") if data["status"] == "delta")


class Gate:
    """A tool that waits until the test lets it go."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.left = asyncio.Event()

    def tool(self) -> Tool:
        """The tool ``wait``."""

        @tool
        async def wait() -> str:
            """Wait for the test."""
            self.entered.set()
            await self.left.wait()
            return "waited"

        return wait


def call(name: str, **arguments: Any) -> AssistantMessage:
    return AssistantMessage("", [ToolCall(f"call_{name}", name, arguments)])


async def messages_of(service: TestedService, run: str) -> list[dict[str, Any]]:
    conversation = (await service.state(run))["conversation_id"]
    messages: list[dict[str, Any]] = (await service.ask("GET", f"/api/conversations/{conversation}")).data["messages"]
    return messages


@pytest.mark.asyncio
async def test_a_run_streams_its_events_and_ends_with_done(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["12 files.", "There are 12 files."]) as service:
        run = await service.run("How many files?")
        events = await service.events(run)
        assert [int(event.id) for event in events] == list(range(1, len(events) + 1))
        assert joined(events) == "There are 12 files."
        assert events[-1].name == "done"
        assert data_of(events, "done")[0]["answer"] == "There are 12 files."
        state = await service.state(run)
        assert (state["status"], state["query"]) == ("finished", "How many files?")


@pytest.mark.asyncio
async def test_the_conversation_remembers_and_takes_its_first_question_as_title(tmp_path: Path) -> None:
    llm = ScriptedLLM(["one", "One.", "two", "Two."])
    async with serving(settings_in(tmp_path), llm) as service:
        conversation = await service.conversation()
        await service.events(await service.start(conversation, "first?"))
        await service.events(await service.start(conversation, "second?"))
        whole = (await service.ask("GET", f"/api/conversations/{conversation}")).data
    assert whole["title"] == "first?"
    assert [message["content"] for message in whole["messages"]] == ["first?", "One.", "second?", "Two."]
    assert [run["query"] for run in whole["runs"]] == ["first?", "second?"]
    assert [message.content for message in llm.requests[2].messages[1:]] == ["first?", "One.", "second?"]


@pytest.mark.asyncio
async def test_of_two_starts_at_once_one_is_refused(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path), llm) as service:
        path = f"/api/conversations/{await service.conversation()}/runs"
        answers = await asyncio.gather(*(service.ask("POST", path, {"query": "go"}) for _ in range(5)))
        assert sorted(answer.status for answer in answers) == [202, 409, 409, 409, 409]
        llm.finish()


@pytest.mark.asyncio
async def test_a_message_to_a_running_agent_reaches_it_with_receipts(tmp_path: Path) -> None:
    gate = Gate()
    agents = ScriptedAgents(ScriptedLLM([call("wait"), "found it", "Found it in blue."]), [gate.tool()])
    async with serving(settings_in(tmp_path), agents) as service:
        run = await service.run()
        await gate.entered.wait()
        path = f"/api/runs/{run}/interrupts"
        first = (await service.ask("POST", path, {"content": "in red"})).data
        second = (await service.ask("POST", path, {"content": "forget it"})).data
        assert (first["delivery"], first["run_id"]) == ("run", run)
        assert (await service.ask("PATCH", f"{path}/{first['id']}", {"content": "in blue"})).status == 204
        assert (await service.ask("DELETE", f"{path}/{second['id']}")).status == 204
        gate.left.set()
        receipts = data_of(await service.events(run), "inject")
        assert [(item["content"], item["status"]) for item in receipts if item["id"] == first["id"]] == [
            ("in red", "queued"),
            ("in blue", "queued"),
            ("in blue", "delivered"),
            ("in blue", "answered"),
        ]
        assert [item["status"] for item in receipts if item["id"] == second["id"]] == ["queued", "returned"]
        assert (await service.ask("PATCH", f"{path}/{first['id']}", {"content": "late"})).status == 409
        assert (await service.ask("DELETE", f"{path}/{first['id']}")).status == 409


@pytest.mark.asyncio
async def test_a_message_to_an_ended_run_begins_the_next_turn_and_the_response_says_so(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["one", "One.", "two", "Two."]) as service:
        run = await service.run("first")
        await service.events(run)
        answer = await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "and then?"})
        assert (answer.status, answer.data["delivery"]) == (202, "next_turn")
        following = answer.data["run_id"]
        assert joined(await service.events(following)) == "Two."
        assert (await service.state(following))["query"] == "and then?"
        assert [item["content"] for item in await messages_of(service, run)] == ["first", "One.", "and then?", "Two."]


@pytest.mark.asyncio
async def test_a_message_during_the_answer_is_the_next_turn_by_itself(tmp_path: Path) -> None:
    llm = PacedLLM("The answer.")
    async with serving(settings_in(tmp_path), llm) as service:
        run = await service.run("first")
        await service.until(lambda: llm.open == 1)
        delivery = (await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "and then?"})).data
        assert (delivery["delivery"], delivery["run_id"]) == ("next_turn", None)
        llm.finish()
        events = await service.events(run)
        assert [item["status"] for item in data_of(events, "inject")] == ["queued", "returned"]
        conversation = (await service.state(run))["conversation_id"]
        runs: list[dict[str, Any]] = []
        while len(runs) < 2:
            runs = (await service.ask("GET", f"/api/conversations/{conversation}")).data["runs"]
        assert runs[1]["query"] == "and then?"
        assert joined(await service.events(runs[1]["id"])) == "The answer."


@pytest.mark.asyncio
async def test_a_cancelled_run_ends_at_once_with_what_it_had_and_a_valid_history(tmp_path: Path) -> None:
    llm = PacedLLM("The answer is long.")
    async with serving(settings_in(tmp_path), llm) as service:
        run = await service.run("long?")
        await service.until(lambda: llm.open == 1)
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            events: list[SentEvent] = []
            async for event in stream.events():
                events.append(event)
                if joined(events):
                    assert (await service.ask("POST", f"/api/runs/{run}/cancel")).status == 202
                    break
        events = await service.events(run)
        done = data_of(events, "done")
        assert [item["stop_reason"] for item in done] == ["cancelled"]
        assert done[0]["answer"] == joined(events) == "Th"
        assert llm.open == 0
        assert (await service.state(run))["status"] == "cancelled"
        assert [item["role"] for item in await messages_of(service, run)] == ["user", "assistant"]
        assert (await service.ask("POST", f"/api/runs/{run}/cancel")).status == 202, "an ended run stays as it is"


@pytest.mark.asyncio
async def test_a_run_cancelled_within_a_tool_keeps_a_result_for_each_call(tmp_path: Path) -> None:
    gate = Gate()
    async with serving(settings_in(tmp_path), ScriptedAgents(ScriptedLLM([call("wait")]), [gate.tool()])) as service:
        run = await service.run()
        await gate.entered.wait()
        await service.ask("POST", f"/api/runs/{run}/cancel")
        await service.events(run)
        messages = await messages_of(service, run)
        assert [item["role"] for item in messages] == ["user", "assistant", "tool"]
        assert messages[2]["tool_call_id"] == "call_wait"


@pytest.mark.asyncio
async def test_a_stopped_run_answers_from_what_it_has(tmp_path: Path) -> None:
    gate = Gate()
    agents = ScriptedAgents(ScriptedLLM([call("wait"), "half", "Half of it."]), [gate.tool()])
    async with serving(settings_in(tmp_path), agents) as service:
        run = await service.run()
        await gate.entered.wait()
        assert (await service.ask("POST", f"/api/runs/{run}/stop")).status == 202
        gate.left.set()
        events = await service.events(run)
        assert data_of(events, "done")[0]["stop_reason"] == "stopped"
        assert joined(events) == "Half of it."


@pytest.mark.asyncio
async def test_one_call_can_be_cancelled_and_the_run_goes_on(tmp_path: Path) -> None:
    gate = Gate()
    llm = ScriptedLLM([call("wait"), "without it", "Without it."])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [gate.tool()])) as service:
        run = await service.run()
        await gate.entered.wait()
        assert (await service.ask("POST", f"/api/runs/{run}/calls/call_none/cancel")).status == 409
        assert (await service.ask("POST", f"/api/runs/{run}/calls/call_wait/cancel")).status == 202
        assert joined(await service.events(run)) == "Without it."


@pytest.mark.asyncio
async def test_a_dropped_client_ends_the_run_where_that_is_set(tmp_path: Path) -> None:
    llm = PacedLLM("word " * 50, pieces=50)
    async with serving(settings_in(tmp_path, on_disconnect="cancel"), llm) as service:
        body = json.dumps({"query": "go"}).encode()
        async with open_stream(service.port, "/api/ask", method="POST", body=body) as stream:
            run = stream.headers["actloop-run"]
            events = stream.events()
            await anext(events)
            await anext(events)
            await service.until(lambda: llm.open == 1)
        await asyncio.wait_for(service.until(lambda: llm.open == 0), 2)
        requests = llm.requests
        await service.events(run)
        assert (await service.state(run))["status"] == "cancelled"
        assert llm.requests == requests
        assert [task for task in asyncio.all_tasks() if task.get_name() == run] == []
        assert [item["role"] for item in await messages_of(service, run)] == ["user", "assistant"]


@pytest.mark.asyncio
async def test_a_dropped_client_leaves_the_run_to_finish_by_default(tmp_path: Path) -> None:
    llm = PacedLLM("All of it.")
    async with serving(settings_in(tmp_path), llm) as service:
        body = json.dumps({"query": "go"}).encode()
        async with open_stream(service.port, "/api/ask", method="POST", body=body) as stream:
            run = stream.headers["actloop-run"]
            await anext(stream.events())
        llm.finish()
        assert joined(await service.events(run)) == "All of it."
        assert (await service.state(run))["status"] == "finished"


@pytest.mark.asyncio
async def test_a_shutdown_ends_streams_with_done_and_stores_runs_as_interrupted(tmp_path: Path) -> None:
    gate = Gate()
    agents = ScriptedAgents(ScriptedLLM([call("wait")]), [gate.tool()])
    async with serving(settings_in(tmp_path), agents) as service:
        run = await service.run("wait for me")
        following = asyncio.ensure_future(service.events(run))
        await gate.entered.wait()
        await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "hurry"})
    events = await following
    assert [event.name for event in events[-2:]] == ["error", "done"]
    assert data_of(events, "done")[0]["stop_reason"] == "interrupted"
    async with serving(settings_in(tmp_path), []) as service:
        assert await service.events(run) == events
        assert (await service.state(run))["status"] == "interrupted"
        messages = await messages_of(service, run)
        assert [item["role"] for item in messages] == ["user", "assistant", "tool", "user"]
        assert messages[-1]["content"] == "hurry", "what was said is not lost"


@pytest.mark.asyncio
async def test_a_model_that_fails_midway_ends_the_run_as_failed_with_an_answer(tmp_path: Path) -> None:
    @tool
    def look() -> str:
        """Look."""
        return "seen"

    llm = ScriptedLLM([call("look"), LLMError("the provider is down")])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [look])) as service:
        run = await service.run()
        events = await service.events(run)
        assert data_of(events, "error")[0]["recoverable"] is False
        done = data_of(events, "done")[0]
        assert done["stop_reason"] == "error"
        assert joined(events) == done["answer"] != ""
        assert (await service.state(run))["status"] == "failed"


@pytest.mark.asyncio
async def test_an_artifact_is_stored_and_delivered_so_that_it_cannot_run_as_ours(tmp_path: Path) -> None:
    @tool
    def draw() -> ToolResult:
        """Draw."""
        html = Artifact('a "chart" é\r\n.html', "text/html", "<script>alert(1)</script>")
        return ToolResult("drawn", (html, Artifact("p.png", "image/png", b"\x89PNG\x00")))

    llm = ScriptedLLM([call("draw"), "here", "Here."])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [draw])) as service:
        events = await service.events(await service.run())
        html, png = next(data["artifacts"] for data in data_of(events, "step") if data.get("artifacts"))
        answer = await service.ask("GET", f"/api/artifacts/{html['id']}")
        assert answer.text == "<script>alert(1)</script>"
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
        name = "a%20%22chart%22%20%C3%A9%0D%0A.html"
        assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
        assert (html["size"], png["size"]) == (25, 5)
        shown = await service.ask("HEAD", f"/api/artifacts/{png['id']}")
        assert shown.status == 405


@pytest.mark.asyncio
async def test_more_runs_than_allowed_are_put_off(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path, max_runs=1), llm) as service:
        run = await service.run()
        answer = await service.ask("POST", "/api/ask", {"query": "me too"})
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        llm.finish()
        await service.events(run)


@pytest.mark.asyncio
async def test_text_that_no_encoding_can_say_passes_through_stream_and_store(tmp_path: Path) -> None:
    @tool
    def read() -> str:
        """Read."""
        return "ok \udc97 café " + chr(0xD83D) + " 📁 \0 end"

    llm = ScriptedLLM([call("read"), "fine", "Fine."])
    async with serving(settings_in(tmp_path), ScriptedAgents(llm, [read])) as service:
        run = await service.run("say \0 it")
        steps = data_of(await service.events(run), "step")
        observation = next(data["observation"] for data in steps if "observation" in data)
        assert "ok \ufffd café \ufffd 📁" in observation
        messages = await messages_of(service, run)
        assert "ok \ufffd café \ufffd 📁" in messages[2]["content"]


@pytest.mark.asyncio
async def test_deleting_a_conversation_ends_its_run_and_leaves_nothing(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    async with serving(settings_in(tmp_path), llm) as service:
        conversation = await service.conversation(title="soon gone")
        run = await service.start(conversation)
        await service.until(lambda: llm.open == 1)
        assert (await service.ask("DELETE", f"/api/conversations/{conversation}")).status == 204
        assert llm.open == 0
        for path in (f"/api/conversations/{conversation}", f"/api/runs/{run}", f"/api/runs/{run}/events"):
            assert (await service.ask("GET", path)).status == 404
        assert (await service.ask("GET", "/api/conversations")).data["conversations"] == []
