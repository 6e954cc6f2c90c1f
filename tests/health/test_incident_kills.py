"""Kills of the bot at every step from a failure to its thread: one message, one thread, one session."""

from __future__ import annotations

import random
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from bot.runtime import failpoints
from tests.health.service_bench import Bench, section
from tests.kills import Kill, live


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
        if not steps:
            steps = len(kill.passed)
            number = 0 if is_open else steps // 2  # the first half is that of the other story
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


@pytest.mark.parametrize("seed", range(6))
async def test_an_incident_survives_several_kills(tmp_path: Path, seed: int) -> None:
    """Bots that die one after another, also while they start, still make one message and one thread."""
    chance = random.Random(seed)
    bench = Bench(tmp_path / "home", section("shop"))
    await bench.start()
    for letters in ("UUU", "UU", "U", "UU", "UUHH", "HH"):

        async def work(letters: str = letters) -> None:
            await bench.start()
            await bench.story(letters)

        await live(work, Kill(before=chance.randrange(1, 60)))
    await bench.start()
    await bench.story("HH")
    assert len(bench.channel.posted) <= 1
    assert len(await bench.documents()) == len(bench.channel.posted)
    assert not any(record.is_open or record.is_behind for record in bench.services.book.records)
    assert "running" not in {session.outcome for session in await bench.sessions()}
    for thread in await bench.documents():
        assert thread.incident is not None
        assert thread.incident.is_over
    await bench.stop()


async def test_nothing_is_posted_before_it_is_on_disk(tmp_path: Path) -> None:
    """A full disk delays the message; states and checks go on."""
    bench = await Bench(tmp_path / "home", section("shop")).start()

    def watch(point: str, subject: str) -> AbstractContextManager[None]:
        if point == "kept.write":
            raise OSError(28, "No space left on device")
        return nullcontext()

    failpoints.arm(watch)
    try:
        await bench.story("UUUU")
    finally:
        failpoints.arm(None)
    assert bench.channel.posted == []
    assert bench.services.list_states()[0].unhealthy_in_row == 4
    await bench.settle()
    assert len(bench.channel.posted) == 1
    await bench.stop()
