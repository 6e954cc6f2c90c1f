"""Edits and faults of a draft, by table: what a press needs to have named, and what a late look changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.workflow import Transition, WorkflowLimits, resume
from bot.decide.workflow.approvals import CHANGED, NO_ANSWER
from bot.decide.workflow.edits import LINES_CHANGED
from bot.decide.workflow.marking import state_of
from bot.models.decision import Round
from bot.models.effect import OpenReferences, PostReply
from bot.models.faults import confirmation_digest, find_faults, has_answer
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Bounce,
    CardWanted,
    Delegate,
    Dismiss,
    EditSubmitted,
    NotFound,
    Posted,
    Redraft,
    RunFailed,
)
from tests.builders import (
    LIMITS,
    added,
    at,
    check,
    draft_for,
    edited,
    found,
    fresh,
    moved,
    opened,
    references_opened,
    step,
    validated,
    validator,
)
from tests.decide.test_workflow import investigating, pending, press


def failed() -> Thread:
    """A draft whose text cites a file that is not there."""
    gone = check("failed", "config/nope.toml:3").evolve(reason="it does not exist in platform")
    return edited(pending(), "See `config/nope.toml:3`.", gone)


@pytest.mark.parametrize(
    ("thread", "said"),
    [
        (pending(), ()),
        (failed(), ("`config/nope.toml:3` does not exist in platform.",)),
        (pending().evolve(evidence_checks=(check("failed"),)), ("`bot/a.py:1`: so it is.",)),
        (pending().evolve(unsupported=("5,000",)), ("`5,000` is not supported by any cited line.",)),
        (pending().evolve(unsupported=("7", "x.py")), ("`7`, `x.py` are not supported by any cited line.",)),
        (failed().evolve(unsupported=("config/nope.toml:3",)), ("`config/nope.toml:3` does not exist in platform.",)),
        (failed().evolve(unsupported=("lines 1, 3",)), ("`config/nope.toml:3` does not exist in platform.",)),
        (
            failed().evolve(unsupported=("line 4",)),
            ("`config/nope.toml:3` does not exist in platform.", "`line 4` is not supported by any cited line."),
        ),
        (failed().evolve(opening="o1"), ()),
    ],
)
def test_each_fault_is_a_sentence(thread: Thread, said: tuple[str, ...]) -> None:
    """Of a reference that failed, and of the values that no line holds; each once."""
    assert find_faults(thread) == said


def test_a_draft_that_was_bounced_before_says_so() -> None:
    """The same text, or from the engine that quotes the same leading places; not what a person wrote, nor what is less
    by what was taken out.
    """
    thread = pending()
    refs = tuple(ref.ref for ref in thread.references)
    round_ = Round(number=1, draft="other words", refs=refs, by="operator", attack="wrong")
    text = thread.draft_pending.text if thread.draft_pending else ""
    again = thread.evolve(rounds=(round_.evolve(draft=text),))
    assert find_faults(again) == ("Nothing new was found: this repeats round 1, which was bounced.",)
    assert find_faults(thread.evolve(rounds=(round_,), engine="keyword")) == find_faults(again)
    assert not find_faults(thread.evolve(rounds=(round_,), engine="agents"))
    assert not find_faults(thread.evolve(rounds=(round_.evolve(by="validator", draft=text),)))
    assert not find_faults(edited(again, "Ana knows."))
    assert find_faults(edited(again, text)) == find_faults(again)
    found = thread.investigator_return
    assert found
    less = found.evolve(alternatives_dropped=("src/last.py:3: taken out at a bounce",))
    earlier = round_.evolve(refs=(*refs, "src/last.py:3"))
    assert not find_faults(thread.evolve(rounds=(earlier,), engine="keyword", investigator_return=less))


def test_an_approval_counts_only_where_its_button_named_the_faults() -> None:
    """A button of an older card named none, or others; the press is told which there are."""
    thread, gone = failed(), "`config/nope.toml:3` does not exist in platform."
    for other in ("", confirmation_digest(pending().evolve(unsupported=("7",)))):
        refusal = f"{gone} Press Approve on the updated card to confirm. Nothing was changed."
        refused = step(thread, press(Approve, thread, confirmed=other))
        assert refused == Transition(thread, accepted=False, refusal=refusal)
    assert isinstance(step(thread, press(Approve, thread)).effect, PostReply)
    without = pending()
    assert step(without, press(Approve, without, confirmed="0" * 12)).refusal == CHANGED
    two = thread.evolve(unsupported=("7",))
    refused = step(two, press(Approve, two, confirmed=""))
    assert (refused.refusal or "").startswith(f"{gone} `7` is not supported by any cited line. Press Approve")


def test_what_found_no_answer_cannot_be_approved_nor_be_marked_as_one() -> None:
    """Whatever the button; another text of a person's can, and a reply without an answer gets no check mark."""
    nothing = pending().evolve(found_nothing=True)
    assert step(nothing, press(Approve, nothing)).refusal == NO_ANSWER
    assert step(nothing.evolve(stale="x"), press(Approve, nothing, anyway=True)).refusal == NO_ANSWER
    mine = edited(nothing, "Ana knows.")
    assert has_answer(mine)
    assert step(mine, press(Approve, mine)).accepted
    assert not has_answer(edited(nothing, nothing.draft_pending.text if nothing.draft_pending else ""))


