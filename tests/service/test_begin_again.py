"""The last run of a conversation begun again over HTTP: asked again, or asked better."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from actloop.errors import LLMError
from actloop.testing import ScriptedLLM
from tests.support.paced_llm import PacedLLM
from tests.support.service import TestedService, serving, settings_in


async def whole(service: TestedService, conversation: str) -> dict[str, Any]:
    data: dict[str, Any] = (await service.ask("GET", f"/api/conversations/{conversation}")).data
    return data


async def begin(service: TestedService, conversation: str, query: str, replaces: str) -> tuple[int, dict[str, Any]]:
    path = f"/api/conversations/{conversation}/runs"
    answer = await service.ask("POST", path, {"query": query, "replaces": replaces})
    return answer.status, answer.data


@pytest.mark.asyncio
async def test_a_better_question_takes_the_place_of_the_last_one_and_the_model_never_hears_of_that(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(["one", "One.", "two", "Two.", "three", "Three."])
    async with serving(settings_in(tmp_path), llm) as service:
        conversation = await service.conversation()
        first = await service.start(conversation, "first?")
        await service.events(first)
        second = await service.start(conversation, "secnod?")
        await service.events(second)
        status, started = await begin(service, conversation, "second?", second)
        assert status == 202
        await service.events(started["run_id"])
        data = await whole(service, conversation)
        assert [message["content"] for message in data["messages"]] == ["first?", "One.", "second?", "Three."]
        assert [(run["id"], run["query"]) for run in data["runs"]] == [
            (first, "first?"),
            (started["run_id"], "second?"),
        ]
        assert "secnod?" not in str(llm.requests[4].messages)
        for path in (f"/api/runs/{second}", f"/api/runs/{second}/events"):
            assert (await service.ask("GET", path)).status == 404


@pytest.mark.asyncio
async def test_a_run_that_failed_or_was_cancelled_can_be_begun_again(tmp_path: Path) -> None:
    failing = iter([True, False])

    def script(messages: object) -> str:
        if next(failing, False):
            raise LLMError("the provider is down")
        return "Answer."

    async with serving(settings_in(tmp_path), ScriptedLLM(script)) as service:
        conversation = await service.conversation()
        run = await service.start(conversation, "go")
        await service.events(run)
        assert (await service.state(run))["status"] == "failed"
        status, started = await begin(service, conversation, "go", run)
        assert status == 202
        await service.events(started["run_id"])
        data = await whole(service, conversation)
        assert [message["content"] for message in data["messages"]] == ["go", "Answer."]


@pytest.mark.asyncio
async def test_only_the_last_run_can_be_begun_again_and_only_once_it_has_ended(tmp_path: Path) -> None:
    llm = PacedLLM("The answer.")
    async with serving(settings_in(tmp_path), llm) as service:
        conversation, other = await service.conversation(), await service.conversation()
        run = await service.start(conversation, "go")
        await service.until(lambda: llm.open == 1)
        assert (await begin(service, conversation, "again", run))[0] == 409
        await service.ask("POST", f"/api/runs/{run}/cancel")
        await service.events(run)
        for wrong in ("run_" + "0" * 32, "nonsense", "\0", conversation):
            assert (await begin(service, conversation, "again", wrong))[0] == 409
        assert (await begin(service, other, "again", run))[0] == 409
        llm.finish()
        status, started = await begin(service, conversation, "again", run)
        assert status == 202
        await service.events(started["run_id"])
        status, problem = await begin(service, conversation, "once more", run)
        assert status == 409
        assert "not the last run" in problem["detail"]
        assert [item["query"] for item in (await whole(service, conversation))["runs"]] == ["again"]


@pytest.mark.asyncio
async def test_of_many_who_begin_it_again_at_once_one_wins(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ScriptedLLM(lambda messages: "Answer.")) as service:
        conversation = await service.conversation()
        run = await service.start(conversation, "go")
        await service.events(run)
        answers = await asyncio.gather(*(begin(service, conversation, "again", run) for _ in range(5)))
        assert sorted(status for status, _ in answers) == [202, 409, 409, 409, 409]
        (started,) = [data for status, data in answers if status == 202]
        await service.events(started["run_id"])
        assert [item["id"] for item in (await whole(service, conversation))["runs"]] == [started["run_id"]]


@pytest.mark.asyncio
async def test_a_question_of_its_own_replaces_nothing(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        answer = await service.ask("POST", "/api/ask", {"query": "go", "replaces": "run_" + "0" * 32})
        assert answer.status == 422


@pytest.mark.asyncio
async def test_conversations_are_searched_page_by_page(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        for number in range(3):
            await service.conversation(title=f"Tea {number}")
        await service.conversation(title="Coffee")
        first = (await service.ask("GET", "/api/conversations?q=TEA&limit=2")).data
        assert [item["title"] for item in first["conversations"]] == ["Tea 2", "Tea 1"]
        rest = (await service.ask("GET", f"/api/conversations?q=TEA&limit=2&before={first['next']}")).data
        assert [item["title"] for item in rest["conversations"]] == ["Tea 0"]
        assert rest["next"] is None
        assert (await service.ask("GET", "/api/conversations?q=%25")).data["conversations"] == []


@pytest.mark.asyncio
async def test_the_models_are_named_and_one_is_the_default(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        data = (await service.ask("GET", "/api/models")).data
    assert data == {
        "models": ["general"],
        "default": "general",
        "names": {"general": "scripted"},
        "agents": ["helper"],
    }
