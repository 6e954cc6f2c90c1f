"""What people have said to the bot: kept over restarts, whatever the files hold."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.json_file import DiskJsonFile
from bot.errors import RetryLater
from bot.models.status import Mode
from bot.triage.controls import MOST_MUTED, Controls
from tests.builders import T0, at
from tests.fakes import MemoryKept

if TYPE_CHECKING:
    from pathlib import Path

HOME = "T0SANDBOX-C0HELP-100.000001"


def controls(kept: MemoryKept | None = None, mutes: MemoryKept | None = None) -> Controls:
    """Those of a process that has just started."""
    modes: dict[str, Mode] = {"C0HELP": "live", "C0GENERAL": "silent"}
    return Controls(file=kept or MemoryKept(), mutes_file=mutes or MemoryKept(), modes=modes)


async def test_all_of_it_outlives_the_process() -> None:
    """The state with its time, the modes that were said, the mutes; what was not said comes from the settings."""
    kept, mutes = MemoryKept(), MemoryKept()
    first = controls(kept, mutes)
    await first.set_state("stopped", T0)
    await first.set_mode("C0HELP", "preview")
    assert await first.mute(HOME, T0)
    after = controls(kept, mutes)
    await after.load()
    assert (after.state, after.since) == ("stopped", T0)
    assert after.modes == {"C0HELP": "preview", "C0GENERAL": "silent"}
    assert after.commanded_modes == {"C0HELP": "preview"}
    assert after.muted == {HOME: T0}


async def test_a_file_that_cannot_be_read_stops_it_and_is_set_aside(tmp_path: Path) -> None:
    """It may have held a stop; what is said then is kept anew."""
    path = tmp_path / "controls.json"
    path.write_text('{"state": "stop')
    after = Controls(file=DiskJsonFile(path), mutes_file=MemoryKept(), modes={"C0HELP": "live"})
    await after.load()
    assert (after.state, path.exists()) == ("stopped", False)
    assert str(next((tmp_path / "quarantine").iterdir())) in after.lost
    await after.set_state("running", T0)
    again = Controls(file=DiskJsonFile(path), mutes_file=MemoryKept(), modes={"C0HELP": "live"})
    await again.load()
    assert (again.state, again.lost) == ("running", "")


async def test_a_full_disk_lets_it_stop_and_not_go_on(tmp_path: Path) -> None:
    """A stop counts although a restart forgets it, and says so; what is held is never let go by half."""
    made = Controls(file=DiskJsonFile(tmp_path / "gone" / "controls.json"), mutes_file=MemoryKept(), modes={})
    with pytest.raises(RetryLater, match=r"Triage is stopped now, but a restart forgets it: controls.json cannot be"):
        await made.set_state("stopped", T0)
    assert (made.state, made.since) == ("stopped", T0)
    with pytest.raises(RetryLater, match=r"^controls.json cannot be written"):
        await made.set_state("running", T0)
    assert (made.state, made.since) == ("stopped", T0)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"state": "asleep", "since": 3, "modes": ["C0HELP"]},
        {"state": [], "modes": {"C0HELP": "loud", "C0GONE": "live"}},
        {"state": "running", "since": "yesterday", "modes": {"C0HELP": {}}},
    ],
)
async def test_what_does_not_fit_is_left_out(said: dict[str, Any]) -> None:
    """The settings count then, and a channel that is watched no more stays so."""
    after = controls(MemoryKept(**said), MemoryKept(**{HOME: "nonsense"}))
    await after.load()
    assert (after.state, after.modes) == ("running", {"C0HELP": "live", "C0GENERAL": "silent"})
    assert after.muted == {}


@pytest.mark.parametrize(
    ("mentioned", "seconds", "may"), [(False, 10, False), (True, 10, True), (True, -10, False), (True, 0, False)]
)
async def test_a_mention_after_it_ends_a_mute(mentioned: bool, seconds: int, may: bool) -> None:
    """One from before it, gone through again at a start, does not."""
    said = controls()
    await said.mute(HOME, at(0))
    assert await said.allows(HOME, mentioned=mentioned, at=at(seconds)) == may
    assert (HOME in said.muted) != may


async def test_no_mute_is_forgotten_before_there_are_too_many() -> None:
    """Not even where there are nearly so many."""
    said = controls()
    said.muted = {f"T0A-C0A-{n}.0": T0 for n in range(MOST_MUTED - 2)}
    await said.mute(HOME, T0)
    assert len(said.muted) == MOST_MUTED - 1


async def test_the_oldest_mute_is_forgotten_first() -> None:
    """There is an end to what is remembered."""
    said = controls()
    said.muted = {f"T0A-C0A-{n}.0": T0 for n in range(MOST_MUTED)}
    await said.mute(HOME, T0 + timedelta(seconds=1))
    assert len(said.muted) == MOST_MUTED
    assert "T0A-C0A-0.0" not in said.muted
    assert HOME in said.muted


async def test_a_message_from_before_the_one_that_set_the_state_is_outdated_after_a_restart_too() -> None:
    """By the times that Slack gave the messages, not by the time at which either was read."""
    kept = MemoryKept()
    made = controls(kept)
    assert not made.is_outdated(T0)
    await made.set_state("stopped", T0 + timedelta(minutes=2), ordered_at=T0)
    after = controls(kept)
    await after.load()
    for each in (made, after):
        assert [each.is_outdated(at) for at in (T0 - timedelta(seconds=1), T0, T0 + timedelta(seconds=1), None)] == [
            True,
            False,
            False,
            False,
        ]
