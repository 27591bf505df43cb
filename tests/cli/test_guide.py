"""What docs/terminal.md shows is what there is."""

from __future__ import annotations

import re
from pathlib import Path

from actloop.config import load_settings
from actloop.config.settings import FILE_NAME

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")


def test_the_tools_file_of_the_guide_is_the_example() -> None:
    assert f"```python\n{(ROOT / 'examples' / 'tools_file.py').read_text(encoding='utf-8')}```" in GUIDE


def test_the_settings_file_of_the_guide_is_accepted(tmp_path: Path) -> None:
    shown = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert shown is not None
    (tmp_path / FILE_NAME).write_text(shown.group(1), encoding="utf-8")
    settings = load_settings(environ={"HOME": str(tmp_path)}, directory=tmp_path)
    assert settings.max_iterations == 30
    assert settings.models["fast"].base_url == "http://127.0.0.1:11434/v1"
    assert settings.limits.max_tokens == 100_000


def test_every_variable_of_the_guide_means_something(tmp_path: Path) -> None:
    named = set(re.findall(r"`(ACTLOOP_[A-Z_]+)`", GUIDE))
    environ = {"HOME": str(tmp_path), **dict.fromkeys(named - {"ACTLOOP_MODEL"}, "1"), "ACTLOOP_MODEL": "openai:m"}
    assert load_settings(environ=environ).unknown_variables == ()
