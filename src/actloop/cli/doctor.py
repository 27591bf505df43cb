"""``actloop doctor``: what is configured, what works, and what to do about the rest."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from actloop.agent import ReActAgent
from actloop.cli.safe_text import one_line
from actloop.config import EMBEDDED, Settings, load_settings
from actloop.config.wiring import build_models, build_tools, model_of, served_name
from actloop.errors import ActloopError, ConfigError
from actloop.llm import LLM, observed
from actloop.messages import UserMessage
from actloop.tools import tool

__all__ = ["Finding", "examine"]

Grade = Literal["good", "note", "bad"]

_MARKS: dict[Grade, str] = {"good": "✓", "note": "-", "bad": "✗"}
_EXTRAS = {"local": ("xllamacpp", "models in this process"), "prices": ("genai_prices", "costs, and the cost limit")}
_PROBE_SECONDS = 60.0
_PROBE_TOKENS = 16
"""Models that think refuse to be given less than a few."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. A bad one means that no question can be answered; ``advice`` says what to do."""

    grade: Grade
    text: str
    advice: str = ""

    def __str__(self) -> str:
        line = f"{_MARKS[self.grade]} {self.text}"
        return f"{line}\n    → {self.advice}" if self.advice else line


def examine(*, model: str | None, base_url: str | None, tools_file: Path | None, probe: bool) -> int:
    """Print what was found; return 1 if no question could be answered with these options, else 0."""
    worst = 0
    for finding in _findings(model, base_url, tools_file, probe):
        print(finding, flush=True)
        worst = max(worst, int(finding.grade == "bad"))
    print("Something above (✗) keeps actloop from answering." if worst else "actloop can answer questions here.")
    return worst


def _findings(model: str | None, base_url: str | None, tools_file: Path | None, probe: bool) -> Iterator[Finding]:
    yield Finding("good", f"actloop {version('actloop')}, Python {platform.python_version()}, {sys.platform}")
    yield from _extras()
    yield _service()
    try:
        settings = load_settings(model=model, base_url=base_url)
    except ConfigError as error:
        yield Finding("bad", f"settings: {error}")
        return
    yield from _settings(settings)
    yield from _tools(settings, tools_file)
    yield from _model(settings, probe)


def _extras() -> Iterator[Finding]:
    for extra, (module, purpose) in _EXTRAS.items():
        if find_spec(module):
            yield Finding("good", f"extra {extra!r} is installed ({purpose})")
        else:
            yield Finding("note", f"extra {extra!r} is not installed ({purpose})", f"pip install 'actloop[{extra}]'")


def _service() -> Finding:
    if not find_spec("fastapi"):
        return Finding("note", "extra 'serve' is not installed (the service)", "pip install 'actloop[serve]'")
    from actloop.service.page import BUILT

    if (BUILT / "index.html").is_file():
        return Finding("good", "extra 'serve' is installed, and its page is built")
    return Finding("note", "extra 'serve' is installed, but its page has not been built", "In a checkout: make page")


def _settings(settings: Settings) -> Iterator[Finding]:
    files = ", ".join(str(path) for path in settings.files) or "none (all defaults)"
    yield Finding("good", f"settings files: {files}")
    yield Finding("good", f"keys in the environment: {', '.join(settings.keys) or 'none'}")
    for name in settings.unknown_variables:
        yield Finding("note", f"the environment variable {name!r} means nothing to actloop", "Is it misspelt?")


def _tools(settings: Settings, tools_file: Path | None) -> Iterator[Finding]:
    try:
        tools = build_tools(settings, tools_file)
    except ConfigError as error:
        yield Finding("bad", f"tools: {error}")
        return
    yield Finding("good", f"{len(tools)} tools: {', '.join(tool.name for tool in tools)}")
    if settings.tools_root.is_dir():
        yield Finding("good", f"the file tools read under {str(settings.tools_root)!r}")
    else:
        yield Finding("note", f"the file tools have no directory {str(settings.tools_root)!r}", "Set [tools] root.")


def _model(settings: Settings, probe: bool) -> Iterator[Finding]:
    model = model_of(settings)
    chosen = "set" if model.name != EMBEDDED else "none is set, so the embedded one serves"
    place = f" at {model.base_url}" if model.base_url else ""
    yield Finding("good", f"model: {served_name(settings)}{place} ({chosen})")
    if not probe:
        yield Finding("good", "the model was not asked (--no-probe)")
        return
    try:
        seen = asyncio.run(_probe(settings))
    except TimeoutError:
        yield Finding(
            "bad", f"the model did not answer within {_PROBE_SECONDS:.0f} s", "Try a smaller or another model."
        )
    except ActloopError as error:
        yield Finding("bad", f"the model does not answer: {one_line(str(error), 1000)}", _advice(settings))
    else:
        yield Finding("good", "the model answers")
        for text in seen:
            yield Finding("note", f"the model and tools: {text}", "Runs get by in JSON mode; other models do better.")


async def _probe(settings: Settings) -> list[str]:
    """Have the model answer, and call a tool if it says it can; return what it does not do as it says."""
    models = build_models(settings)
    try:
        llm = models.get("general")
        async with asyncio.timeout(_PROBE_SECONDS):
            await llm.chat([UserMessage("Say: ok")], max_tokens=_PROBE_TOKENS)
        return await _probe_tools(llm) if llm.abilities.get("tool_call") else []
    finally:
        await models.aclose()


async def _probe_tools(llm: LLM) -> list[str]:
    @tool
    def probe() -> str:
        """Return a word."""
        return "ok"

    agent = ReActAgent(llm, [probe], rules=(), max_iterations=2)
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            result = await agent.run("Call the tool 'probe' once, then say what it returned.")
    except TimeoutError:
        return [f"it did not come to a call within {_PROBE_SECONDS:.0f} s"]
    found = observed(llm).findings()
    return found if result.steps else [*found, "it did not call the tool it was asked to call"]


def _advice(settings: Settings) -> str:
    if model_of(settings).provider == "local":
        return "actloop models pull fetches a model; actloop models lists what there is."
    return "actloop models lists what there is; without a model of yours, the embedded one serves."
