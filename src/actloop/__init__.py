"""actloop: agents that reason and act, with any model.

    8 cli          chat · run · models · tools · doctor
    7 service      events on the wire
    6 config       settings · wiring
    4 agent        the loop, its two modes, its rules, the answer
    3 tools ║ context
    2 llm          the model protocol, adapters, and how replies are read
    1 messages     what all layers pass around · errors

Imports point down only. A first agent:

    from actloop import ReActAgent, load_llm, tool

    @tool
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    agent = ReActAgent(load_llm("local:default"), [add])
    print(agent.run_sync("What is 17 + 25?").answer)
"""

import typing

from actloop.agent import (
    AgentEvent,
    AgentResult,
    AgentSettings,
    Block,
    InterruptQueue,
    Limits,
    PostToolUse,
    PreToolUse,
    ReActAgent,
    SessionStart,
    StepResult,
)
from actloop.context import ContextGuard, ConversationMemory, Memory
from actloop.errors import (
    ActloopError,
    AnswerStreamError,
    ConfigError,
    ContextTooSmall,
    LLMError,
    StructuredOutputError,
    ToolError,
)
from actloop.llm import (
    LLM,
    Delta,
    FallbackLLM,
    ModelRegistry,
    Reply,
    RetryLLM,
    load_llm,
)
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
    valid_history,
)
from actloop.tools import Artifact, Tool, ToolRegistry, ToolResult, tool

__all__ = [
    "LLM",
    "ActloopError",
    "AgentEvent",
    "AgentResult",
    "AgentSettings",
    "AnswerStreamError",
    "Artifact",
    "AssistantMessage",
    "Block",
    "ConfigError",
    "ContextGuard",
    "ContextTooSmall",
    "ConversationMemory",
    "Delta",
    "FallbackLLM",
    "InterruptQueue",
    "LLMError",
    "Limits",
    "Memory",
    "Message",
    "ModelRegistry",
    "PostToolUse",
    "PreToolUse",
    "ReActAgent",
    "Reply",
    "RetryLLM",
    "SessionStart",
    "StepResult",
    "StructuredCallResult",
    "StructuredOutputError",
    "SystemMessage",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolMessage",
    "ToolRegistry",
    "ToolResult",
    "Usage",
    "UserMessage",
    "extract_json",
    "load_llm",
    "structured_llm_call",
    "tool",
    "valid_history",
]

if typing.TYPE_CHECKING:
    from actloop.llm import StructuredCallResult, extract_json, structured_llm_call

    __version__: str
    """The version that is installed."""
else:

    def __getattr__(name: str) -> typing.Any:  # looked up when somebody asks, since each costs a hundredth of a second
        if name in ("StructuredCallResult", "extract_json", "structured_llm_call"):
            from actloop import llm

            thing = globals()[name] = getattr(llm, name)
            return thing
        if name == "__version__":
            from importlib.metadata import version

            return version("actloop")
        raise AttributeError(f"module 'actloop' has no attribute {name!r}")
