"""The one place that knows every concrete class below: models, tools and the agent, built from settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from actloop.agent import InterruptQueue, ReActAgent
from actloop.config.settings import EMBEDDED, ModelSettings, Settings
from actloop.context import ContextGuard, Memory
from actloop.errors import ConfigError
from actloop.llm import LLM, ModelRegistry
from actloop.tools import Tool, ToolRegistry

if TYPE_CHECKING:
    from actloop.llm.local_models import CatalogueModel

__all__ = ["build_agent", "build_models", "build_tools", "embedded_model", "model_of", "name_of", "served_name"]


def model_of(settings: Settings) -> ModelSettings:
    """The general model: the one that is set, else the embedded one."""
    return settings.models.get("general") or ModelSettings(EMBEDDED)


def embedded_model(settings: Settings) -> CatalogueModel | None:
    """What serves as the embedded model, if that is to serve and one is on this machine."""
    return _embedded_here(settings) if model_of(settings).name == EMBEDDED else None


def _embedded_here(settings: Settings) -> CatalogueModel | None:
    from actloop.llm.local_models import find_default

    here = find_default(settings.models_dir)
    return here.model if here else None


def served_name(settings: Settings) -> str:
    """The name of the model that serves, with the embedded one's own name in place of ``default`` once it is here."""
    return name_of(settings, "general")


def name_of(settings: Settings, role: str) -> str:
    """The name of the model of ``role``, with the embedded one's own name in place of ``default`` once it is here."""
    name = (settings.models.get(role) or model_of(settings)).name
    embedded = _embedded_here(settings) if name == EMBEDDED else None
    return f"local:{embedded.name}" if embedded else name


def build_models(settings: Settings) -> ModelRegistry:
    """Build the model of each role; nothing is sent or loaded yet. Raises `ConfigError` for settings that make none."""
    models = {"general": model_of(settings), **settings.models}
    return ModelRegistry({role: _build_llm(model, settings) for role, model in models.items()})


def _build_llm(model: ModelSettings, settings: Settings) -> LLM:
    if model.api_key_env and not model.api_key:
        raise ConfigError(
            f"the key of {model.name!r} comes from the environment variable {model.api_key_env!r}, which is not set."
        )
    if model.provider == "local":
        return _local(model, settings)
    if model.provider == "openai" and not model.base_url and not model.api_key:
        raise ConfigError(
            f"{model.name!r} needs a key of OpenAI: set OPENAI_API_KEY. "
            "If another server has it, name its address by --base-url, ACTLOOP_BASE_URL or base_url."
        )
    from actloop.llm.load import load_llm

    return load_llm(
        model.name,
        base_url=model.base_url,
        api_key=model.api_key,
        timeout=model.timeout,
        max_retries=model.max_retries,
        temperature=model.temperature,
        max_tokens=model.max_tokens,
        context_size=model.context_size,
        max_output_tokens=model.max_output_tokens,
        abilities=model.abilities or None,
    )


def _local(model: ModelSettings, settings: Settings) -> LLM:
    from actloop.llm.adapters.llamacpp import load_local

    return load_local(
        model.name.partition(":")[2],
        temperature=model.temperature,
        max_tokens=model.max_tokens,
        context_size=model.context_size,
        max_output_tokens=model.max_output_tokens,
        abilities=model.abilities or None,
        directory=settings.models_dir,
        threads=settings.threads,
    )


def build_tools(settings: Settings, tools_file: Path | None = None) -> list[Tool]:
    """Return the built-in tools and those of ``tools_file``, which take the place of built-in ones of the same name."""
    from actloop.tools.builtin import default_tools

    own: list[Tool] = []
    if tools_file is not None:
        from actloop.config.tools_file import load_tools_file

        own = load_tools_file(tools_file)
    taken = {item.name for item in own}
    return [*(item for item in default_tools(settings.tools_root) if item.name not in taken), *own]


def build_agent(
    settings: Settings,
    models: ModelRegistry,
    tools: Iterable[Tool],
    *,
    role: str | None = None,
    system_prompt: str | None = None,
    instructions: str | None = None,
    memory: Memory | None = None,
    interrupt_queue: InterruptQueue | None = None,
) -> ReActAgent:
    """Build the agent that asks the model of ``role`` (the general one if None) and offers ``tools``.

    The fast model shortens what gets too long.
    """
    llm = models.get(role)
    return ReActAgent(
        llm,
        ToolRegistry(tools),
        system_prompt=system_prompt,
        instructions=instructions,
        max_iterations=settings.max_iterations,
        memory=memory,
        context_guard=ContextGuard.for_llm(llm, compact_llm=models.get("fast")),
        interrupt_queue=interrupt_queue,
        limits=settings.limits,
        settings=settings.agent,
    )
