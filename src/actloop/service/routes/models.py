"""What a run may ask for: models by role, agents by name, and the tools there are."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from actloop.service.routes.common import Reply, Service

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["models"])


class Models(Reply):
    """models: the roles that have a model; agents: the named ones.

    default: the role whose model answers when none is named; names: what the model of each role is called.
    """

    models: list[str]
    default: str
    names: dict[str, str]
    agents: list[str]


class ToolState(Reply):
    """A tool as a model sees it; parameters: the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class Tools(Reply):
    """The tools that agents have."""

    tools: list[ToolState]


@router.get("/models")
async def models(service: Service) -> Models:
    """List the models and agents."""
    agents = service.agents
    names = dict(agents.model_names)
    return Models(models=list(agents.roles), default=agents.default_role, names=names, agents=list(agents.agents))


@router.get("/tools")
async def tools(service: Service) -> Tools:
    """List the tools."""
    return Tools(
        tools=[
            ToolState(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
            for tool in service.agents.tools
        ]
    )
