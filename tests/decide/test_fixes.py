"""Fixes, by table: who may begin one, what its end and each press lead to, and that the question goes on beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.decide.workflow import list_side_effects, resume
from bot.decide.workflow.fixes import OTHER_COMMIT, STOPPED, may_propose_fix, needs_link
from bot.models.effect import DraftFix, Effect, OpenMergeRequest, PostReply, StopFix
from bot.models.fix import FixResult
from bot.models.fix_event import (
    FixDiscarded,
    FixShown,
    MergeRequestFailed,
    MergeRequestPressed,
    RequestEdited,
    RequestLinked,
)
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Bounce, Dismiss, Due, EditSubmitted, Posted, StateChanged
from tests.builders import LIMITS, OPERATOR, added, at, draft_for, found, fresh, moved, step, validated
from tests.decide import test_workflow as questions
from tests.decide.test_workflow import press
from tests.fixes import (
    DEFECT,
    HEAD,
    REQUEST,
    discarded,
    drafting,
    ended,
    failed,
    fix_of,
    is_open,
    opened,
    opening,
    pressed,
    proposed,
    proposing,
    stopping,
    with_defect,
)

WORDS = {"title": "Allow five tries", "description": "As the docs promise."}


def approved() -> Thread:
    thread = with_defect()
    return moved(thread, press(Approve, thread))


def replied() -> Thread:
    return moved(approved(), Posted(at=at(11), fresh=fresh(), ts="111.000001"))


def dismissed() -> Thread:
    thread = with_defect()
    return moved(thread, press(Dismiss, thread))


def asked_again() -> Thread:
    """A merge request is open, and the next question of the thread names a defect, too."""
    thread = opened()
    thread = moved(thread, press(Approve, thread))
    thread = moved(thread, Posted(at=at(100), fresh=fresh(), ts="111.000001"))
    thread = moved(thread, added("and the other limit?", ts="112.000001", root="100.000001", seconds=110))
    thread = moved(thread, Due(at=at(120), fresh=fresh()))
    thread = moved(thread, found(thread, defect=DEFECT, seconds=121))
    return moved(thread, validated(thread, seconds=122))


@pytest.mark.parametrize(
    ("story", "is_taken"),
    [
        (with_defect, True),
        (questions.pending, False),
        (questions.investigating, False),
        (approved, True),
        (replied, True),
        (dismissed, False),
        (drafting, False),
        (proposed, False),
        (failed, True),
        (stopping, False),
        (discarded, True),
        (opening, False),
        (opened, False),
        (asked_again, True),
    ],
)
def test_a_fix_begins_where_a_defect_is_believed_and_no_other_is_under_way(
    story: Callable[[], Thread], is_taken: bool
) -> None:
    """The press starts its one run, whose id is the press's; the question's own work stays as it is."""
    thread = story()
    assert may_propose_fix(thread) is is_taken
    if thread.draft_pending is None:
        return
    after = step(thread, proposing(thread, fresh="run9"))
    assert after.accepted is is_taken
    assert after.effect == (DraftFix(run_id="run9") if is_taken else None)
    if is_taken:
        assert after.thread is not None
        fix = fix_of(after.thread)
        assert (fix.state, fix.order.defect, fix.order.asked_by) == ("drafting", DEFECT, OPERATOR)
        assert fix.number == (thread.fix.number + 1 if thread.fix else 1)
        assert (after.thread.status, resume(after.thread)) == (thread.status, resume(thread))
        assert not step(after.thread, proposing(after.thread)).accepted
        assert not step(thread, proposing(thread, nonce="older")).accepted


def test_each_attempt_has_a_branch_of_its_own() -> None:
    """A second fix does not begin on the branch of the first."""
    thread = failed()
    again = moved(thread, proposing(thread))
    assert fix_of(again).order.slug == f"{fix_of(thread).order.slug}-2"


@pytest.mark.parametrize(
    ("story", "effects"),
    [
        (with_defect, ()),
        (drafting, (DraftFix,)),
        (proposed, ()),
        (failed, ()),
        (opening, (OpenMergeRequest,)),
        (opened, ()),
        (discarded, ()),
        (stopping, (StopFix,)),
    ],
)
def test_a_restart_goes_on_from_the_saved_state(story: Callable[[], Thread], effects: tuple[type[Effect], ...]) -> None:
    """Whatever the question itself is at; such a document is not removed meanwhile."""
    thread = story()
    assert tuple(type(each) for each in list_side_effects(thread)) == effects
    closed = moved(thread, press(Dismiss, thread))
    assert list_side_effects(closed) == list_side_effects(thread)
    assert closed.may_be_removed is not bool(effects)
    assert Thread.model_validate(closed.model_dump(mode="json")) == closed


def test_a_document_without_a_fix_loads() -> None:
    """One that an earlier version of Triage saved."""
    saved = with_defect().model_dump(mode="json")
    del saved["fix"]
    assert Thread.model_validate(saved).fix is None


_PRESSES: dict[type[Any], dict[str, str]] = {MergeRequestPressed: {}, RequestEdited: WORDS, FixDiscarded: {}}
_TAKEN: list[tuple[Callable[[], Thread], dict[type[Any], str]]] = [
    (drafting, {FixDiscarded: "discarded"}),
    (proposed, {MergeRequestPressed: "opening", RequestEdited: "proposed", FixDiscarded: "discarded"}),
    (failed, {}),
    (opening, {}),
    (opened, {}),
    (discarded, {}),
    (stopping, {}),
]


@pytest.mark.parametrize(("story", "taken"), _TAKEN, ids=[story.__name__ for story, _ in _TAKEN])
def test_each_press_is_taken_in_its_states_alone(story: Callable[[], Thread], taken: dict[type[Any], str]) -> None:
    """With the state that it leads to; a press on what was shown before, or on another fix, has no effect."""
    thread = story()
    steps = {kind: step(thread, pressed(kind, thread, **words)) for kind, words in _PRESSES.items()}
    assert {kind: fix_of(each.thread).state for kind, each in steps.items() if each.accepted and each.thread} == taken
    for kind, words in _PRESSES.items():
        assert not step(thread, pressed(kind, thread, nonce="older", **words)).accepted
        assert not step(thread, pressed(kind, thread, number=9, **words)).accepted
        assert not step(with_defect(), pressed(kind, thread, **words)).accepted


def test_the_end_of_a_process_with_a_change_proposes_it() -> None:
    """With the words of its agent, and the push as it is shown."""
    fix = fix_of(proposed())
    assert (fix.state, fix.title, fix.description) == (
        "proposed",
        "Raise the limit to 5",
        "The docs promise five tries.",
    )
    assert fix.plan is not None
    assert fix.has_message


@pytest.mark.parametrize("without", ["proposal", "plan"])
def test_an_end_without_a_change_that_can_be_pushed_is_a_failure(without: str) -> None:
    """It may be proposed again."""
    thread = drafting()
    end = ended(thread)
    result = end.result if without == "plan" else FixResult(problem="No change passed the check.")
    fix = fix_of(moved(thread, replace(end, result=result, plan=None)))
    assert (fix.state, fix.proposal, fix.has_message) == ("failed", None, True)
    assert fix.problem == result.problem


def test_results_of_other_runs_are_dropped() -> None:
    """Of a draft, of an opening, and where no fix is known, as after a rebuild of the document."""
    thread, other = drafting(), opening()
    assert not step(thread, ended(thread, run_id="other")).accepted
    assert not step(other, is_open(other, run_id="other")).accepted
    assert not step(with_defect(), ended(thread)).accepted
    assert not step(proposed(), ended(thread)).accepted
    unended = discarded().evolve(fix=fix_of(opening()).evolve(result=None))
    assert not step(unended, ended(unended)).accepted
    late = MergeRequestFailed(at=at(99), fresh=fresh(), run_id=fix_of(other).opening_id or "", problem="Too late.")
    assert not step(moved(other, is_open(other)), late).accepted


def test_a_discarded_draft_keeps_its_cost_alone() -> None:
    """Whatever its process came to."""
    thread = stopping()
    after = moved(thread, ended(thread))
    fix = fix_of(after)
    assert fix.result is not None
    assert (fix.state, fix.proposal, fix.result.cost_usd, fix.has_message) == ("discarded", None, 0.12, False)
    assert list_side_effects(after) == ()
    assert not step(after, ended(after)).accepted


def test_edited_words_are_those_of_the_request() -> None:
    """The press after them must know them."""
    thread = proposed()
    after = moved(thread, pressed(RequestEdited, thread, **WORDS))
    fix = fix_of(after)
    assert (fix.title, fix.description, fix.edited_by) == (*WORDS.values(), OPERATOR)
    assert not step(after, pressed(MergeRequestPressed, thread)).accepted
    assert step(after, pressed(MergeRequestPressed, after, fresh="open9")).effect == OpenMergeRequest(run_id="open9")


@pytest.mark.parametrize(
    ("limits", "sha", "refusal"),
    [(replace(LIMITS, is_stopped=True), HEAD, STOPPED), (LIMITS, "c" * 40, OTHER_COMMIT)],
)
def test_nothing_is_opened_while_stopped_or_of_another_commit(limits: Any, sha: str, refusal: str) -> None:
    """The press says so, and changes nothing."""
    thread = proposed()
    after = step(thread, pressed(MergeRequestPressed, thread, sha=sha), limits)
    assert (after.accepted, after.refusal, after.thread, after.effect) == (False, refusal, thread, None)


def test_a_failed_opening_may_be_tried_again() -> None:
    """Its reason is shown until then."""
    thread = opening()
    fails = MergeRequestFailed(
        at=at(95), fresh=fresh(), run_id=fix_of(thread).opening_id or "", problem="The forge refused the token."
    )
    back = moved(thread, fails)
    assert (fix_of(back).state, fix_of(back).problem) == ("proposed", "The forge refused the token.")
    again = moved(back, pressed(MergeRequestPressed, back))
    assert (fix_of(again).state, fix_of(again).problem) == ("opening", "")


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [("no", "yes", "yes"), ("yes", "no", "yes"), ("maybe", "no", "maybe"), ("no", "no", "no")],
)
def test_a_branch_that_was_pushed_is_remembered(first: Any, second: Any, known: str) -> None:
    """A later opening that pushed nothing does not take it back, and no more does *Discard*."""
    thread = opening()
    for pushed in (first, second):
        opening_id = fix_of(thread).opening_id or ""
        fails = MergeRequestFailed(at=at(95), fresh=fresh(), run_id=opening_id, problem="No.", pushed=pushed)
        thread = moved(moved(thread, fails), pressed(MergeRequestPressed, moved(thread, fails)))
    assert fix_of(thread).pushed == known
    assert fix_of(moved(thread, is_open(thread))).pushed == "yes"


def test_a_question_goes_on_beside_its_fix() -> None:
    """It is sent back, drafted again, approved and closed, while the fix is drafted and opened."""
    thread = drafting()
    thread = moved(thread, press(Bounce, thread, feedback="shorter"))
    assert thread.status == "bounced-round-1"
    thread = moved(thread, ended(thread))
    assert (thread.status, fix_of(thread).state) == ("bounced-round-1", "proposed")
    thread = moved(thread, pressed(MergeRequestPressed, thread))
    thread = moved(thread, found(thread, defect=DEFECT))
    thread = moved(thread, validated(thread))
    approval = step(thread, press(Approve, thread))
    assert approval.effect == PostReply()
    assert approval.thread is not None
    thread = moved(approval.thread, is_open(approval.thread))
    assert (thread.status, fix_of(thread).state, needs_link(thread)) == ("approved", "opened", False)
    assert moved(thread, Posted(at=at(99), fresh=fresh(), ts="111.000001")).status == "closed"


def test_the_timers_of_the_card_are_not_those_of_the_fix() -> None:
    """A fix neither announces its question again nor keeps it from its expiry."""
    thread = with_defect()
    after = opened(thread)
    assert (after.expires_at, after.due_at, after.card.nonce) == (
        thread.expires_at,
        thread.due_at,
        thread.card.nonce,
    )


@pytest.mark.parametrize(
    ("story", "is_linked"),
    [(opened, True), (opening, False), (asked_again, False), (lambda: opened(replied()), False)],
    ids=["opened", "opening", "of an earlier question", "after the reply"],
)
def test_the_link_goes_into_a_reply_that_waits_for_its_approval(story: Callable[[], Thread], is_linked: bool) -> None:
    """Of the same question, and no other."""
    assert needs_link(story()) is is_linked


def linked(thread: Thread, **changes: Any) -> RequestLinked:
    """The thread's draft with the line."""
    draft = thread.draft_pending
    assert draft is not None
    made = draft_for(thread, f"{draft.text}\n\nMerge request !7: {REQUEST.url}")
    values: dict[str, Any] = {"at": at(96), "fresh": fresh(), "nonce": draft.nonce, "draft": made}
    return RequestLinked(**(values | changes))


