"""Which line an asker is shown: once for each way a question ends without an answer, and never twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.models.asker_line import AskerLine
from bot.models.external import KEPT_BACK, External
from bot.models.thread import Thread
from bot.models.thread_event import AskerLineShown, CardRendered, Due, Redraft, RunFailed
from tests.builders import ASKER, LIMITS, OPERATOR, added, at, fresh, moved, step, validated
from tests.decide.test_workflow import awaiting, pending, press


def failed(why: str | None = "time", **changes: Any) -> Thread:
    """A question whose run ended without findings."""
    thread = moved(moved(None, added(**changes)), Due(at=at(2), fresh=fresh()))
    return broken(thread, why)


def broken(thread: Thread, why: str | None = "time") -> Thread:
    """The live run ends without findings."""
    return moved(thread, RunFailed(at=at(9), fresh=fresh(), run_id=str(thread.run_id), reason="so it is", why=why))


def told(line: AskerLine, *, is_begun: bool = True) -> AskerLineShown:
    """The line is begun, or is to be said again."""
    return AskerLineShown(
        at=at(10), fresh=fresh(), ending=line.ending, question_round=line.question_round, is_begun=is_begun
    )


def line_of(thread: Thread) -> AskerLine:
    """The line that there must be."""
    assert thread.asker_line is not None
    return thread.asker_line


def test_a_failed_run_is_told_once_for_each_question() -> None:
    """However often it is tried and fails again; whoever asks next in the thread is told again."""
    thread = failed()
    assert (line_of(thread).ending, line_of(thread).why, line_of(thread).is_begun) == ("failed", "time", False)
    begun = moved(thread, told(line_of(thread)))
    assert line_of(begun).is_begun
    assert not step(begun, told(line_of(begun))).accepted
    again = broken(moved(begun, press(Redraft, begun)))
    assert line_of(again).is_begun


def test_what_had_no_effect_is_said_again() -> None:
    """The document takes it back, so that a restart in between says it."""
    begun = moved(failed(), told(line_of(failed())))
    back = moved(begun, told(line_of(begun), is_begun=False))
    assert not line_of(back).is_begun
    assert back.revision == begun.revision


def test_an_expired_card_is_told_after_a_failed_run_too() -> None:
    """They are two endings."""
    thread = moved(failed(), told(line_of(failed())))
    assert thread.due_at is not None
    expired = moved(thread, Due(at=thread.due_at, fresh=fresh()))
    assert (expired.outcome, line_of(expired).ending, line_of(expired).is_begun) == ("expired", "expired", False)


@pytest.mark.parametrize(
    "thread",
    [
        pytest.param(lambda: failed(mode="preview"), id="practice is not to be seen"),
        pytest.param(lambda: failed(sender=OPERATOR), id="who asks has the card"),
        pytest.param(lambda: failed(sender="B0ALERTS", sender_type="bot"), id="a program reads nothing"),
        pytest.param(pending, id="a draft waits"),
    ],
)
def test_others_are_told_nothing(thread: Any) -> None:
    """There is nobody to tell, or nothing."""
    assert thread().asker_line is None


def test_a_further_message_tells_nothing_that_was_held_back() -> None:
    """The card waits since before it."""
    thread = failed(KEPT_BACK)
    assert thread.asker_line is None
    assert moved(thread, added("on staging", seconds=20, ts="120.000001", root="100.000001")).asker_line is None


def test_a_question_that_expired_before_is_told_nothing_by_its_card() -> None:
    """Its document may be older than the line."""
    thread = failed()
    assert thread.due_at is not None
    expired = moved(thread, Due(at=thread.due_at, fresh=fresh())).evolve(asker_line=None)
    drawn = CardRendered(
        at=at(11), fresh=fresh(), nonce=expired.card.nonce, channel="D0OPS", ts="9.1", revision=expired.revision
    )
    assert step(expired, drawn).accepted
    assert moved(expired, drawn).asker_line is None


def test_a_line_of_another_question_says_nothing_of_this_one() -> None:
    """A task of before that comes late changes nothing."""
    thread = failed()
    late = replace(told(line_of(thread)), question_round=7)
    assert not step(thread, late).accepted
    assert not step(pending(), told(line_of(thread))).accepted


def test_people_of_an_enterprise_grid_are_told_too() -> None:
    """Their ids begin with another letter."""
    assert failed(sender="W0ANA").asker_line is not None


STOPPED = replace(LIMITS, is_stopped=True)


@pytest.mark.parametrize(
    ("limits", "how", "is_to_be_said"),
    [
        (STOPPED, {}, True),
        (LIMITS, {}, False),
        (STOPPED, {"mode": "preview"}, False),
        (STOPPED, {"operator": ASKER}, True),
    ],
)
def test_a_question_during_a_stop_tells_its_asker(limits: Any, how: Any, *, is_to_be_said: bool) -> None:
    """Where the bot's work is seen, and only while it is stopped."""
    thread = moved(None, replace(added(), **how), limits)
    thread = moved(thread, Due(at=at(2), fresh=fresh()), limits)
    assert (thread.asker_line is not None) is is_to_be_said
    if is_to_be_said:
        assert (line_of(thread).ending, line_of(thread).is_begun) == ("stopped", False)


def test_whoever_said_it_to_the_bot_was_told_by_that() -> None:
    """A mention and a direct message get their line immediately; a second question of the thread does, too."""
    thread = moved(None, replace(added(), mentioned=True), STOPPED)
    thread = moved(thread, Due(at=at(2), fresh=fresh()), STOPPED)
    assert line_of(thread).is_begun
    assert moved(broken(thread), Due(at=at(3), fresh=fresh())).asker_line != line_of(thread)


@pytest.mark.parametrize(
    ("external", "ending"),
    [
        (None, "paused"),
        (External(asker=False, channel=True), "paused"),
        (External(asker=True, channel=True), None),
    ],
)
def test_a_paused_project_that_fits_better_is_told_to_members_only(external: External | None, ending: Any) -> None:
    """Its name is none of another company's business."""
    thread = awaiting().evolve(paused_project="payments", external=external)
    line = moved(thread, validated(thread)).asker_line
    assert (line and line.ending) == ending
