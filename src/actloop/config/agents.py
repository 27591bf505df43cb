"""The agents that the service offers: the one without a name, and those of ``[agents.NAME]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from actloop.agent import InterruptQueue, ReActAgent
from actloop.config.service_settings import AgentSpec
from actloop.config.settings import Settings
from actloop.config.wiring import build_agent, build_models, name_of
from actloop.context import Memory
from actloop.errors import ConfigError
from actloop.llm import ModelRegistry, price_of
from actloop.tools import Tool

__all__ = ["ConfiguredAgents"]


class ConfiguredAgents:
    """Builds agents by name, all on the same models and tools.

    Raises `ConfigError` for settings that make no model, and for an agent with a model or a tool that is not there.
    """

    def __init__(self, settings: Settings, tools: Sequence[Tool], models: ModelRegistry | None = None) -> None:
        self._settings = settings
        self._tools = {tool.name: tool for tool in tools}
        self._models = build_models(settings) if models is None else models
        self._priced = {role: self._with_price(role) for role in self._models.roles}
        for name, spec in settings.agents.items():
            self._check(name, spec)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents."""
        return tuple(self._settings.agents)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have a model."""
        return self._models.roles

    @property
    def default_role(self) -> str:
        """The role whose model answers when none is named."""
        return "general"

    @property
    def model_names(self) -> Mapping[str, str]:
        """What the model of each role is called, without its provider."""
        return {role: name_of(self._settings, role).partition(":")[2] for role in self._models.roles}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool there is."""
        return tuple(self._tools.values())

    def build(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        memory: Memory | None = None,
        interrupt_queue: InterruptQueue | None = None,
        instructions: str | None = None,
    ) -> ReActAgent:
        """Return a new agent; ``instructions`` are added to its own. Raises `ConfigError` for an unknown name."""
        if agent is not None and agent not in self._settings.agents:
            raise ConfigError(
                f"there is no agent {agent!r}; there are: {', '.join(self.agents) or 'none with a name'}."
            )
        if model is not None and model not in self.roles:
            raise ConfigError(f"there is no model {model!r}; there are: {', '.join(self.roles)}.")
        spec = AgentSpec() if agent is None else self._settings.agents[agent]
        tools = [self._tools[name] for name in (self._tools if spec.tools is None else spec.tools)]
        role = model or spec.model or self.default_role
        return build_agent(
            self._priced[role],
            self._models,
            tools,
            role=role,
            system_prompt=spec.system_prompt,
            instructions="\n\n".join(text for text in (spec.instructions, instructions) if text) or None,
            memory=memory,
            interrupt_queue=interrupt_queue,
        )

    async def aclose(self) -> None:
        """Give the models back."""
        await self._models.aclose()

    def _with_price(self, role: str) -> Settings:
        """The settings with what the model of ``role`` costs in its limits, if that is known: its runs then tell."""
        model = str(getattr(self._models.get(role), "name", ""))
        if not model or self._settings.limits.price is not None:
            return self._settings
        return replace(self._settings, limits=replace(self._settings.limits, price=price_of(model)))

    def _check(self, name: str, spec: AgentSpec) -> None:
        if spec.model is not None and spec.model not in self.roles:
            raise ConfigError(
                f"[agents.{name}]: there is no [models.{spec.model}]; there are: {', '.join(self.roles)}."
            )
        for tool in spec.tools or ():
            if tool not in self._tools:
                raise ConfigError(f"[agents.{name}]: there is no tool {tool!r}; see 'actloop tools'.")
