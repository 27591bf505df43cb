"""Layer 2: talking to models. Knows messages; no tools that run, no agents."""

from actloop.llm.arguments import UnreadableArguments, parse_arguments
from actloop.llm.base import (
    LLM,
    NO_ABILITIES,
    CallDelta,
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
from actloop.llm.observed import Observed, can, observed
from actloop.llm.prices import price_of
from actloop.llm.reasoning import ReasoningSplitter, split_reasoning
from actloop.llm.reply import RawCall, ReplyBuilder, build_reply, collect, read_call

__all__ = [
    "CallDelta",
    "Delta",
    "EndDelta",
    "FinishReason",
    "LLM",
    "NO_ABILITIES",
    "Observed",
    "RawCall",
    "ReasoningDelta",
    "ReasoningSplitter",
    "Reply",
    "ReplyBuilder",
    "ResponseFormat",
    "TextDelta",
    "ToolChoice",
    "UnreadableArguments",
    "build_reply",
    "can",
    "collect",
    "named_tool_choice",
    "observed",
    "parse_arguments",
    "price_of",
    "read_call",
    "split_reasoning",
]
