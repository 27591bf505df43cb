"""Layer 3: what a model gets to see. Knows messages and models, not tools and not agents."""

from actloop.context.memory import ConversationMemory, Memory

__all__ = ["ConversationMemory", "Memory"]
