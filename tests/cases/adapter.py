"""The one adapter: binds every job and scenario of the case files to the part of the product that does it."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable, Mapping
from typing import Any

from actloop.errors import ActloopError
from actloop.llm import UnreadableArguments
from tests.cases.jobs_of_context import compact, estimate_tokens_job
from tests.cases.jobs_of_models import (
    accumulate_stream,
    extract_json_job,
    extract_json_value_job,
    leaked_tool_calls,
    parse_arguments_job,
    provider_messages,
    split_reasoning_job,
    structured_text,
    sum_usage,
    valid_history_job,
)
from tests.cases.jobs_of_streams import sse_decode, sse_roundtrip
from tests.cases.jobs_of_tools import (
    path_allowed,
    provider_tool_names_job,
    resolve_tool_name_job,
    tool_schema,
    url_allowed,
)
from tests.cases.outcome import CannotRun, Outcome
from tests.cases.run_scenario import run_scenario
from tests.cases.run_structured import run_structured
from tests.cases.selected_tools import select_tools

__all__ = ["outcome_of"]

Job = Callable[[Mapping[str, Any]], Outcome]

JOBS: dict[str, Job] = {
    "accumulate_stream": accumulate_stream,
    "compact": compact,
    "estimate_tokens": estimate_tokens_job,
    "extract_json": extract_json_job,
    "extract_json_value": extract_json_value_job,
    "leaked_tool_calls": leaked_tool_calls,
    "parse_arguments": parse_arguments_job,
    "path_allowed": path_allowed,
    "provider_messages": provider_messages,
    "provider_tool_names": provider_tool_names_job,
    "resolve_tool_name": resolve_tool_name_job,
    "select_tools": select_tools,
    "split_reasoning": split_reasoning_job,
    "sse_decode": sse_decode,
    "sse_roundtrip": sse_roundtrip,
    "structured_text": structured_text,
    "sum_usage": sum_usage,
    "tool_schema": tool_schema,
    "url_allowed": url_allowed,
    "valid_history": valid_history_job,
}


def outcome_of(given: Mapping[str, Any]) -> Outcome:
    """Do what `input` asks for.

    Errors that the product documents are an outcome; anything else that it raises is a fault. Raises `CannotRun` for a
    job or scenario that is not known, or a scenario told in prose.
    """
    given = _evaluated(given)
    try:
        if "fn" in given:
            return _job(given["fn"])(given)
        if given.get("scenario") == "run":
            return asyncio.run(run_scenario(given))
        if given.get("scenario") == "structured":
            return asyncio.run(run_structured(given))
    except (ActloopError, UnreadableArguments) as error:
        return Outcome(error=str(error) or type(error).__name__)
    raise CannotRun(f"unknown scenario {given.get('scenario')!r}")


def _job(name: str) -> Job:
    if name not in JOBS:
        raise CannotRun(f"unknown fn {name!r}")
    return JOBS[name]


def _evaluated(given: Mapping[str, Any]) -> dict[str, Any]:
    """`text_py` and its like are Python expressions, for inputs too long to write out; only builtins are at hand."""
    result: dict[str, Any] = {}
    for key, value in given.items():
        if key.endswith("_py"):
            result[key.removesuffix("_py")] = eval(value, {"__builtins__": builtins})
        else:
            result[key] = value
    return result
