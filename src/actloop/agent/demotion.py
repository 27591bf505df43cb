"""Demotion: a model that does not do what it advertises goes on in JSON mode.

The stored history does not change; the JSON dialect tells the native turns in it as text.
"""

from __future__ import annotations

from actloop.agent.dialect import Dialect
from actloop.agent.events import Emit, PhaseStarted
from actloop.agent.native import NativeDialect
from actloop.agent.settings import AgentSettings
from actloop.errors import UnsupportedParameter
from actloop.llm import LLM, observed

__all__ = ["demote", "native_mode_possible", "next_dialect"]

_TOOL_PARAMETERS = ("tools", "tool_choice")


def native_mode_possible(llm: LLM, settings: AgentSettings) -> bool:
    """Whether this model instance advertises native tool calls and has not been seen to lack them."""
    record = observed(llm)
    return (
        bool(llm.abilities.get("tool_call"))
        and "tool_call" not in record.refused
        and record.leaked_runs < settings.demote_after_runs
    )


def demote(llm: LLM, dialect: Dialect, emit: Emit) -> Dialect:
    """After a call that leaked into the text: this run goes on in JSON mode, and the leak is remembered."""
    if not isinstance(dialect, NativeDialect):
        return dialect
    observed(llm).leaked_runs += 1
    emit(PhaseStarted("demoted", reason="The model wrote a tool call as text; this run goes on in JSON mode."))
    return _json_dialect(llm)


def next_dialect(llm: LLM, dialect: Dialect, error: UnsupportedParameter, emit: Emit) -> Dialect:
    """The dialect to ask again in after the provider refused a parameter; raises ``error`` when none is humbler."""
    record = observed(llm)
    if error.parameter in _TOOL_PARAMETERS and isinstance(dialect, NativeDialect):
        record.refused.add("tool_call")
        emit(PhaseStarted("demoted", reason="The provider refuses tools for this model; it goes on in JSON mode."))
        return _json_dialect(llm)
    if error.parameter == "response_format" and not isinstance(dialect, NativeDialect):
        missing = next(
            (a for a in ("json_schema", "json_mode") if llm.abilities.get(a) and a not in record.refused), None
        )
        if missing is not None:
            record.refused.add(missing)
            return dialect
    raise error


def _json_dialect(llm: LLM) -> Dialect:
    from actloop.agent.json_mode import JsonDialect  # few models come to need it

    return JsonDialect(llm)
