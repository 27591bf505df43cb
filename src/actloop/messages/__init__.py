"""Layer 1: what all layers pass around. Knows no model, no tool and no agent."""

from actloop.messages.content import Content, ContentPart, ImagePart, TextPart, text_of
from actloop.messages.history import INTERRUPTED, broken_rule, unique_call_ids, valid_history
from actloop.messages.message import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from actloop.messages.text import clean_text, shorten
from actloop.messages.tools import ToolCall, ToolSpec
from actloop.messages.usage import Usage

__all__ = [
    "INTERRUPTED",
    "AssistantMessage",
    "Content",
    "ContentPart",
    "ImagePart",
    "Message",
    "SystemMessage",
    "TextPart",
    "ToolCall",
    "ToolMessage",
    "ToolSpec",
    "Usage",
    "UserMessage",
    "broken_rule",
    "clean_text",
    "shorten",
    "text_of",
    "unique_call_ids",
    "valid_history",
]
