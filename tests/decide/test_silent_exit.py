"""What follows the end of a turn, by table: the eleven behaviours of spec 4, and that two messages are the most."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from bot.decide.silent_exit import Alarm, Ended, LoopClosed, ReadThread, RetryPrompt, Truth, counted, follows, nudge

CHAOS = ("list_tasks", "respond", "delete_note", "read_note", "read_note")


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(Ended(responded=True, actions=CHAOS), id="1: tools before and after respond"),
        pytest.param(Ended(responded=True, actions=("respond", *CHAOS[2:])), id="2: cleaning up after respond"),
        pytest.param(Ended(responded=True, said="I also tidied up."), id="3: words after respond"),
        pytest.param(Ended(responded=True, failure="the model cannot be reached"), id="4: it broke after respond"),
        pytest.param(Ended(posted_otherwise=True, actions=("delete_project",)), id="5: another post that it made"),
        pytest.param(Ended(responded=True, nudged=True), id="respond after the nudge"),
        pytest.param(Ended(responded=True, in_doubt=True), id="a second post in doubt"),
        pytest.param(Ended(nudged=True, truth="yes"), id="7, 10: the thread shows a post"),
        pytest.param(Ended(in_doubt=True, truth="yes"), id="a doubt that the thread settles"),
        pytest.param(Ended(failure="over the cap", truth="yes"), id="it broke, and the thread shows a post"),
    ],
)
def test_a_closed_loop_is_left_in_peace(ended: Ended) -> None:
    """Whatever else the turn did, nobody is nudged or alarmed."""
    assert isinstance(follows(ended), LoopClosed)


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(Ended(), id="nothing at all"),
        pytest.param(Ended(said="It is done."), id="words that nobody reads"),
        pytest.param(Ended(actions=("pause_project",)), id="6: a post that the turn knows nothing of is missed"),
        pytest.param(Ended(in_doubt=True, truth="no"), id="a doubt: it is not there"),
    ],
)
def test_a_turn_without_respond_is_nudged(ended: Ended) -> None:
    """Once; Slack is not asked before, since it cannot tell a first word from the last."""
    assert isinstance(follows(ended), RetryPrompt)


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(Ended(nudged=True), id="silent twice"),
        pytest.param(Ended(failure="no key"), id="another try would end in the same way"),
        pytest.param(Ended(in_doubt=True), id="in doubt"),
        pytest.param(Ended(in_doubt=True, nudged=True), id="in doubt after the nudge"),
    ],
)
def test_the_thread_is_read_before_an_alarm(ended: Ended) -> None:
    """What stands there counts, not what the turn knows of itself."""
    assert follows(ended) == ReadThread()


@pytest.mark.parametrize(
    ("ended", "alarm"),
    [
        pytest.param(
            Ended(nudged=True, truth="no"),
            Alarm("the model ended twice without an answer", unread=False),
            id="8, 11: truly silent",
        ),
        pytest.param(
            Ended(nudged=True, truth="unknown"),
            Alarm("the model ended twice without an answer", unread=True),
            id="9: Slack cannot be read",
        ),
        pytest.param(Ended(failure="no key", truth="no"), Alarm("no key", unread=False), id="it broke"),
        pytest.param(
            Ended(in_doubt=True, truth="unknown"),
            Alarm("Slack did not say whether it took the answer", unread=True),
            id="a doubt that nothing settles: no further try",
        ),
    ],
)
def test_a_silent_end_is_alarmed(ended: Ended, alarm: Alarm) -> None:
    """With why, and with a word where Slack could not be read."""
    assert follows(ended) == alarm


def test_there_are_never_three_messages() -> None:
    """An alarm only where nothing is known to stand, a nudge only once and never after a doubt that was not read."""
    flags = product((False, True), repeat=4)
    cases = 0
    for (responded, in_doubt, otherwise, nudged), failure, truth in product(flags, ("", "it broke"), get_args(Truth)):
        ended = Ended(
            responded=responded,
            in_doubt=in_doubt,
            posted_otherwise=otherwise,
            nudged=nudged,
            failure=failure,
            truth=truth,
        )
        cases += 1
        match follows(ended):
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
    text = nudge(Ended(actions=CHAOS, said="x" * 9_000))
    assert "called list_tasks, delete_note, read_note (2 times); do not do that again" in text
    assert len(text) < 2_000
    assert "You wrote" not in nudge(Ended(said=" \n"))
    assert "do not do that again" not in nudge(Ended(actions=("respond",)))
    assert counted(()) == ""
