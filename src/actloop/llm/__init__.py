"""Layer 2: talking to models. Knows messages; no tools that run, no agents. Whoever wires an adapter imports it."""

import typing

from actloop.llm.arguments import FittedArguments, UnreadableArguments, fit_arguments, parse_arguments
from actloop.llm.base import (
    LLM,
    NO_ABILITIES,
    CallDelta,
    ChatOptions,
    Delta,
    EndDelta,
    FinishReason,
    ReasoningDelta,
    Reply,
    ResponseFormat,
    TextDelta,
    ToolChoice,
    named_tool_choice,
)
from actloop.llm.fallback import FallbackLLM
from actloop.llm.json_schema import Problem
from actloop.llm.leaked_calls import LeakedCalls, find_leaked_calls, is_only_a_call
from actloop.llm.load import load_llm
from actloop.llm.observed import Observed, can, observed
from actloop.llm.prices import price_of
from actloop.llm.reasoning import ReasoningSplitter, split_reasoning
from actloop.llm.registry import ModelRegistry
from actloop.llm.reply import RawCall, ReplyBuilder, build_reply, collect, read_call, sound_reply
from actloop.llm.retry import RetryLLM, before_retry
from actloop.llm.schema_tidy import tidy_schema
from actloop.llm.tool_names import provider_tool_names, resolve_tool_name
from actloop.llm.typed_dicts import with_portable_typed_dicts
from actloop.llm.wrapped import WrappedLLM

__all__ = [
    "LLM",
    "NO_ABILITIES",
    "CallDelta",
    "ChatOptions",
    "Delta",
    "EndDelta",
    "Extraction",
    "FallbackLLM",
    "FinishReason",
    "FittedArguments",
    "Found",
    "LeakedCalls",
    "Malformed",
    "ModelRegistry",
    "Observed",
    "Problem",
    "RanOut",
    "RawCall",
    "ReasoningDelta",
    "ReasoningSplitter",
    "Reply",
    "ReplyBuilder",
    "ResponseFormat",
    "RetryLLM",
    "StructuredCallResult",
    "TextDelta",
    "ToolChoice",
    "UnreadableArguments",
    "WrappedLLM",
    "before_retry",
    "build_reply",
    "can",
    "collect",
    "extract_json",
    "extract_json_value",
    "find_leaked_calls",
    "fit_arguments",
    "is_only_a_call",
    "load_llm",
    "named_tool_choice",
    "observed",
    "parse_arguments",
    "price_of",
    "provider_tool_names",
    "read_call",
    "resolve_tool_name",
    "sound_reply",
    "split_reasoning",
    "structured_llm_call",
    "tidy_schema",
    "with_portable_typed_dicts",
]

if typing.TYPE_CHECKING:
    from actloop.llm.extract import Extraction, Found, Malformed, RanOut, extract_json, extract_json_value
    from actloop.llm.structured import StructuredCallResult, structured_llm_call
else:
    # what reads data out of text has many patterns to compile, and not every agent asks for data
    _LATE = {name: "extract" for name in __all__ if name.startswith("extract_json")}
    _LATE |= dict.fromkeys(("Extraction", "Found", "Malformed", "RanOut"), "extract")
    _LATE |= dict.fromkeys(("StructuredCallResult", "structured_llm_call"), "structured")

    def __getattr__(name: str) -> typing.Any:
        if name not in _LATE:
            raise AttributeError(f"module 'actloop.llm' has no attribute {name!r}")
        from importlib import import_module

        thing = globals()[name] = getattr(import_module(f"actloop.llm.{_LATE[name]}"), name)
        return thing
