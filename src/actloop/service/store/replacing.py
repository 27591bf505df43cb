"""Taking a conversation's last run back, so that it can be begun again: inside the transaction that begins the next."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, case, delete, select, update

from actloop.errors import ActloopError
from actloop.service.store.tables import conversations, runs

__all__ = ["NotTheLastRun", "take_back_last_run"]


class NotTheLastRun(ActloopError):
    """Only the last run of a conversation can be begun again, once it has ended."""


_LOCK = select(conversations.c.history_before).where(conversations.c.id == bindparam("of")).with_for_update()
"""Where rows can be locked (PostgreSQL), whoever else begins a run here waits."""
_LAST = (
    select(runs.c.id, runs.c.query, runs.c.status)
    .where(runs.c.conversation_id == bindparam("of"))
    .order_by(runs.c.created_at.desc(), runs.c.id.desc())
    .limit(1)
)
_DELETE = delete(runs).where(runs.c.id == bindparam("run"))
_REWIND = (
    update(conversations)
    .where(conversations.c.id == bindparam("of"))
    .values(
        history=conversations.c.history_before,
        title=case((conversations.c.title == bindparam("its_title"), ""), else_=conversations.c.title),
    )
)


def take_back_last_run(connection: Connection, conversation_id: str, run_id: str, titled: Callable[[str], str]) -> None:
    """Delete a run with its events and artifacts; its conversation knows what it knew before.

    A title that came from its question (``titled`` of it) goes as well. Raises `NotTheLastRun`.
    """
    here = {"of": conversation_id}
    before = connection.execute(_LOCK, here).scalar_one_or_none()
    last = connection.execute(_LAST, here).one_or_none()
    if last is None or last.id != run_id:
        raise NotTheLastRun(f"{run_id!r} is not the last run of this conversation; only that can be begun again.")
    if last.status == "running":
        raise NotTheLastRun(f"The run {run_id!r} has not ended; wait for it, or cancel it.")
    if before is None:
        raise NotTheLastRun(f"The run {run_id!r} is from an older version of this service; it cannot be begun again.")
    connection.execute(_DELETE, {"run": run_id})
    connection.execute(_REWIND, {**here, "its_title": titled(last.query)})
