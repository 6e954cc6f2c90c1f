"""Lateness of the event loop, with the times of a test."""

from __future__ import annotations

from bot.runtime.acks import PendingAcks
from bot.runtime.durations import Durations
from bot.runtime.loop_lateness import LoopLateness


def test_the_last_measurement_counts_until_the_next_one() -> None:
    """One that is overdue counts as soon as it is the longer one."""
    lateness = LoopLateness()
    assert lateness.seconds(50.0) == 0
    lateness.expect(1.0)
    lateness.arrive(8.0)
    lateness.expect(9.0)
    assert lateness.seconds(8.5) == 7
    assert lateness.seconds(20.0) == 11
    lateness.arrive(9.0)
    assert lateness.seconds(9.0) == 0


def test_a_duration_counts_up_to_its_bound() -> None:
    """Longer ones than all bounds count last."""
    durations = Durations((0.1, 1.0))
    for seconds in (0.1, 0.2, 5.0):
        durations.add(seconds)
    assert durations.counts == [1, 1, 1]
    assert round(durations.total, 3) == 5.3


async def test_acks_have_their_durations() -> None:
    """Each is counted once."""
    acks = PendingAcks()
    acks.measure(began=0.0)
    assert sum(acks.durations.counts) == 1