def test_the_line_is_added_once_and_approve_covers_it() -> None:
    """A press on the card without it has no effect; a line that an operator took out stays out."""
    thread = opened()
    draft = thread.draft_pending
    after = moved(thread, linked(thread))
    assert draft is not None
    assert after.draft_pending is not None
    assert after.draft_pending.draft_id == draft.draft_id
    assert REQUEST.url in after.draft_pending.text
    assert not step(after, press(Approve, thread)).accepted
    assert not step(after, linked(after)).accepted
    assert not step(thread, linked(thread, nonce="older")).accepted
    assert not step(proposed(), linked(thread)).accepted
    edited = moved(after, press(EditSubmitted, after, draft=draft_for(after, "Five.")))
    assert not needs_link(edited.evolve(opening=None))


def test_another_draft_of_the_question_gets_the_line_again() -> None:
    """Each run's draft does, once."""
    thread = opened()
    thread = moved(thread, linked(thread))
    thread = moved(thread, press(Bounce, thread, feedback="shorter"))
    thread = moved(thread, found(thread, defect=DEFECT))
    assert not needs_link(thread)
    assert needs_link(moved(thread, validated(thread)))


def show_again(thread: Thread) -> Thread:
    """The thread whose fix has something new to show."""
    return thread.evolve(fix=fix_of(thread).evolve(revision=fix_of(thread).revision + 1))


