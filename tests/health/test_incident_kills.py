"""Kills of the bot at every step from a failure to its thread: one message, one thread, one session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.runtime import failpoints
from tests.fakes import settle
from tests.health.service_bench import Bench, section


class Killed(BaseException):
    """The end of a bot in the middle of its work."""


@dataclass
class Kill:
    """A kill before the operation with this number; a killed bot does nothing any more."""

    before: int
    passed: list[str] = field(default_factory=list)
    is_dead: bool = False

    def watch(self, point: str, subject: str) -> AbstractContextManager[None]:
        """Count an operation of the bot, or end it."""
        self.passed.append(f"{point} {subject}")
        if len(self.passed) >= self.before:
            self.is_dead = True
            raise Killed
        return nullcontext()


async def live(work: Callable[[], Awaitable[None]], kill: Kill) -> None:
    """Work until the end, or until the kill."""
    failpoints.arm(kill.watch)
    task = asyncio.ensure_future(work())
    try:
        while not task.done() and not kill.is_dead:
            await asyncio.wait([task], timeout=0.002)
        await settle()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    except Killed:
        pass
    finally:
        failpoints.arm(None)


async def tell_story(bench: Bench, letters: str, kill: Kill) -> None:
    """A bot that is killed once, and another that goes on."""
    await bench.start()
    await live(lambda: bench.story(letters), kill)
    if kill.is_dead:
        await bench.start()
        await bench.story(letters[-1] * 2)
    await bench.settle()


@pytest.mark.parametrize(("letters", "is_open"), [("UU", True), ("UUHH", False)], ids=["opened", "recovered"])
async def test_an_incident_survives_a_kill_at_every_step(tmp_path: Path, letters: str, is_open: bool) -> None:
    """One message and one thread, whatever step was the last one before the kill; the state is right afterwards."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 10_000)
        bench = Bench(tmp_path / str(number), section("shop"))
        await tell_story(bench, letters, kill)
        steps = steps or len(kill.passed)
        at = f"before {number}: {kill.passed[-1]}"
        was_opened = bool(bench.channel.posted)
        assert was_opened or not is_open, at
        assert len(bench.channel.posted) == was_opened, at
        assert len(await bench.documents()) == was_opened, at
        assert [record.is_open for record in bench.services.book.records] == [is_open] * was_opened, at
        assert not any(record.is_behind or record.facts for record in bench.services.book.records), at
        assert len(await bench.sessions()) <= 2, at
        open_sessions = [session for session in await bench.sessions() if session.outcome == "running"]
        assert len(open_sessions) == is_open, at
        await bench.stop()
        number += 1
    assert steps > 20
