"""What a model's tokens cost, from the public price list that the ``prices`` extra brings (package genai-prices)."""

from __future__ import annotations

from collections.abc import Callable

from actloop.messages import Usage

__all__ = ["price_of"]


def price_of(model: str) -> Callable[[Usage], float] | None:
    """A function from usage to US dollars for ``model`` (as in ``openai:gpt-5-mini``); None when no price is known.

    The list is a snapshot inside the package; nothing is fetched.
    """
    try:
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price
    except ImportError:
        return None
    provider, _, name = model.rpartition(":")

    def price(usage: Usage) -> float:
        tokens = Tokens(
            input_tokens=usage.prompt_tokens or 0,
            output_tokens=usage.completion_tokens or 0,
            cache_read_tokens=usage.cached_tokens or 0,
        )
        return float(calc_price(tokens, model_ref=name, provider_id=provider or None).total_price)

    try:
        price(Usage())
    except LookupError:
        return None
    return price
