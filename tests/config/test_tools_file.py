"""What a tools file may hold, and what its author is told when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from actloop.config.tools_file import load_tools_file
from actloop.errors import ConfigError

HEAD = "from __future__ import annotations\nfrom actloop.tools import tool\n"


def tools_file(folder: Path, text: str) -> Path:
    path = folder / "my_tools.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def test_marked_functions_and_listed_ones_are_found_once(tmp_path: Path) -> None:
    path = tools_file(
        tmp_path,
        '''
@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number

def half(number: int) -> float:
    """Halve a number."""
    return number / 2

def helper(x):
    return x

tools = [double, half]
''',
    )
    assert [tool.name for tool in load_tools_file(path)] == ["double", "half"]


@pytest.mark.asyncio
async def test_a_tool_may_use_types_and_neighbours_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "actloop_test_neighbour.py").write_text("FACTOR = 3\n")
    path = tools_file(
        tmp_path,
        '''
from dataclasses import dataclass

from actloop_test_neighbour import FACTOR

@dataclass
class Size:
    width: int

@tool
def area(size: Size) -> int:
    """Triple a width."""
    return FACTOR * size.width
''',
    )
    (area,) = load_tools_file(path)
    assert (await area.run({"size": {"width": 2}})).content == "6"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n\ny = 1 / 0\n", "failed in line 5: ZeroDivisionError: division by zero"),
        ("def broken(:\n", "failed in line 3: SyntaxError: "),
        ("import no_such_module_of_anyone\n", "failed in line 3: ModuleNotFoundError: No module named"),
        ("raise SystemExit\n", "failed in line 3: SystemExit"),
        ("def plain(x): return x\n", "defines no tool. Mark a function with @tool"),
        ("tools = 3\n", "'tools' must be a list of tools, not int"),
        ("tools = ['search']\n", "'search' is not a tool"),
        ("@tool\ndef a() -> str: ...\nb = tool(lambda: 1, name='a', description='x')\n", "a tool called 'a' already"),
    ],
    ids=range(8),
)
def test_the_author_of_a_broken_file_is_told_what_and_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"my_tools\.py") as caught:
        load_tools_file(tools_file(tmp_path, text))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere.py' cannot be read: No such file"):
        load_tools_file(tmp_path / "nowhere.py")
