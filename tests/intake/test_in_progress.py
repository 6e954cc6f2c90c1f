"""Names in progress: the order in which those who wait go on."""

from __future__ import annotations

import asyncio

import pytest

from bot.intake.in_progress import InProgress
from tests.fakes import settle


async def is_held(names: InProgress, name: str = "C0HELP 1.1") -> bool:
    """Return whether somebody who waits for this name now does not go on at once."""
    waits = asyncio.create_task(names.wait(name))
    await settle()
    held = not waits.done()
    waits.cancel()
    return held


async def test_a_name_is_held_for_the_length_of_its_block() -> None:
    """Other names are not; those who waited go on when it ends."""
    names = InProgress()
    assert not await is_held(names)
    with names.hold("C0HELP 1.1"):
        waits = asyncio.create_task(names.wait("C0HELP 1.1"))
        assert (await is_held(names), await is_held(names, "C0HELP 2.2")) == (True, False)
        assert not waits.done()
    await settle()
    assert waits.done()
    assert not await is_held(names)


async def test_a_block_that_fails_releases_its_name() -> None:
    """The next message in that place must not wait forever."""
    names = InProgress()

    async def fail() -> None:
        with names.hold("C0HELP 1.1"):
            await settle()
            raise ValueError("broken")

    failing = asyncio.create_task(fail())
    await asyncio.sleep(0)
    waits = asyncio.create_task(names.wait("C0HELP 1.1"))
    with pytest.raises(ValueError, match="broken"):
        await failing
    await settle()
    assert waits.done()
    assert not await is_held(names)


async def test_a_release_comes_before_the_end_of_the_block() -> None:
    """For that name alone; a name that nobody holds needs none."""
    names = InProgress()
    names.release("C0HELP 1.1")
    with names.hold("C0HELP 1.1"), names.hold("C0HELP 2.2"):
        names.release("C0HELP 1.1")
        assert (await is_held(names), await is_held(names, "C0HELP 2.2")) == (False, True)


async def test_a_name_that_is_held_again_outlives_the_first_block() -> None:
    """As when a message of a thread comes while the one before it is assigned."""
    names = InProgress()
    with names.hold("C0HELP 1.1"):
        first = asyncio.create_task(names.wait("C0HELP 1.1"))
        await settle()
        second = names.hold("C0HELP 1.1")
        second.__enter__()
    await settle()
    assert first.done()
    assert await is_held(names)
    second.__exit__(None, None, None)
    assert not await is_held(names)
