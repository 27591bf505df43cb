"""Layer 3: what a model gets to see. Knows messages and models, not tools and not agents."""

from actloop.context.guard import ContextGuard
from actloop.context.memory import ConversationMemory, Memory
from actloop.context.pinned import INTERRUPT_HEADER
from actloop.context.summary import SUMMARY_HEADER, summary_text, summary_usage
from actloop.context.tokens import estimate_tokens

__all__ = [
    "INTERRUPT_HEADER",
    "SUMMARY_HEADER",
    "ContextGuard",
    "ConversationMemory",
    "Memory",
    "estimate_tokens",
    "summary_text",
    "summary_usage",
]
