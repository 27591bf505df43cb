"""What `import actloop` offers, and what it costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import version
from types import ModuleType

import pytest

import actloop

_FACES = ["actloop", "actloop.messages", "actloop.llm", "actloop.tools", "actloop.context", "actloop.agent"]


@pytest.mark.parametrize("name", _FACES)
def test_every_public_name_exists_and_is_written_down_in_order(name: str) -> None:
    face = importlib.import_module(name)
    assert all(hasattr(face, public) for public in face.__all__)
    public = {name for name, thing in vars(face).items() if name[0] != "_" and not isinstance(thing, ModuleType)}
    assert public == set(face.__all__)


def test_importing_actloop_brings_no_heavy_package() -> None:
    heavy = ["aiohttp", "pydantic", "jsonschema_rs", "xllamacpp", "typer", "rich", "docstring_parser", "genai_prices"]
    probe = f"import sys, actloop; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_names_of_the_contract_are_there() -> None:
    wanted = {"ReActAgent", "AgentResult", "StepResult", "tool", "Tool", "ToolRegistry", "Artifact", "load_llm", "LLM"}
    wanted |= {"ModelRegistry", "extract_json", "InterruptQueue", "Limits", "AgentSettings", "valid_history", "Usage"}
    wanted |= {"ContextGuard"}
    assert wanted <= set(actloop.__all__)


def test_the_version_is_there_for_whoever_asks_and_costs_nobody_else_anything() -> None:
    probe = "import sys, actloop; print('importlib.metadata' in sys.modules, actloop.__version__)"
    shown = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", version("actloop")]
    with pytest.raises(AttributeError, match="has no attribute 'versoin'"):
        _ = actloop.versoin  # type: ignore[attr-defined]  # what it is about
