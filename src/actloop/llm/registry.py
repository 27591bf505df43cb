"""Which model plays which role."""

from __future__ import annotations

from collections.abc import Mapping

from actloop.errors import ConfigError
from actloop.llm.base import LLM

__all__ = ["ModelRegistry"]

_GENERAL = "general"


class ModelRegistry:
    """Models by role: ``general``, ``fast``, ``smart``, ``reasoning``, or names of your own.

    Raises `ConfigError` when there is no ``general`` model.
    """

    def __init__(self, models: Mapping[str, LLM]) -> None:
        if _GENERAL not in models:
            given = ", ".join(map(repr, models)) or "none"
            raise ConfigError(f"a model for the role 'general' is missing; roles given: {given}")
        self._models = dict(models)

    def get(self, role: str | None) -> LLM:
        """The model for ``role``; the general one when the role is None or has no model of its own."""
        return self._models.get(role or _GENERAL, self._models[_GENERAL])

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have a model of their own."""
        return tuple(self._models)

    async def aclose(self) -> None:
        """Close every model once."""
        for llm in {id(llm): llm for llm in self._models.values()}.values():
            await llm.aclose()
