"""Token buckets, by table: who has room, who waits, how long and behind how many."""

from __future__ import annotations

import pytest

from bot.decide.admission import LEVELS, Bucket, Quotas, Rate, count_ahead, handed_out, levels_left, member, take
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss, Due, Edited, MessageAdded, Postponed
from bot.models.waiting import Waiting
from tests.builders import LIMITS, added, at, fresh, message, moved, step
from tests.decide.test_workflow import collecting, press

SIX_A_MINUTE = Rate(per_minute=6, burst=3)


def turns(asked_at: list[float], rate: Rate = SIX_A_MINUTE) -> list[float]:
    """For each question, in seconds, when its turn is."""
    bucket: Bucket | None = None
    answers = []
    for seconds in asked_at:
        bucket, turn = take(bucket, rate, at(seconds))
        answers.append((turn - at()).total_seconds())
    return answers


@pytest.mark.parametrize(
    ("asked_at", "expected"),
    [
        pytest.param([0, 0, 0], [0, 0, 0], id="a burst is taken at once"),
        pytest.param([0, 0, 0, 0, 0], [0, 0, 0, 10, 20], id="what is over gets one turn after the other"),
        pytest.param([0, 10, 20, 30, 40], [0, 10, 20, 30, 40], id="at the rate nobody ever waits"),
        pytest.param([0, 0, 0, 30, 30, 30, 30], [0, 0, 0, 30, 30, 30, 40], id="after a pause there is a burst again"),
        pytest.param([0, 0, 0, 5, 5], [0, 0, 0, 10, 20], id="half a turn's pause is half a turn less to wait"),
        pytest.param([3600, 3600, 3600, 0], [3600, 3600, 3600, 10], id="a clock set back adds nothing to the wait"),
        pytest.param([0, 0, 0, 0, 3600], [0, 0, 0, 10, 3600], id="a clock set forward ends every wait"),
    ],
)
def test_turns_are_handed_out_in_order(asked_at: list[float], expected: list[float]) -> None:
    """The moment of each question's turn, seconds after the start."""
    assert turns(asked_at) == expected


@pytest.mark.parametrize(("seconds", "count"), [(0, 0), (10, 0), (11, 1), (20, 1), (1_970, 196)])
def test_how_many_are_ahead_is_told_by_the_turns_in_between(seconds: float, count: int) -> None:
    """The next one has none ahead."""
    assert count_ahead(at(seconds), SIX_A_MINUTE, at()) == count


def test_a_line_that_is_known_by_its_last_turn_goes_on_behind_it() -> None:
    """After a restart a new question stands behind those that wait already."""
    assert take(handed_out(at(40), SIX_A_MINUTE, at()), SIX_A_MINUTE, at())[1] == at(50)


@pytest.mark.parametrize(
    ("passed", "left"),
    [
        (None, ("user", "channel", "workspace")),
        ("user", ("channel", "workspace")),
        ("channel", ("workspace",)),
        ("workspace", ()),
    ],
)
def test_a_level_is_passed_once(passed: str | None, left: tuple[str, ...]) -> None:
    """Whose turn has come in one line goes on to the next."""
    waiting = Waiting(level=passed, ahead=0) if passed else None
    assert levels_left(waiting) == left


def test_the_defaults_let_a_normal_team_pass() -> None:
    """One person asks twenty questions at the same time before one of them waits; in all it is more."""
    quotas = Quotas()
    assert [quotas.rate_of(level).burst for level in ("user", "channel", "workspace")] == [20, 60, 120]


def waiting() -> Thread:
    """A question whose turn comes at second 60."""
    said = Postponed(at=at(2), fresh=fresh(), until=at(60), waiting=Waiting(level="user", ahead=5))
    return moved(collecting(), said)


def test_a_question_that_waits_is_still_collecting_and_starts_at_its_turn() -> None:
    """Not a moment before it."""
    thread = waiting()
    assert (thread.status, thread.due_at) == ("collecting", at(60))
    assert not step(thread, Due(at=at(59), fresh=fresh())).accepted
    started = moved(thread, Due(at=at(60), fresh=fresh()))
    assert (started.status, started.waiting) == ("investigating", None)


@pytest.mark.parametrize(
    ("happening", "due"),
    [
        pytest.param(added("and on staging?", ts="100.000002", root="100.000001", seconds=20), 60, id="a message"),
        pytest.param(Edited(at=at(20), fresh=fresh(), message=message("where is it?")), 60, id="an edit"),
        pytest.param(added("one more", ts="100.000002", root="100.000001", seconds=59), 60, id="just before the turn"),
    ],
)
def test_who_adds_to_a_waiting_question_keeps_its_turn(happening: MessageAdded | Edited, due: float) -> None:
    """It does not go to the end of the line, and not to its front either."""
    thread = moved(waiting(), happening)
    assert (thread.due_at, thread.waiting) == (at(due), Waiting(level="user", ahead=5))
    assert LIMITS.debounce.total_seconds() == 2


def test_a_waiting_question_can_be_dismissed() -> None:
    """And waits no longer."""
    thread = waiting()
    closed = moved(thread, press(Dismiss, thread))
    assert (closed.status, closed.waiting, closed.due_at) == ("closed", None, None)


def test_each_level_counts_the_questions_of_its_own() -> None:
    """Of their asker, of their channel, and of the workspace."""
    thread = collecting()
    assert [member(thread, level) for level in LEVELS] == ["U0ANA", "C0HELP", "T0SANDBOX"]
