"""`Scope`: what `asyncio.timeout` does, and nothing of it is left behind."""

from __future__ import annotations

import asyncio

import pytest

from actloop.agent.cancellation import Scope, cancelled_from_outside


async def several_turns() -> None:
    """Nothing comes after the block that belongs to it."""
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.asyncio
@pytest.mark.parametrize("seconds", [0.01, 0.0, -1.0])
async def test_a_block_ends_when_its_time_is_up(seconds: float) -> None:
    with pytest.raises(TimeoutError), Scope(seconds) as scope:
        await asyncio.Event().wait()
    await several_turns()
    assert scope.ended
    assert not cancelled_from_outside()


@pytest.mark.asyncio
async def test_a_block_can_be_ended_by_others_more_than_once() -> None:
    async def end(scope: Scope) -> None:
        scope.end()
        asyncio.get_running_loop().call_soon(scope.end)
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError), Scope(60) as scope:
        await end(scope)
    await several_turns()
    assert not cancelled_from_outside()


@pytest.mark.asyncio
async def test_ending_a_block_that_is_over_by_then_does_nothing() -> None:
    with Scope() as scope:
        scope.end()
    scope.end()
    await several_turns()
    assert not scope.ended


@pytest.mark.asyncio
async def test_what_the_block_raises_by_itself_is_not_turned_into_a_timeout() -> None:
    async def fail() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ValueError("mine") from None

    with pytest.raises(asyncio.CancelledError), Scope(60):
        raise asyncio.CancelledError
    with pytest.raises(ValueError, match="mine"), Scope(0.0):
        await fail()
    await several_turns()
    assert not cancelled_from_outside()


@pytest.mark.asyncio
async def test_who_cancels_the_task_meanwhile_is_heard() -> None:
    async def work() -> None:
        with Scope(60) as scope:
            scope.end()
            asyncio.get_running_loop().call_soon(task.cancel)
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.wait([task])
    assert task.cancelled()


@pytest.mark.asyncio
async def test_an_inner_block_ends_alone() -> None:
    with Scope(60) as outer:
        with pytest.raises(TimeoutError), Scope(0.0):
            await asyncio.Event().wait()
        await several_turns()
    assert not outer.ended
