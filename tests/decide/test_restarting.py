"""A run that somebody stops, and a question that somebody wants investigated again, by table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.decide.workflow import resume
from bot.models.effect import CheckFindings, Investigate, PostReply
from bot.models.presses import Restarted
from bot.models.thread_event import Approve, Bounce, Dismiss, Due, Mute, Posted, Redraft, RunFailed, TakeOver
from tests.builders import OPERATOR, added, at, found, fresh, moved, step, validated
from tests.decide.test_workflow import press

if TYPE_CHECKING:
    from bot.models.thread import Thread


def investigating() -> Thread:
    """A question whose run is alive."""
    return moved(moved(None, added()), Due(at=at(2), fresh=fresh()))


def waiting() -> Thread:
    """One whose draft waits."""
    thread = investigating()
    thread = moved(thread, found(thread))
    return moved(thread, validated(thread))


def ended(how: str) -> Thread:
    """One that has ended this way."""
    thread = waiting()
    match how:
        case "dismissed":
            return moved(thread, press(Dismiss, thread))
        case "expired":
            return moved(thread, Due(at=thread.expires_at or at(), fresh=fresh()))
        case "taken-over":
            return moved(thread, press(TakeOver, thread))
        case "muted":
            return moved(thread, Mute(at=at(20), fresh=fresh()))
        case _:
            return moved(moved(thread, press(Approve, thread)), Posted(at=at(21), fresh=fresh(), ts="200.000001"))


def again(**changes: str) -> Restarted:
    """Somebody's word."""
    return Restarted(
        at=at(400_000), fresh=fresh(), by=OPERATOR, operator=changes.get("operator", OPERATOR), mode="live"
    )


def stopped(thread: Thread) -> RunFailed:
    """The end of its run by a person's hand."""
    return RunFailed(at=at(5), fresh=fresh(), run_id=thread.run_id or "", reason="Ada stopped the run", why="stopped")


def test_a_restart_goes_on_with_the_run_that_was_alive() -> None:
    """A reply may be on its way from a dead process, so it is looked for after that has settled."""
    running = investigating()
    checking = moved(running, found(running))
    draft = waiting()
    sent_back = moved(draft, press(Bounce, draft))
    assert resume(running) == Investigate(run_id=str(running.run_id))
    assert resume(checking) == CheckFindings(run_id=str(checking.run_id))
    assert resume(sent_back) == Investigate(run_id=str(sent_back.run_id))
    assert resume(moved(draft, press(Approve, draft))) == PostReply(look_first=True, search_twice=True)


def test_a_run_that_is_stopped_leaves_the_question_to_its_operator() -> None:
    """With the reason on the card, and on record as no failure of the agent's; Redraft begins anew."""
    thread = investigating()
    after = moved(thread, stopped(thread))
    assert (after.status, after.failure, after.run_id) == ("pending-user", "Ada stopped the run", None)
    assert [one.status for one in after.dispatches] == ["aborted: stopped"]
    assert resume(after) is None
    assert moved(after, press(Redraft, after)).status == "investigating"
    assert not step(after, stopped(thread)).accepted


@pytest.mark.parametrize("how", ["dismissed", "expired"])
def test_what_nobody_answered_is_asked_once_more(how: str) -> None:
    """As the next question of the same document: its words, a new card, nothing of the last draft; due immediately."""
    thread = ended(how)
    after = moved(thread, again(operator="U0ADMIN"))
    assert (after.status, after.outcome, after.draft_pending) == ("collecting", None, None)
    assert (after.question, after.question_round, after.due_at) == (thread.question, 2, at(400_000))
    assert (after.operator, after.card.nonce != thread.card.nonce) == ("U0ADMIN", True)
    begun = moved(after, Due(at=at(400_000), fresh=fresh()))
    assert (begun.status, begun.investigator_round) == ("investigating", 1)
    assert [one.outcome for one in begun.earlier] == [how]


@pytest.mark.parametrize("how", ["replied", "taken-over", "muted"])
def test_what_was_answered_or_silenced_stays_as_it_is(how: str) -> None:
    """A reply stands in the thread, a person answers, or somebody asked for silence."""
    assert not step(ended(how), again()).accepted


@pytest.mark.parametrize("thread", [investigating(), waiting(), moved(None, added())])
def test_what_has_not_ended_gets_no_second_run(thread: Thread) -> None:
    """Neither beside a run nor beside a draft."""
    assert not step(thread, again()).accepted
