"""Everything the service is made of, and the order in which it begins and ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from actloop.config.service_settings import ServiceSettings
from actloop.service.metrics import Metrics
from actloop.service.runs.event_log import EventLog
from actloop.service.runs.local import LocalRunner
from actloop.service.runs.recovery import end_what_a_crash_left
from actloop.service.runs.runner import AgentFactory, Runner
from actloop.service.sse_response import OpenStreams
from actloop.service.store.artifacts import ArtifactStore
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.database import Database
from actloop.service.store.events import EventStore
from actloop.service.store.keys import KeyStore
from actloop.service.store.lock import only_one
from actloop.service.store.runs import RunStore
from actloop.service.store.schema import migrate

__all__ = ["Parts", "running_parts"]

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the routes work with. ``locked``: whether callers need a key."""

    settings: ServiceSettings
    agents: AgentFactory
    database: Database
    conversations: ConversationStore
    runs: RunStore
    artifacts: ArtifactStore
    keys: KeyStore
    log: EventLog
    runner: Runner
    metrics: Metrics
    streams: OpenStreams
    locked: bool


@asynccontextmanager
async def running_parts(settings: ServiceSettings, agents: AgentFactory) -> AsyncIterator[Parts]:
    """Open the database, end what a crash left, and work until the block is left; then runs are interrupted.

    Raises `ConfigError` when another service uses the same SQLite file, or has the same name in the same database, and
    `StoreError` when the database cannot be used.
    """
    database = Database(settings.database_url)
    try:
        async with only_one(database, settings.node):
            await migrate(database)
            events, runs, conversations = EventStore(database), RunStore(database), ConversationStore(database)
            node = None if database.is_sqlite else settings.node  # nobody else can be at work on a file
            await end_what_a_crash_left(node, runs, events, conversations)
            log, keys = EventLog(events), KeyStore(database)
            async with asyncio.TaskGroup() as tasks:
                writer = tasks.create_task(log.write())
                runner = LocalRunner(
                    node=settings.node,
                    agents=agents,
                    log=log,
                    events=events,
                    runs=runs,
                    conversations=conversations,
                    tasks=tasks,
                    most=settings.max_runs,
                    cancel_when_nobody_reads=settings.on_disconnect == "cancel",
                )
                try:
                    yield Parts(
                        settings=settings,
                        agents=agents,
                        database=database,
                        conversations=conversations,
                        runs=runs,
                        artifacts=ArtifactStore(database),
                        keys=keys,
                        log=log,
                        runner=runner,
                        metrics=Metrics(),
                        streams=OpenStreams(),
                        locked=settings.server_key is not None or await keys.any(),
                    )
                finally:
                    await runner.close()
                    writer.cancel()
    except BaseExceptionGroup as group:
        if len(group.exceptions) == 1:  # the group is ours; whoever is above knows of one error
            raise group.exceptions[0] from None
        raise
    finally:
        await agents.aclose()
        await database.aclose()
