"""Waiting for the next piece of a stream: what comes in time comes through, and what does not is a timeout."""

from __future__ import annotations

import asyncio

import pytest

from actloop.agent.stall import StallWatch


@pytest.mark.asyncio
async def test_what_comes_in_time_comes_through_however_long_the_whole_takes() -> None:
    watch = StallWatch(0.5)
    for number in range(8):
        assert await watch.wait_for(asyncio.sleep(0.08, number)) == number
    watch.close()


@pytest.mark.asyncio
async def test_time_between_two_waits_does_not_count() -> None:
    watch = StallWatch(0.2)
    for _ in range(2):
        await asyncio.sleep(0.3)
        assert await watch.wait_for(asyncio.sleep(0, "there")) == "there"
    watch.close()


@pytest.mark.asyncio
async def test_what_never_comes_is_a_timeout_and_the_task_goes_on_as_if_nobody_had_cancelled_it() -> None:
    watch = StallWatch(0.01)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            await watch.wait_for(asyncio.Event().wait())
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0.02)
    watch.close()


@pytest.mark.asyncio
async def test_a_wait_that_began_late_gets_its_whole_time() -> None:
    loop = asyncio.get_running_loop()
    watch = StallWatch(0.05)
    await asyncio.sleep(0.03)
    began = loop.time()
    with pytest.raises(TimeoutError):
        await watch.wait_for(asyncio.Event().wait())
    assert loop.time() - began >= 0.05
    watch.close()


@pytest.mark.asyncio
async def test_a_cancellation_from_outside_stays_one() -> None:
    watch = StallWatch(60)
    waiting = asyncio.ensure_future(watch.wait_for(asyncio.Event().wait()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    watch.close()


@pytest.mark.asyncio
async def test_a_cancellation_from_outside_counts_more_than_a_stall_at_the_same_time() -> None:
    watch = StallWatch(0.01)

    async def cancelled_once_more() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            waiting.cancel()

    waiting = asyncio.ensure_future(watch.wait_for(cancelled_once_more()))
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    watch.close()


@pytest.mark.asyncio
async def test_each_wait_may_be_in_a_task_of_its_own() -> None:
    watch = StallWatch(0.01)
    assert await asyncio.ensure_future(watch.wait_for(asyncio.sleep(0, "there"))) == "there"
    with pytest.raises(TimeoutError):
        await asyncio.ensure_future(watch.wait_for(asyncio.Event().wait()))
    watch.close()
