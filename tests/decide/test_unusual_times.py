"""Times that no calendar has: hours without a working day, and presses without a time."""

from __future__ import annotations

from datetime import timedelta

from bot.decide.press_debounce import is_second_click
from bot.decide.working_hours import WorkingHours
from bot.models.interaction import Press
from tests.builders import CHANNEL, OPERATOR, TEAM, at

NEVER = WorkingHours(days=frozenset(), opens=9 * 60, closes=18 * 60, zone="UTC")


def test_a_team_that_never_works_waits_by_the_clock() -> None:
    """Nothing is put off for ever."""
    assert NEVER.add(at(), timedelta(hours=1)) == at(3_600)
    assert NEVER.open_from(at()) == at()


def test_a_press_without_a_time_is_no_second_click() -> None:
    """It is taken for one of long ago."""
    press = Press(
        interaction_id="no time",
        team_id=TEAM,
        user_id=OPERATOR,
        channel_id=CHANNEL,
        thread_id="T0SANDBOX-C0HELP-1.1",
        action="approve",
        draft_id="T0SANDBOX-C0HELP-1.1/1",
        nonce="n1",
        trigger_id="t1",
        in_queue=True,
    )
    before = [{"user_id": OPERATOR, "thread_id": "T-C-2.2", "interaction_id": "C0HELP-1767603600.000000"}]
    assert not is_second_click(press, before)
    assert not is_second_click(press.model_copy(update={"interaction_id": f"x-{10**30}"}), before)
