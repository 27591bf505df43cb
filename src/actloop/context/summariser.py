"""The model that writes the running summary, and what it is told to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from actloop.context.cutting import cut_text
from actloop.context.summary import SUMMARY_HEADER, transcript
from actloop.context.tokens import count_text, estimate_tokens
from actloop.llm import LLM
from actloop.messages import Message, SystemMessage, Usage, UserMessage, clean_text

__all__ = ["HINTS", "Hint", "Summariser"]

Hint = Literal["react_iteration", "planner_input", "step_dependency", "general"]

HINTS: dict[str, tuple[str, str]] = {
    "react_iteration": (
        "the goal, the recent chain of reasoning, and all data that a next step may need",
        "finished detours, failed retries and long raw outputs",
    ),
    "planner_input": (
        "how the user's intent evolved, decisions and constraints",
        "chatter and the mechanics of tools",
    ),
    "step_dependency": ("figures, conclusions and identifiers", "how they were found"),
    "general": ("facts, decisions and tool results", "filler"),
}
"""What a summary keeps and drops, by the use it is made for."""

_LONGEST_PIECE, _SHORTEST_PIECE = 8_000, 200
_PROMPT_TOKENS = 400
_LEAST_INPUT_TOKENS = 500


class Summariser:
    """Writes running summaries with ``llm``."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    async def write(
        self, summary: str, old: Sequence[Message], *, hint: str, goal: str, max_tokens: int
    ) -> tuple[str, Usage]:
        """A summary that takes the place of ``summary`` and ``old``, and what it cost.

        The text is empty when the model failed or said nothing: the caller then does without. One call, whatever
        happens; cancellation propagates.
        """
        messages = self._request(summary, old, hint=hint, goal=goal, max_tokens=max_tokens)
        try:
            # twice the wanted length: a model that does not count well is cut later, rather than in mid-sentence
            reply = await self._llm.chat(messages, max_tokens=min(2 * max_tokens, self._llm.max_output_tokens))
        except Exception:  # noqa: BLE001 - the border of a request: without a summary the run goes on
            return "", Usage.of_call()
        text = clean_text(reply.message.content).replace(SUMMARY_HEADER, "").strip()
        return text, reply.usage

    def _request(self, summary: str, old: Sequence[Message], *, hint: str, goal: str, max_tokens: int) -> list[Message]:
        keep, drop = HINTS[hint]
        system = (
            "You keep the running summary of a conversation, so that the work can go on without the text it replaces.\n"
            f"- Keep {keep}. Keep names, numbers, dates, paths and identifiers exactly.\n"
            f"- Drop {drop}.\n"
            "- Merge the summary so far and what happened since into one flat text; lose no fact that still matters.\n"
            f"- Write at most {max_tokens * 3 // 5} words, in the language of the conversation, and nothing else."
        )
        parts = [f"What is being worked on:\n{goal}"] if goal else []
        parts += [f"Summary so far:\n{summary}"] if summary else []
        said = "\n\n".join(parts)
        happened = self._fitted(old, estimate_tokens(said) + 2 * max_tokens)
        return [SystemMessage(system), UserMessage(f"{said}\n\nWhat happened since:\n{happened}".strip())]

    def _fitted(self, old: Sequence[Message], taken: int) -> str:
        """The transcript of ``old``, its pieces cut so that it fits into the model's window beside ``taken`` tokens."""
        room = max(self._llm.context_size - taken - _PROMPT_TOKENS, _LEAST_INPUT_TOKENS)
        limit = _LONGEST_PIECE
        text = transcript(old, limit)
        while estimate_tokens(text) > room and limit > _SHORTEST_PIECE:
            limit //= 2
            text = transcript(old, limit)
        return cut_text(text, room, _weight) if estimate_tokens(text) > room else text


def _weight(text: str) -> float:
    count = count_text(text)
    return count.narrow + count.wide
