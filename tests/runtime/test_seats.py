"""Seats: a limit that changes under those who wait."""

from __future__ import annotations

import asyncio

from bot.runtime.seats import Seats


async def test_a_seat_is_had_by_as_many_as_the_limit_of_the_moment_allows() -> None:
    """In the order of asking; who gives up waiting takes no seat, and who has one keeps it."""
    seats, begun, gates = Seats(1), list[int](), [asyncio.Event() for _ in range(5)]

    async def work(number: int) -> None:
        async with seats:
            begun.append(number)
            await gates[number].wait()

    async def settle() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(work(number)) for number in range(5)]
    await settle()
    assert begun == [0]
    tasks[1].cancel()
    seats.set_limit(3)
    await settle()
    assert begun == [0, 2, 3]
    seats.set_limit(1)
    for number in (0, 2):
        gates[number].set()
    await settle()
    assert begun == [0, 2, 3]
    tasks[3].cancel()
    await settle()
    assert begun == [0, 2, 3, 4]
    gates[4].set()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with seats:
        pass


async def test_a_seat_that_is_given_to_someone_who_gives_up_goes_on() -> None:
    """Both in the same moment."""
    seats = Seats(0)
    task = asyncio.create_task(seats.__aenter__())
    await asyncio.sleep(0)
    seats.set_limit(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(5), seats:
        assert task.cancelled()
