"""Layer 4: one agent, one loop. Knows models, tools and context; not plans, settings files, HTTP or terminals."""

from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReady,
    AnswerRestarted,
    AnswerStarted,
    ContextCompacted,
    Emit,
    ErrorOccurred,
    InterruptChanged,
    PhaseStarted,
    RunFinished,
    StopReason,
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.agent.hooks import Block, Hook, PostToolUse, PreToolUse, SessionStart
from actloop.agent.interrupts import Interrupt, InterruptQueue
from actloop.agent.limits import Limits
from actloop.agent.react import ReActAgent
from actloop.agent.result import AgentResult, StepResult
from actloop.agent.rules import DEFAULT_RULES, CompletionCheckRule, RepeatRule, Rule, RuleFactory, SelfCheckRule
from actloop.agent.settings import AgentSettings

__all__ = [
    "DEFAULT_RULES",
    "AgentEvent",
    "AgentResult",
    "AgentSettings",
    "AnswerDelta",
    "AnswerFinished",
    "AnswerReady",
    "AnswerRestarted",
    "AnswerStarted",
    "Block",
    "CompletionCheckRule",
    "ContextCompacted",
    "Emit",
    "ErrorOccurred",
    "Hook",
    "Interrupt",
    "InterruptChanged",
    "InterruptQueue",
    "Limits",
    "PhaseStarted",
    "PostToolUse",
    "PreToolUse",
    "ReActAgent",
    "RepeatRule",
    "Rule",
    "RuleFactory",
    "RunFinished",
    "SelfCheckRule",
    "SessionStart",
    "StepResult",
    "StopReason",
    "ThinkingFinished",
    "ThinkingStarted",
    "ToolCallFinished",
    "ToolCallStarted",
]
