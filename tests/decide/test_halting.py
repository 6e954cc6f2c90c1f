"""Stop and mute: what they make of a thread, by status."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.decide.workflow import resume
from bot.decide.workflow.delivered import SETTLING
from bot.models.effect import LookUpReply, PostReply
from bot.models.thread import Thread
from bot.models.thread_event import Approve, DoubtfulPost, Due, HeldBack, Mute, NotFound, Posted, PostFailed
from tests.builders import OPERATOR, added, at, found, fresh, moved, step, validated


def in_status(status: str) -> Thread:
    """A thread that has come so far."""
    thread = moved(None, added())
    if status == "collecting":
        return thread
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    if status == "investigating":
        return thread
    thread = moved(thread, found(thread))
    if status == "awaiting-validation":
        return thread
    thread = moved(thread, validated(thread))
    if status == "pending-user":
        return thread
    draft = thread.draft_pending
    assert draft is not None
    thread = moved(thread, Approve(at=at(5), fresh=fresh(), by=OPERATOR, draft_id=draft.draft_id, nonce=draft.nonce))
    if status == "in-doubt":
        thread = moved(thread, DoubtfulPost(at=at(6), fresh=fresh(), settle_at=at(11)))
        thread = moved(moved(thread, Due(at=at(11), fresh=fresh())), NotFound(at=at(12), fresh=fresh(), is_unread=True))
    if status == "closed":
        thread = moved(thread, Posted(at=at(6), fresh=fresh(), ts="200.000001"))
    assert thread.status == status
    return thread


ALL = ("collecting", "investigating", "awaiting-validation", "pending-user", "approved", "in-doubt", "closed")


@pytest.mark.parametrize("status", ALL)
def test_only_an_approved_reply_is_held_back(status: str) -> None:
    """Stop ends runs too, but their documents say already what is to be done again."""
    thread = in_status(status)
    assert step(thread, HeldBack(at=at(20), fresh=fresh())).accepted == (status == "approved")


def test_a_reply_that_is_held_back_is_looked_for_and_then_for_its_operator_again() -> None:
    """The press on the card as it was settles nothing; a restart in between posts nothing."""
    thread = in_status("approved")
    before = thread.draft_pending
    held = moved(thread, HeldBack(at=at(20), fresh=fresh()))
    assert held.due_at == at(20) + SETTLING
    assert resume(held) is None
    looked = step(held, Due(at=at(20) + SETTLING, fresh=fresh()))
    assert looked.effect == LookUpReply()
    back = moved(looked.thread, NotFound(at=at(26), fresh=fresh()))
    assert (back.status, back.held_back) == ("pending-user", None)
    assert "stopped before this reply was posted" in str(back.stale)
    draft = back.draft_pending
    assert draft is not None
    assert before is not None
    assert draft.nonce != before.nonce
    press = Approve(at=at(30), fresh=fresh(), by=OPERATOR, draft_id=draft.draft_id, nonce=draft.nonce, anyway=True)
    assert step(back, press).effect == PostReply()


def test_a_reply_that_was_posted_just_before_is_found() -> None:
    """Then the question is answered, and nobody is asked."""
    held = moved(in_status("approved"), HeldBack(at=at(20), fresh=fresh()))
    closed = moved(held, Posted(at=at(26), fresh=fresh(), ts="200.000001"))
    assert (closed.status, closed.outcome, closed.held_back) == ("closed", "replied", None)


def test_a_reply_in_doubt_is_not_held_back_twice() -> None:
    """It is looked for already, and its operator will be asked."""
    doubtful = moved(in_status("approved"), DoubtfulPost(at=at(6), fresh=fresh(), settle_at=at(11)))
    assert not step(doubtful, HeldBack(at=at(7), fresh=fresh())).accepted


@pytest.mark.parametrize("status", ALL)
def test_mute_ends_whatever_goes_on(status: str) -> None:
    """No run, no due time, no draft to press; what is closed stays as it was."""
    thread = in_status(status)
    muted = step(thread, Mute(at=at(20), fresh=fresh()))
    assert muted.accepted == (status != "closed")
    assert muted.thread is not None
    if status == "approved":
        assert (muted.thread.held_back, muted.thread.due_at) == ("mute", at(20) + SETTLING)
    elif status != "closed":
        assert (muted.thread.status, muted.thread.outcome) == ("closed", "muted")
        assert (muted.thread.run_id, muted.thread.due_at, muted.effect) == (None, None, None)


@pytest.mark.parametrize(
    "end", [NotFound(at=at(26), fresh="n1"), PostFailed(at=at(26), fresh="n1", reason="Slack refused the reply")]
)
def test_an_approved_reply_of_a_muted_thread_is_not_asked_about(end: NotFound | PostFailed) -> None:
    """It is not there, so the thread closes without it."""
    muted = moved(in_status("approved"), Mute(at=at(20), fresh=fresh()))
    closed = moved(muted, end)
    assert (closed.status, closed.outcome, closed.held_back) == ("closed", "muted", None)


def test_a_mention_opens_a_muted_question_anew() -> None:
    """Nothing is left of what was held back."""
    muted = moved(in_status("investigating"), Mute(at=at(20), fresh=fresh()))
    again = moved(
        muted, added("again?", ts="101.000001", root="100.000001", sender="U0BEN", mentioned=True, seconds=30)
    )
    assert (again.status, again.outcome, again.held_back) == ("collecting", None, None)
    assert again.due_at == at(30) + timedelta(seconds=2)
