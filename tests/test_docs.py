"""What the documentation shows runs: each Python block of README and docs, with a scripted model for a real one."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import actloop
from actloop.testing import ScriptedLLM

_ROOT = Path(__file__).parent.parent
_BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL), start=1)
]


@pytest.mark.parametrize("block", _BLOCKS)
def test_a_block_of_the_documentation_runs(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actloop, "load_llm", lambda name, **options: ScriptedLLM(lambda messages: "There are 12."))
    module = ModuleType("shown_in_docs")  # a real module, since dataclasses look theirs up by name
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(block, module.__name__, "exec"), vars(module))
