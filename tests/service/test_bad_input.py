"""Whatever is sent, the answer is a clear one: property-tested against the OpenAPI document, and by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error, response_schema_conformance, status_code_conformance
from schemathesis.core.result import Ok

from actloop.testing import ScriptedLLM
from tests.support.service import ScriptedAgents, serving, settings_in
from tests.support.service_thread import served

EXAMPLES = 6


def test_every_address_answers_anything_as_the_openapi_document_says(tmp_path: Path) -> None:
    with served(settings_in(tmp_path), ScriptedAgents(ScriptedLLM(lambda messages: "Answer."))) as url:
        schema = schemathesis.openapi.from_dict(requests.get(f"{url}/openapi.json", timeout=10).json())
        operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        assert len(operations) > 20
        for operation in operations:
            # what has no body is a path and texts, of which nothing can be wrong
            for mode in GenerationMode if operation.body else [GenerationMode.POSITIVE]:

                @settings(max_examples=EXAMPLES)
                @given(case=operation.as_strategy(generation_mode=mode))
                def answers(case: Case[Any]) -> None:
                    case.call_and_validate(
                        base_url=url,
                        checks=[not_a_server_error, status_code_conformance, response_schema_conformance],
                        timeout=10,
                    )

                answers()


def nested(depth: int) -> bytes:
    return b'{"query":' + b"[" * depth + b"]" * depth + b"}"


HOSTILE: list[tuple[bytes, int]] = [
    (b"", 422),
    (b"{", 422),
    (b"\xff\xfe", 422),
    (b"null", 422),
    (b"[]", 422),
    (b'"text"', 422),
    (b"{}", 422),
    (b'{"query": null}', 422),
    (b'{"query": 7}', 422),
    (b'{"query": ""}', 422),
    (b'{"query": " \\n\\t "}', 422),
    (b'{"query": "\\ud800"}', 422),
    (b'{"query": "go", "mode": "dag"}', 422),
    (b'{"query": "go", "mode": "auto"}', 422),
    (b'{"query": "go", "mode": null}', 422),
    (b'{"query": "go", "agent": "nobody"}', 422),
    (b'{"query": "go", "model": "openai:gpt-5"}', 422),
    (b'{"query": "go", "querry": "go"}', 422),
    (b'{"query": NaN}', 422),
    (b'{"query": "' + b"x" * 600_000 + b'"}', 422),
    (b'{"query": "' + b"x" * 800_000 + b'"}', 413),
    (nested(500), 422),
    (nested(100_000), 422),
]


@pytest.mark.asyncio
async def test_a_body_that_is_no_question_is_refused_in_words_and_starts_nothing(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path, max_body_bytes=700_000), []) as service:
        for body, status in HOSTILE:
            answer = await service.ask("POST", "/api/ask", body)
            assert answer.status in {status, 400 if status == 422 else status}, (body[:60], answer.text)
            problem: dict[str, Any] = answer.data
            assert problem["status"] == answer.status
            assert problem["detail"]
            assert len(answer.text) < 4_000, "what was sent is not repeated"
        assert service.parts.runner.active == 0
        assert (await service.ask("GET", "/healthz")).status == 200


@pytest.mark.asyncio
async def test_an_address_is_written_in_one_way_and_leads_nowhere_else(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        for path in ("/api/models/", "//api/models", "/v1/models/", "/API/models"):
            assert (await service.ask("GET", path)).status == 404, path


@pytest.mark.asyncio
async def test_a_conversation_begins_without_a_body_as_well(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        assert (await service.ask("POST", "/api/conversations")).status == 201


@pytest.mark.asyncio
async def test_an_id_that_cannot_be_one_is_not_found(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        for id in ("x", "run_", "run_" + "0" * 32, "%00", "..%2F..%2Fetc", "run_%F0%9F%93%81", "a" * 3_000, "%ff", "'"):
            for path in ("/api/runs/{}", "/api/runs/{}/events", "/api/conversations/{}", "/api/artifacts/{}"):
                assert (await service.ask("GET", path.format(id))).status == 404, (path, id)


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "before=x", "before=1.5", "before=1.5_conv_0"])
async def test_a_page_that_cannot_be_is_refused(tmp_path: Path, query: str) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        assert (await service.ask("GET", f"/api/conversations?{query}")).status == 422
