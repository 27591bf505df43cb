"""What an `LLM` around one other has in common with it."""

from __future__ import annotations

from collections.abc import Mapping

from actloop.llm.base import LLM

__all__ = ["WrappedLLM"]


class WrappedLLM:
    """Promises what ``llm`` promises, and closes with it; how it is asked is left to the subclass."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """The name of the model if it has one, else empty."""
        return str(getattr(self._llm, "name", ""))

    @property
    def abilities(self) -> Mapping[str, bool]:
        """What the model within can do."""
        return self._llm.abilities

    @property
    def context_size(self) -> int:
        """That of the model within, in tokens."""
        return self._llm.context_size

    @property
    def max_output_tokens(self) -> int:
        """That of the model within."""
        return self._llm.max_output_tokens

    async def aclose(self) -> None:
        """Close the model within."""
        await self._llm.aclose()
