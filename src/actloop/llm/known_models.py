"""What well-known models can do and how much they can read, by the beginning of their names.

Context windows: the public price list of the package genai-prices 0.2.3; output limits and vision: the model pages of
OpenAI, DeepSeek and Mistral. A model that is not here gets cautious sizes: set ``context_size`` for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["OPENAI_COMPATIBLE", "KnownModel", "known_model"]

OPENAI_COMPATIBLE: Mapping[str, bool] = {
    "tool_call": True,
    "json_mode": True,
    "json_schema": True,
    "vision": False,
    "thinking": False,
}
"""What an OpenAI-compatible server is taken to do until it refuses."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """Sizes in tokens, and the abilities that differ from `OPENAI_COMPATIBLE`."""

    context_size: int
    max_output_tokens: int
    vision: bool = False
    thinking: bool = False
    json_schema: bool = True

    @property
    def abilities(self) -> dict[str, bool]:
        """All abilities, by name."""
        own = {"vision": self.vision, "thinking": self.thinking, "json_schema": self.json_schema}
        return {**OPENAI_COMPATIBLE, **own}


_UNKNOWN = KnownModel(32_768, 4_096)
_BY_PREFIX: Mapping[str, KnownModel] = {
    "gpt-3.5-turbo": KnownModel(16_385, 4_096, json_schema=False),
    "gpt-4": KnownModel(8_192, 8_192, json_schema=False),
    "gpt-4-turbo": KnownModel(128_000, 4_096, vision=True, json_schema=False),
    "gpt-4o": KnownModel(128_000, 16_384, vision=True),
    "chatgpt-4o": KnownModel(128_000, 16_384, vision=True),
    "gpt-4.1": KnownModel(1_000_000, 32_768, vision=True),
    "gpt-5": KnownModel(400_000, 128_000, vision=True, thinking=True),
    "gpt-5.4": KnownModel(1_050_000, 128_000, vision=True, thinking=True),
    "gpt-5.4-mini": KnownModel(400_000, 128_000, vision=True, thinking=True),
    "gpt-5.4-nano": KnownModel(400_000, 128_000, vision=True, thinking=True),
    "gpt-5.5": KnownModel(1_000_000, 128_000, vision=True, thinking=True),
    "gpt-5.6": KnownModel(1_050_000, 128_000, vision=True, thinking=True),
    "gpt-6": KnownModel(1_050_000, 128_000, vision=True, thinking=True),
    "gpt-oss": KnownModel(131_072, 32_768, thinking=True),
    "o1": KnownModel(200_000, 100_000, vision=True, thinking=True),
    "o3": KnownModel(200_000, 100_000, vision=True, thinking=True),
    "o3-mini": KnownModel(200_000, 100_000, thinking=True),
    "o4-mini": KnownModel(200_000, 100_000, vision=True, thinking=True),
    "deepseek-chat": KnownModel(64_000, 8_192, json_schema=False),
    "deepseek-reasoner": KnownModel(64_000, 32_000, thinking=True, json_schema=False),
    "deepseek-v3": KnownModel(128_000, 8_192, thinking=True, json_schema=False),
    "deepseek-v4": KnownModel(1_000_000, 64_000, thinking=True, json_schema=False),
    "deepseek-flash": KnownModel(1_000_000, 64_000, thinking=True, json_schema=False),
    "mistral-large": KnownModel(262_144, 16_384, vision=True),
    "mistral-medium": KnownModel(131_072, 16_384, vision=True),
    "mistral-small": KnownModel(131_072, 16_384, vision=True),
    "codestral": KnownModel(256_000, 16_384),
    "kimi-k2": KnownModel(131_072, 16_384),
    "kimi-k2.5": KnownModel(262_144, 16_384, vision=True, thinking=True),
}


def known_model(name: str) -> KnownModel:
    """What is known of the model ``name``, also under the name of its vendor (``openai/gpt-4o``)."""
    name = name.rsplit("/", 1)[-1].lower()
    prefixes = [prefix for prefix in _BY_PREFIX if _is_version_of(name, prefix)]
    return _BY_PREFIX[max(prefixes, key=len)] if prefixes else _UNKNOWN


def _is_version_of(name: str, prefix: str) -> bool:
    """Whether ``prefix`` ends where a part of ``name`` does: ``o1`` begins ``o1-pro``, not ``o10``."""
    return name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].isalnum()
