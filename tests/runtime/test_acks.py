"""Acks first: what can wait has its turn when Slack waits for none, or one after the other."""

from __future__ import annotations

import asyncio

from bot.runtime.acks import PendingAcks


async def test_work_goes_on_at_once_where_no_ack_is_outstanding() -> None:
    """Without a turn of the loop."""
    acks = PendingAcks()
    with acks.track():
        assert acks.are_due
    waiting = acks.wait_turn()
    try:
        waiting.send(None)
    except StopIteration:
        return
    raise AssertionError("it waited")


async def test_work_waits_for_the_acks_in_the_order_in_which_it_came() -> None:
    """All of it goes on when the last one is given, and a piece of it after a while where there is always one."""
    acks, done = PendingAcks(), list[int]()

    async def work(number: int) -> None:
        await acks.wait_turn()
        done.append(number)

    with acks.track():
        tasks = [asyncio.create_task(work(number)) for number in range(4)]
        await asyncio.sleep(0)
        assert done == []
        await tasks[0]  # a burst without an end holds up nothing for ever
        assert 0 < len(done) < 4
    await asyncio.gather(*tasks)
    assert done == [0, 1, 2, 3]
    await asyncio.wait_for(work(4), 1)
