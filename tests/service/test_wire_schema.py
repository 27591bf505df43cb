"""The schema of the events, against the events themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from actloop.agent import AgentEvent
from actloop.service.wire import wire_event
from actloop.service.wire_schema import add_wire_schema, wire_schema
from tests.service.test_wire import WIRE_FORM
from tests.support.service import serving, settings_in


@pytest.mark.parametrize(("event", "name", "data"), WIRE_FORM)
def test_every_event_is_as_the_schema_says(event: AgentEvent, name: str, data: dict[str, Any]) -> None:
    validator = jsonschema_rs.validator_for(wire_schema())
    sent, told = wire_event(event)
    validator.validate({"event": sent, "data": told})
    assert not validator.is_valid({"event": sent, "data": {}})
    assert not validator.is_valid({"event": "other", "data": told})


def test_an_openapi_document_gets_it_with_all_its_parts() -> None:
    document = add_wire_schema({"components": {"schemas": {"Other": {}}}})
    schemas = document["components"]["schemas"]
    named = {arm["properties"]["event"]["const"] for arm in schemas["WireEvent"]["oneOf"]}
    assert named == {"phase", "step", "answer", "compact", "inject", "error", "done", "reset"}
    assert {"Other", "StepData", "DoneData", "ArtifactData"} <= schemas.keys()
    references = [part.split('"')[0] for part in str(schemas).replace("'", '"').split("#/components/schemas/")[1:]]
    assert set(references) <= schemas.keys()


@pytest.mark.asyncio
async def test_the_openapi_document_says_what_a_stream_sends(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        document = (await service.ask("GET", "/openapi.json")).data
    for path, method in (("/api/ask", "post"), ("/api/runs/{run_id}/events", "get")):
        sent = document["paths"][path][method]["responses"]["200"]["content"]["text/event-stream"]["itemSchema"]
        assert {arm["properties"]["event"]["const"] for arm in sent["oneOf"]} >= {"step", "answer", "done"}