def test_an_edit_is_opened_as_an_effect_and_again_after_a_crash() -> None:
    """Until then nothing is said of the new text; a second edit drops the look at the first."""
    thread = pending()
    first = step(thread, press(EditSubmitted, thread, draft=draft_for(thread, "One.").evolve(edited_by="U0OPS")))
    assert isinstance(first.effect, OpenReferences)
    assert first.thread is not None
    assert (first.thread.references, first.thread.evidence_checks, first.thread.verdict) == ((), (), None)
    assert resume(first.thread) == first.effect
    late = references_opened(first.thread, check())
    draft = draft_for(first.thread, "Two.").evolve(edited_by="U0OPS")
    second = moved(first.thread, press(EditSubmitted, first.thread, draft=draft))
    assert not step(second, late).accepted
    changed = first.thread.evolve(stale=f"{LINES_CHANGED}: bot/a.py:1: other lines")
    assert moved(changed, press(EditSubmitted, changed, draft=draft)).stale is None
    told = first.thread.evolve(stale="New in the thread")
    assert moved(told, press(EditSubmitted, told, draft=draft)).stale == "New in the thread"
    done = opened(second, check())
    assert ([each.ref for each in done.references], done.opening, resume(done)) == (["bot/a.py:1"], None, None)


@pytest.mark.parametrize(("nudged", "is_new"), [(None, False), ("T0-C0-1.1/9", False), ("", True)])
def test_an_edit_of_a_draft_that_was_announced_announces_no_other(nudged: str | None, is_new: bool) -> None:
    """The operator who was notified of the draft knows of its text; of no other draft they do."""
    thread = pending()
    assert thread.draft_pending
    thread = thread.evolve(nudged=thread.draft_pending.draft_id if is_new else nudged)
    event = press(EditSubmitted, thread, draft=draft_for(thread, "One."))
    assert moved(thread, event).nudged == (event.draft.draft_id if is_new else nudged)


@pytest.mark.parametrize("kind", [Bounce, Redraft, Dismiss])
def test_a_look_at_a_draft_that_is_gone_changes_nothing(kind: Any) -> None:
    """Another run, or the end, has come meanwhile."""
    thread = pending()
    looked = moved(thread, press(EditSubmitted, thread, draft=draft_for(thread, "One.").evolve(edited_by="U0OPS")))
    late = references_opened(looked, check())
    after = moved(looked, press(kind, looked))
    assert not step(after, late).accepted


def test_whoever_brings_the_drafted_text_back_has_edited_nothing() -> None:
    """The validator's word counts again, since it read this very text."""
    thread = pending().evolve(validator_return=validator())
    assert thread.draft_pending is not None
    away = edited(thread, "Another.", check())
    assert away.verdict is not None
    assert "tone_assessment" in away.verdict.not_made
    looked = moved(away, press(EditSubmitted, away, draft=draft_for(away, thread.draft_pending.text)))
    back = opened(looked, check(), references=None)
    assert back.draft_pending is not None
    assert back.verdict is not None
    assert (back.draft_pending.edited_by, back.cited, back.verdict.not_made) == (None, None, ())


def test_a_reply_without_an_answer_that_was_posted_all_the_same_ends_without_a_check_mark() -> None:
    """Such as one that was approved before an update."""
    thread = pending()
    approved = moved(thread, press(Approve, thread)).evolve(found_nothing=True)
    done = moved(approved, Posted(at=at(20), fresh=fresh(), ts="200.1"))
    assert done.outcome == "replied"
    assert state_of(done) == "failure"