def test_the_message_of_a_fix_is_recorded_once_it_shows_it() -> None:
    """The question's card gets the link to it, once. An older revision, or another message, changes nothing."""
    thread = proposed()
    fix = fix_of(thread)
    assert fix.is_behind
    shown = FixShown(at=at(81), fresh=fresh(), nonce=fix.card.nonce, channel="D0OPS", ts="1.5", revision=fix.revision)
    after = moved(thread, shown)
    assert (fix_of(after).card.ts, fix_of(after).is_behind, after.revision) == ("1.5", False, thread.revision + 1)
    again = moved(show_again(after), replace(shown, revision=fix.revision + 1))
    assert (fix_of(again).is_behind, again.revision) == (False, after.revision)
    assert not step(after, shown).accepted
    assert not step(thread, replace(shown, nonce="other")).accepted


@pytest.mark.parametrize(("story", "is_shown"), [(opening, True), (drafting, True), (proposed, False)])
def test_a_stop_is_shown_where_a_fix_is_under_way(story: Callable[[], Thread], is_shown: bool) -> None:
    """On the card and on the message of the fix."""
    thread = story()
    after = step(thread, StateChanged(at=at(99), fresh=fresh()))
    assert after.accepted is is_shown
    if is_shown and after.thread:
        assert fix_of(after.thread).revision == fix_of(thread).revision + 1
        assert fix_of(after.thread).nonce == fix_of(thread).nonce
