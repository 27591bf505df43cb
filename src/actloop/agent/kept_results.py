"""Large tool results, kept aside: the model sees head, tail and a handle, and a tool that reads the rest."""

from __future__ import annotations

from actloop.errors import ToolError
from actloop.messages import shorten
from actloop.tools import ToolRegistry, tool

__all__ = ["KeptResults"]


class KeptResults:
    """The large results of one run.

    registry: gets the tool that reads them, after the other tools, when the first one is kept.
    limit: a result of more characters is kept aside.
    """

    def __init__(self, registry: ToolRegistry, limit: int) -> None:
        self._registry = registry
        self._limit = limit
        self._texts: dict[str, str] = {}
        self._reader = ""

    def shown(self, tool_name: str, text: str) -> str:
        """What the model sees of a result: all of it, or its ends and how to read the rest."""
        if len(text) <= self._limit or tool_name == self._reader:
            return text
        if not self._reader:
            self._offer_reader()
        import hashlib  # loads OpenSSL

        # the same text has the same handle, so a repeated call still gives a result that was seen before
        handle = f"r{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        self._texts[handle] = text
        offset = self._limit * 3 // 4
        hint = f"; {self._reader}(handle={handle!r}, offset={offset}) reads on"
        return shorten(text, self._limit, marker=f"\n[… {{cut}} characters left out{hint} …]\n")

    def _offer_reader(self) -> None:
        names = (name for number in range(1, 100) for name in [f"read_result{number if number > 1 else ''}"])
        self._reader = next(name for name in names if name not in self._registry)
        self._registry.register(tool(self._read, name=self._reader, idempotent=True))

    async def _read(self, handle: str, offset: int = 0) -> str:
        """Read on in a long tool result that was shown only in part.

        Args:
            handle: The handle that was given in place of the part left out.
            offset: The number of the first character to read.
        """
        text = self._texts.get(handle)
        if text is None:
            raise ToolError(f"There is no kept result {handle!r}. The handles are: {', '.join(self._texts)}.")
        begin = max(0, offset)
        if begin >= len(text):
            raise ToolError(f"The result {handle!r} has only {len(text)} characters; offset must be less than that.")
        end = min(begin + self._limit, len(text))
        more = f"go on with offset={end}" if end < len(text) else "this is its end"
        return f"{text[begin:end]}\n[Characters {begin} to {end} of {len(text)}; {more}.]"
