"""What follows the end of a turn, by table: the eleven behaviours of spec 4, and that two messages are the most."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from bot.decide.silent_exit import (
    Alarm,
    LoopClosed,
    ReadThread,
    RetryPrompt,
    Truth,
    TurnEnd,
    build_retry_prompt,
    counted,
    decide_follow_up,
)

CHAOS = ("list_tasks", "respond", "delete_note", "read_note", "read_note")


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(TurnEnd(responded=True, actions=CHAOS), id="1: tools before and after respond"),
        pytest.param(TurnEnd(responded=True, actions=("respond", *CHAOS[2:])), id="2: cleaning up after respond"),
        pytest.param(TurnEnd(responded=True, final_text="I also tidied up."), id="3: words after respond"),
        pytest.param(TurnEnd(responded=True, failure="the model cannot be reached"), id="4: it broke after respond"),
        pytest.param(TurnEnd(posted_otherwise=True, actions=("delete_project",)), id="5: another post that it made"),
        pytest.param(TurnEnd(responded=True, is_retried=True), id="respond after the nudge"),
        pytest.param(TurnEnd(reported=True, actions=("pause",)), id="code said what was done"),
        pytest.param(TurnEnd(responded=True, in_doubt=True), id="a second post in doubt"),
        pytest.param(TurnEnd(is_retried=True, truth="yes"), id="7, 10: the thread shows a post"),
        pytest.param(TurnEnd(in_doubt=True, truth="yes"), id="a doubt that the thread settles"),
        pytest.param(TurnEnd(failure="over the cap", truth="yes"), id="it broke, and the thread shows a post"),
    ],
)
def test_a_closed_loop_is_left_in_peace(ended: TurnEnd) -> None:
    """Whatever else the turn did, nobody is nudged or alarmed."""
    assert isinstance(decide_follow_up(ended), LoopClosed)


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(TurnEnd(), id="nothing at all"),
        pytest.param(TurnEnd(final_text="It is done."), id="words that nobody reads"),
        pytest.param(TurnEnd(actions=("pause_project",)), id="6: a post that the turn knows nothing of is missed"),
        pytest.param(TurnEnd(in_doubt=True, truth="no"), id="a doubt: it is not there"),
    ],
)
def test_a_turn_without_respond_is_nudged(ended: TurnEnd) -> None:
    """Once; Slack is not asked before, since it cannot tell a first word from the last."""
    assert isinstance(decide_follow_up(ended), RetryPrompt)


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(TurnEnd(is_retried=True), id="silent twice"),
        pytest.param(TurnEnd(failure="no key"), id="another try would end in the same way"),
        pytest.param(TurnEnd(in_doubt=True), id="in doubt"),
        pytest.param(TurnEnd(in_doubt=True, is_retried=True), id="in doubt after the nudge"),
    ],
)
def test_the_thread_is_read_before_an_alarm(ended: TurnEnd) -> None:
    """What stands there counts, not what the turn knows of itself."""
    assert decide_follow_up(ended) == ReadThread()


@pytest.mark.parametrize(
    ("ended", "alarm"),
    [
        pytest.param(
            TurnEnd(is_retried=True, truth="no"),
            Alarm("the model ended twice without an answer", is_unread=False),
            id="8, 11: truly silent",
        ),
        pytest.param(
            TurnEnd(is_retried=True, truth="unknown"),
            Alarm("the model ended twice without an answer", is_unread=True),
            id="9: Slack cannot be read",
        ),
        pytest.param(TurnEnd(failure="no key", truth="no"), Alarm("no key", is_unread=False), id="it broke"),
        pytest.param(
            TurnEnd(in_doubt=True, truth="unknown"),
            Alarm("Slack did not say whether it took the answer", is_unread=True),
            id="a doubt that nothing settles: no further try",
        ),
    ],
)
def test_a_silent_end_is_alarmed(ended: TurnEnd, alarm: Alarm) -> None:
    """With why, and with a word where Slack could not be read."""
    assert decide_follow_up(ended) == alarm


def test_there_are_never_three_messages() -> None:
    """An alarm only where nothing is known to stand, a nudge only once and never after a doubt that was not read."""
    flags = product((False, True), repeat=4)
    cases = 0
    for (responded, in_doubt, otherwise, nudged), failure, truth in product(flags, ("", "it broke"), get_args(Truth)):
        ended = TurnEnd(
            responded=responded,
            in_doubt=in_doubt,
            posted_otherwise=otherwise,
            is_retried=nudged,
            failure=failure,
            truth=truth,
        )
        cases += 1
        match decide_follow_up(ended):
            case Alarm():
                assert not responded
                assert not otherwise
                assert truth in ("no", "unknown")
            case RetryPrompt():
                assert not nudged
                assert not failure
                assert not (in_doubt and truth != "no")
            case ReadThread():
                assert truth == "unasked"
    assert cases == 128


def test_a_nudge_names_what_was_done() -> None:
    """So that nothing is done twice, and what was written is at hand; a flood of words is cut."""
    text = build_retry_prompt(TurnEnd(actions=CHAOS, final_text="x" * 9_000))
    assert "called list_tasks, delete_note, read_note (2 times); do not do that again" in text
    assert len(text) < 2_000
    assert "You wrote" not in build_retry_prompt(TurnEnd(final_text=" \n"))
    assert "do not do that again" not in build_retry_prompt(TurnEnd(actions=("respond",)))
    assert counted(()) == ""
