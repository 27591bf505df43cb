"""A model by its name: ``provider:model``."""

from __future__ import annotations

from collections.abc import Mapping

from actloop.errors import ConfigError
from actloop.llm.base import LLM
from actloop.llm.retry import RetryLLM

__all__ = ["PROVIDERS", "load_llm"]

PROVIDERS = ("openai", "local")
"""The providers that `load_llm` knows."""

_PLANNED = ("anthropic", "google")


def load_llm(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    max_retries: int = 3,
    temperature: float | None = None,
    max_tokens: int | None = None,
    context_size: int | None = None,
    max_output_tokens: int | None = None,
    abilities: Mapping[str, bool] | None = None,
) -> LLM:
    """The model ``provider:model``, ready to be asked; nothing is sent or loaded yet.

    name: ``openai:MODEL`` for OpenAI and, with ``base_url``, for any server that speaks its chat completions;
        ``local:MODEL`` for a model in this process.
    api_key: sent as a bearer token; None sends none. The environment is not read here.
    timeout: seconds for a whole reply; for a stream, seconds without data.
    max_retries: how often to ask again after a failure that may pass.
    temperature, max_tokens: what a call asks for that says nothing itself.
    context_size, max_output_tokens: in tokens; None for what is known of the model, and cautious values for others.
    abilities: merged over the known ones.

    Raises `ConfigError` for a name, provider, address or size that cannot be right.
    """
    provider, colon, model = name.partition(":")
    if not colon or not provider or not model:
        raise ConfigError(f"a model is named 'provider:model', for example 'openai:gpt-4o', not {name!r}")
    for what, value in (("timeout", timeout), ("context_size", context_size), ("max_output_tokens", max_output_tokens)):
        if value is not None and not value > 0:
            raise ConfigError(f"{what} of model {name!r} must be more than 0, not {value!r}")
    if provider == "local":
        from actloop.llm.adapters.llamacpp import load_local

        return load_local(
            model,
            temperature=temperature,
            max_tokens=max_tokens,
            context_size=context_size,
            max_output_tokens=max_output_tokens,
            abilities=abilities,
        )
    if provider != "openai":
        raise ConfigError(_unknown(provider, model))
    from actloop.llm.adapters.openai import OPENAI_URL, OpenAILLM
    from actloop.llm.known_models import known_model

    known = known_model(model)
    size = context_size or known.context_size
    llm = OpenAILLM(
        model,
        base_url=base_url or OPENAI_URL,
        api_key=api_key,
        timeout=timeout,
        temperature=temperature,
        max_tokens=max_tokens,
        context_size=size,
        # A window that was given may be smaller than what the model could write: half of it is for reading.
        max_output_tokens=max_output_tokens or max_tokens or min(known.max_output_tokens, max(1, size // 2)),
        abilities={**known.abilities, **(abilities or {})},
    )
    return RetryLLM(llm, max_retries=max_retries) if max_retries > 0 else llm


def _unknown(provider: str, model: str) -> str:
    if provider in _PLANNED:
        return (
            f"there is no adapter of its own for {provider!r} yet: use 'openai:{model}' with the base_url of the "
            "provider's OpenAI-compatible API, or of a gateway such as OpenRouter"
        )
    return (
        f"there is no provider {provider!r}; use one of {', '.join(map(repr, PROVIDERS))}. "
        f"Any OpenAI-compatible server is 'openai:{model}' with its base_url"
    )
