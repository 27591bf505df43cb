"""A real service on a port of its own, with scripted models, and what tests ask of it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from actloop.agent import InterruptQueue, ReActAgent
from actloop.config.service_settings import ServiceSettings
from actloop.context import Memory
from actloop.errors import ConfigError
from actloop.llm import LLM
from actloop.service.parts import Parts, running_parts
from actloop.service.server import Server
from actloop.testing import ScriptedLLM
from actloop.tools import Tool
from tests.support.sse_client import SentEvent, open_stream

__all__ = ["Answer", "ScriptedAgents", "TestedService", "serving", "settings_in"]


class ScriptedAgents:
    """Builds each run's agent on the same model, without the rules that would ask it for more."""

    def __init__(self, llm: LLM, tools: Sequence[Tool] = (), *, agents: Sequence[str] = ("helper",)) -> None:
        self.llm = llm
        self.tools = tuple(tools)
        self.agents = tuple(agents)
        self.roles = ("general",)
        self.default_role = "general"
        self.model_names = {"general": "scripted"}

    def build(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        memory: Memory | None = None,
        interrupt_queue: InterruptQueue | None = None,
        instructions: str | None = None,
    ) -> ReActAgent:
        """Return a new agent."""
        if agent not in {None, *self.agents}:
            raise ConfigError(f"there is no agent {agent!r}.")
        if model not in {None, *self.roles}:
            raise ConfigError(f"there is no model {model!r}.")
        return ReActAgent(
            self.llm,
            self.tools,
            rules=(),
            memory=memory,
            interrupt_queue=interrupt_queue,
            instructions=instructions,
        )

    async def aclose(self) -> None:
        """Give the model back."""
        await self.llm.aclose()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class TestedService:
    """A service that runs, and a client of it."""

    __test__ = False

    def __init__(self, parts: Parts, port: int, client: aiohttp.ClientSession, key: str | None) -> None:
        self.parts = parts
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._client = client
        self.key = key

    async def ask(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, key: str | None = None
    ) -> Answer:
        """Send a request and return the answer."""
        sent = dict(headers or {})
        if key or self.key:
            sent.setdefault("Authorization", f"Bearer {key or self.key}")
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            sent.setdefault("Content-Type", "application/json")
        async with self._client.request(method, self.url + path, data=content, headers=sent) as response:
            return Answer(
                response.status,
                {name.lower(): value for name, value in response.headers.items()},
                (await response.read()).decode(),
            )

    async def conversation(self, **fields: Any) -> str:
        """Begin a conversation and return its id."""
        answer = await self.ask("POST", "/api/conversations", fields)
        assert answer.status == 201, answer.text
        return str(answer.data["id"])

    async def start(self, conversation: str, query: str = "go") -> str:
        """Begin a run and return its id."""
        answer = await self.ask("POST", f"/api/conversations/{conversation}/runs", {"query": query})
        assert answer.status == 202, answer.text
        return str(answer.data["run_id"])

    async def run(self, query: str = "go") -> str:
        """Begin a run in a conversation of its own and return its id."""
        return await self.start(await self.conversation(), query)

    async def events(
        self, run: str, *, last_event_id: str | None = None, cut_after: int | None = None, query: str = ""
    ) -> list[SentEvent]:
        """The events of a run from an offset, to the end or to the cut."""
        headers = {"Last-Event-ID": last_event_id} if last_event_id is not None else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        path = f"/api/runs/{run}/events{query}"
        async with open_stream(self.port, path, headers=headers, cut_after=cut_after) as stream:
            assert stream.status == 200
            return [event async for event in stream.events()]

    async def state(self, run: str) -> dict[str, Any]:
        """The state of a run."""
        data: dict[str, Any] = (await self.ask("GET", f"/api/runs/{run}")).data
        return data

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; the test's own timeout ends a wait in vain."""
        while not holds():  # noqa: ASYNC110 - what it waits for is anything at all
            await asyncio.sleep(0.005)


def settings_in(directory: Path, **changes: Any) -> ServiceSettings:
    """Settings with a database in ``directory``."""
    settings = ServiceSettings(database_url=f"sqlite:///{directory / 'service.db'}", rate_limit=100_000, port=0)
    return replace(settings, **changes)


@asynccontextmanager
async def serving(
    settings: ServiceSettings, agents: ScriptedAgents | LLM | Sequence[Any], *, key: str | None = None
) -> AsyncIterator[TestedService]:
    """Run a service until the block is left, as a shutdown would end it; at the port of the settings, 0 for any."""
    if not isinstance(agents, ScriptedAgents):
        agents = ScriptedAgents(ScriptedLLM(agents) if isinstance(agents, Sequence) else agents)
    async with running_parts(settings, agents) as parts:
        with socket.create_server(("127.0.0.1", settings.port), backlog=1024) as listener:
            server = Server(parts)
            running = asyncio.create_task(server._serve([listener]))  # without its signal handlers
            while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.005)
            try:
                async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
                    yield TestedService(parts, listener.getsockname()[1], client, key)
            finally:
                server.should_exit = True
                await running
