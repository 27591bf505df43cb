"""Any history, for property tests: all roles, orphans, pins, summaries, several scripts, short and long."""

from __future__ import annotations

from hypothesis import strategies as st

from actloop.context import INTERRUPT_HEADER, SUMMARY_HEADER
from actloop.messages import (
    AssistantMessage,
    ImagePart,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)

__all__ = ["histories", "messages", "texts"]

_pieces = st.sampled_from(["word ", "请帮我总结", '{"a": 1}, ', "данные ", "\n", "x", "🎉", "[… ", SUMMARY_HEADER])
texts = st.builds(lambda piece, times: piece * times, _pieces, st.integers(0, 400))

_ids = st.sampled_from(["a", "b", "c", ""])
_calls = st.builds(
    ToolCall, _ids, st.just("look"), st.fixed_dictionaries({"q": texts, "more": st.lists(texts, max_size=2)})
)
_users = st.builds(
    lambda text, opening, pinned: UserMessage(f"{opening}{text}", pinned=pinned),
    texts,
    st.sampled_from(["", f"{INTERRUPT_HEADER}\n", f"{SUMMARY_HEADER}\n"]),
    st.booleans(),
)
_pictures = st.builds(lambda text: UserMessage([TextPart(text), ImagePart("https://example.org/a.png")]), texts)

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(AssistantMessage, texts, st.lists(_calls, max_size=3)),
    st.builds(ToolMessage, texts, _ids, st.just("look")),
    _users,
    _pictures,
    st.builds(SystemMessage, st.sampled_from(["be brief", "s" * 400])),
)

histories = st.lists(messages, max_size=14)