HOLDING = replace(LIMITS, hold_low=True, remind=timedelta(hours=1), hand_over=timedelta(hours=2))


def low(limits: WorkflowLimits = HOLDING, **changes: Any) -> Thread:
    """A draft of low confidence, as it comes to wait."""
    thread = investigating()
    thread = moved(thread, found(thread, **{"confidence": "low", **changes}), limits)
    return moved(thread, validated(thread), limits)


def test_a_draft_of_low_confidence_is_held() -> None:
    """No card, no reminder, no hand-over; it expires like any other."""
    held = low()
    assert held.held_low
    assert (held.card.asks, held.remind_at, held.hand_over_at) == (False, None, None)
    assert held.due_at == held.expires_at
    for shown in (low(LIMITS), low(confidence="medium")):
        assert (shown.held_low, shown.card.asks) == (False, True)


def test_what_is_held_is_shown_to_whoever_asks_for_it_and_when_somebody_writes() -> None:
    """The card comes, and everything else that comes with one."""
    wanted = moved(low(), CardWanted(at=at(20), fresh=fresh()), HOLDING)
    assert (wanted.held_low, wanted.card.wanted or wanted.card.asks) == (False, True)
    news = moved(low(), added("anybody?", ts="200.1", root="100.000001", seconds=30), HOLDING)
    assert (news.held_low, news.card.asks) == (False, True)
    assert news.remind_at


@pytest.mark.parametrize(
    ("draft", "is_held"), [({}, True), ({"edited_by": "U0BEN"}, False), ({"withheld": "tokens"}, False)]
)
def test_a_draft_that_somebody_has_to_see_is_not_held(draft: dict[str, str], is_held: bool) -> None:
    """A person has edited it, or it cannot be posted as it is."""
    thread = investigating()
    thread = moved(thread, found(thread, confidence="low"), HOLDING)
    assert thread.draft_pending
    thread = thread.evolve(draft_pending=thread.draft_pending.evolve(**draft))
    after = moved(thread, validated(thread), HOLDING)
    assert (after.held_low, after.card.asks) == (is_held, not is_held)


def test_what_follows_a_held_draft_is_shown() -> None:
    """A run that failed, and a reply in doubt."""
    held = low()
    running = moved(held, press(Redraft, held), HOLDING)
    ended = RunFailed(at=at(20), fresh=fresh(), run_id=str(running.run_id), reason="no")
    failed_run = moved(running, ended, HOLDING)
    assert (failed_run.held_low, failed_run.card.asks) == (False, True)
    sent = moved(held, press(Approve, held), HOLDING).evolve(due_at=at(20))
    doubt = moved(sent, NotFound(at=at(20), fresh=fresh(), is_unread=True), HOLDING)
    assert (doubt.status, doubt.held_low, doubt.card.asks) == ("in-doubt", False, True)


def test_a_draft_that_is_held_since_the_settings_changed_is_not_announced() -> None:
    """Not in the morning either."""
    thread = low(LIMITS).evolve(announce_at=at(50))
    given = moved(thread, press(Delegate, thread, to="U0BEN"), HOLDING)
    assert (given.held_low, given.announce_at) == (True, None)


def test_an_edit_of_a_held_draft_is_opened_too() -> None:
    """It expires like any other, counted from the edit."""
    held = low()
    assert held.expires_at == at(4) + LIMITS.expiry
    made = step(held, press(EditSubmitted, held, draft=draft_for(held, "One.")), HOLDING)
    assert isinstance(made.effect, OpenReferences)
    assert made.thread
    assert (made.thread.held_low, made.thread.expires_at) == (True, at(10) + LIMITS.expiry)


def test_an_edit_without_a_draft_changes_nothing() -> None:
    """A failed run has none; its card takes another press."""
    draft = pending().draft_pending
    assert draft
    run = investigating()
    thread = moved(run, RunFailed(at=at(4), fresh=fresh(), run_id=str(run.run_id), reason="the model is down"))
    press = EditSubmitted(
        at=at(9), fresh=fresh(), by="U0OPS", draft_id=f"{thread.thread_id}/0", nonce=thread.card.nonce, draft=draft
    )
    assert step(thread, press) == Transition(thread, accepted=False)
