"""Two tools in a file: `actloop chat --tools examples/tools_file.py` offers them beside the built-in ones."""

from __future__ import annotations

from actloop import tool

_STOCK = {"apples": 12, "pears": 0}


@tool
def stock(item: str) -> int:
    """Say how many pieces of an item are in stock.

    Args:
        item: What to look for, in plural, for example "apples".
    """
    if item not in _STOCK:
        raise ValueError(f"there is no item {item!r}; there are: {', '.join(_STOCK)}")
    return _STOCK[item]


@tool
async def order(item: str, pieces: int = 1) -> str:
    """Order more pieces of an item."""
    _STOCK[item] = _STOCK.get(item, 0) + pieces
    return f"Ordered {pieces} {item}; there will be {_STOCK[item]}."
