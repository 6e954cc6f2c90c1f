"""Kills of the bot at every step of a handoff: nothing is lost, and no tier is started twice."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.escalation.folder import RunFolder
from bot.escalation.launcher import Launched, Launcher
from bot.models.escalation import TierEnd
from bot.runtime import failpoints
from tests.escalation.builders import handoff, returned, session
from tests.escalation.life import Life
from tests.escalation.machine import SECONDS, Machine, machine

HANDED = handoff().model_dump_json()


class Killed(BaseException):
    """The end of a bot in the middle of its work."""


@dataclass
class Kill:
    """A kill before the operation with this number; a killed bot does nothing any more."""

    before: int
    passed: list[str] = field(default_factory=list)
    is_watching: bool = True

    def watch(self, point: str, subject: str) -> AbstractContextManager[None]:
        """Count an operation of the bot, or end it."""
        if self.is_watching:
            self.passed.append(f"{point} {subject}")
            if len(self.passed) >= self.before:
                raise Killed
        return nullcontext()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out the operations of another process."""
        self.is_watching = False
        yield
        self.is_watching = True


@dataclass(frozen=True, kw_only=True)
class InstantLauncher(Launcher):
    """Launcher of processes that work within the call: tier 2 hands over, tier 3 answers."""

    kill_: Kill
    handed: str
    begun: list[str] = field(default_factory=list)
    """Sessions of the processes that have worked, in order."""

    def start(self, folder: RunFolder, name: str, environment: Any) -> Launched:
        """Run the process; a second one for the same run does nothing."""
        with failpoints.passing("escalations.start", folder.path.name), self.kill_.paused():
            if (handle := folder.take_lock()) is not None:
                self._work(folder)
                os.close(handle)
        with failpoints.passing("escalations.started", folder.path.name):
            return Launched(None, "tail -f")

    def _work(self, folder: RunFolder) -> None:
        task = folder.read_task()
        assert task is not None
        self.begun.append(task.session_id)
        own = session(session_id=task.session_id, tier=task.tier, cost_usd=0.1, outcome="answered")
        folder.session.write_text(own.model_dump_json())
        if task.tier == 2:
            folder.handoff.write_text(self.handed)
        folder.returned.write_text(returned(session_id=task.session_id).model_dump_json())
        folder.done.touch()


async def run(life: Life, run_id: str, tier: int, *, is_resumed: bool) -> TierEnd:
    """The end of a tier, by a bot that may be killed on the way."""
    effect = life.resume(run_id) if is_resumed else life.escalate(run_id, tier)
    woken = asyncio.create_task(life.supervisor._wake.wait())
    await asyncio.wait((effect, woken), timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
    woken.cancel()
    if not effect.done():
        await life.supervisor.look()
    return await asyncio.wait_for(effect, SECONDS)


async def chain(life: Life, kill: Kill) -> list[TierEnd]:
    """Both tiers, with a bot that is killed once and started again; the ends that their thread learns."""
    ends: list[TierEnd] = []
    for run_id, tier in (("run1", 2), ("run2", 3)):
        if ends and ends[-1].next_tier != tier:
            break
        failpoints.arm(kill.watch)
        try:
            ends.append(await run(life, run_id, tier, is_resumed=False))
        except Killed:
            failpoints.arm(None)
            await life.restart()
            ends.append(await run(life, run_id, tier, is_resumed=True))
        finally:
            failpoints.arm(None)
    return ends


def on(home: Path, kill: Kill, handed: str) -> tuple[Life, InstantLauncher]:
    """A bot on a new home."""
    home.mkdir()
    launcher = InstantLauncher(tmux=None, kill_=kill, handed=handed)
    return Life(Machine(home, launcher)), launcher


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
async def test_a_handoff_survives_a_kill_at_every_step(tmp_path: Path, stride: int) -> None:
    """Each tier is started once, has its handoff and its cost, whatever step was the last one before the kill."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 10_000)
        life, launcher = on(tmp_path / str(number), kill, HANDED)
        await life.start()
        ends = await chain(life, kill)
        steps = steps or len(kill.passed)
        at = f"before {number}: {kill.passed[-1]}"
        assert [end.returned.outcome for end in ends] == ["answered", "answered"], at
        assert (ends[0].next_tier, ends[1].next_tier) == (3, None), at
        second, third = await life.tiers()
        assert launcher.begun == [second.session_id, third.session_id], at
        assert (third.parent_session_id, second.outcome, third.outcome) == (
            second.session_id,
            "answered",
            "answered",
        ), at
        task, folder = life.machine.folder().read_task(), life.machine.folder()
        assert task is not None
        assert (task.session_id, task.handoff) == (third.session_id, handoff()), at
        assert [*folder.path.rglob("handoff.json"), *folder.path.rglob("child")] == [], at
        assert (folder.path / "earlier" / second.session_id / "return.json").exists(), at
        assert life.ledger.spent == pytest.approx(0.2), at
        assert life.supervisor.open_runs == {}, at
        number += stride if number else 1
    assert steps > 50


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("handed", ["{", json.dumps({"schema_version": 2})])
async def test_a_refused_handoff_stays_refused_after_a_kill(tmp_path: Path, handed: str, stride: int) -> None:
    """The operator learns the same reason, and no tier is started."""
    number, steps, reasons = 0, 0, set()
    while number <= steps + 1:
        kill = Kill(before=number or 10_000)
        life, launcher = on(tmp_path / str(number), kill, handed)
        await life.start()
        (end,) = await chain(life, kill)
        steps = steps or len(kill.passed)
        reasons.add(end.refusal)
        assert len(launcher.begun) == 1
        assert not life.machine.folder().handoff.exists()
        number += stride if number else 1
    assert len(reasons) == 1
    assert "handoff from tier 2" in reasons.pop()


async def test_a_bot_killed_right_after_a_start_finds_that_process(tmp_path: Path) -> None:
    """With a real process: the next bot watches it, and starts none beside it."""
    with machine(tmp_path / "home") as made:
        life = await Life(made).start()
        made.order("tell on", "wait")

        @contextmanager
        def watch(point: str, subject: str) -> Iterator[None]:
            yield
            if point == "escalations.start":
                raise Killed

        failpoints.arm(watch)
        try:
            effect = life.escalate()
            with suppress(Killed):
                await asyncio.wait_for(effect, SECONDS)
        finally:
            failpoints.arm(None)
        assert await made.told() == "on"
        first = made.folder().find_process()
        await life.restart()
        life.resume()
        await life.look()
        assert made.folder().find_process() == first
        assert len(await life.tiers()) == 1
        await life.kill()
