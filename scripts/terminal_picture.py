"""Draw docs/terminal.svg: a real run, as the terminal shows it.

Usage: python scripts/terminal_picture.py MODEL QUESTION > docs/terminal.svg
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from contextlib import aclosing

from rich.console import Console
from rich.text import Text

from actloop.cli.render import RunView
from actloop.config import load_settings
from actloop.config.wiring import build_agent, build_models, build_tools

_WIDTH = 92
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""rich's picture would fetch its font from another server; without it the reader's own fixed-width font serves."""


async def picture(model: str, question: str) -> str:
    """Ask ``model``, and return what the terminal would show of it as SVG."""
    settings = load_settings(model=model)
    models = build_models(settings)
    agent = build_agent(settings, models, build_tools(settings))
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text(f'$ actloop run "{question}"', "bold"))
    view = RunView()
    try:
        async with aclosing(agent.stream(question)) as events:
            async for event in events:
                for part in view.update(event):
                    console.print(part)
    finally:
        await models.aclose()
    return _FONTS.sub("", console.export_svg(title="actloop", unique_id="actloop"))


if __name__ == "__main__":
    print(asyncio.run(picture(*sys.argv[1:3])))
