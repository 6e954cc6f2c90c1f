"""Decisions on a card, by table: reasons, taking over, two approvals, the note, and what an edit keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from bot.decide.workflow import Transition, resume
from bot.decide.workflow.approvals import ASKER, TWICE
from bot.models.effect import Investigate, KeepNote, PostReply
from bot.models.findings import ProposedTriageFile
from bot.models.thread import Thread
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    AskOwner,
    Bounce,
    Delegate,
    DigDeeper,
    Dismiss,
    EditSubmitted,
    HeldBack,
    NoteKept,
    Overheard,
    PostAgain,
    Posted,
    PressEvent,
    RunRunbookPressed,
    Settle,
    Stop,
    TakeOver,
    WasPosted,
)
from tests.builders import ASKER as ANA
from tests.builders import LIMITS, OPERATOR, added, at, draft_for, found, fresh, message, moved, opened, step, validated
from tests.decide.test_workflow import approved, awaiting, collecting, in_doubt, investigating, pending, press, replied

BEN = "U0BEN"
TWO = replace(LIMITS, second_approver=True)
NOTE = ProposedTriageFile(filename="Retry limits.md", content="The limit is 3.")


def with_note() -> Thread:
    """A draft that waits, whose findings propose a note."""
    thread = investigating()
    thread = moved(thread, found(thread, proposed_triage_file=NOTE))
    return moved(thread, validated(thread))


_FIELDS: dict[Any, dict[str, Any]] = {
    AnswerQuestion: {"text": "yes"},
    AskOwner: {"owner": BEN},
    Delegate: {"to": BEN},
}
"""The fields that a press needs."""
_TAKEN: list[tuple[Callable[[], Thread], set[type]]] = [
    (collecting, {Stop, Settle, Dismiss, TakeOver, Delegate}),
    (investigating, {Stop, Settle, Dismiss, TakeOver, Delegate}),
    (awaiting, {Stop, Settle, Dismiss, TakeOver, Delegate}),
    (pending, {*get_args(PressEvent)} - {DigDeeper, RunRunbookPressed, Stop, WasPosted, PostAgain}),
    (in_doubt, {WasPosted, PostAgain}),
    (approved, set()),
    (replied, set()),
]


@pytest.mark.parametrize(("story", "taken"), _TAKEN, ids=[story.__name__ for story, _ in _TAKEN])
def test_each_press_is_taken_in_its_statuses_alone(story: Callable[[], Thread], taken: set[type]) -> None:
    """All presses, in each status."""
    thread = story()
    presses = {kind: _FIELDS.get(kind, {}) for kind in get_args(PressEvent)}
    presses[EditSubmitted] = {"draft": draft_for(pending(), "Four.")}
    assert {kind for kind, fields in presses.items() if step(thread, press(kind, thread, **fields)).accepted} == taken


@pytest.mark.parametrize(
    ("code", "words", "attack"),
    [
        ("outdated", "", "Outdated"),
        (None, "see orders.py", "see orders.py"),
        ("wrong_place", "see orders.py", "Wrong place: see orders.py"),
    ],
)
def test_a_bounce_keeps_its_code_and_its_words(code: Any, words: str, attack: str) -> None:
    """The next run is told both; the search gets the words alone."""
    thread = pending()
    after = step(thread, press(Bounce, thread, code=code, feedback=words))
    assert isinstance(after.effect, Investigate)
    assert after.thread is not None
    assert after.thread.decision is not None
    assert (after.thread.decision.code, after.thread.decision.reason) == (code, words)
    assert (after.thread.bounced_as, after.thread.feedback) == (code, words or None)
    assert after.thread.rounds[-1].attack == attack


def test_the_code_of_a_bounce_is_not_told_to_a_round_that_follows_an_answer() -> None:
    """It was about the draft before."""
    thread = pending()
    thread = moved(thread, press(Bounce, thread, code="tone"))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    assert thread.bounced_as == "tone"
    assert moved(thread, press(AnswerQuestion, thread, text="yes")).bounced_as is None


@pytest.mark.parametrize("story", [collecting, investigating, awaiting, pending])
@pytest.mark.parametrize(
    ("kind", "said", "outcome"),
    [
        (Dismiss, {"code": "duplicate", "link": "https://x.test/1"}, "dismissed"),
        (TakeOver, {}, "taken-over"),
        (Settle, {}, "settled"),
    ],
)
def test_a_question_ends_without_a_reply(
    story: Callable[[], Thread], kind: Any, said: dict[str, str], outcome: str
) -> None:
    """With or without a draft; whatever runs is named by the document no longer, so that it is ended."""
    thread = story()
    after = step(thread, press(kind, thread, **said))
    assert after.effect is None
    assert after.thread is not None
    assert (after.thread.status, after.thread.outcome, after.thread.run_id) == ("closed", outcome, None)
    assert after.thread.decision is not None
    assert after.thread.decision.by == OPERATOR
    assert (after.thread.decision.code, after.thread.decision.link) == (said.get("code"), said.get("link", ""))


def test_an_owner_is_asked_once_for_each_draft() -> None:
    """Whoever presses; another draft may be asked about again, and the draft that waits stays as it is."""
    thread = pending()
    asked = moved(thread, press(AskOwner, thread, owner=BEN))
    assert asked.asked_owner is not None
    assert (asked.asked_owner.owner, asked.draft_pending) == (BEN, thread.draft_pending)
    assert not step(asked, press(AskOwner, asked, owner=ANA)).accepted
    edited = moved(asked, press(EditSubmitted, asked, draft=draft_for(asked, "Four.")))
    assert step(edited, press(AskOwner, edited, owner=ANA)).accepted


def test_an_owner_who_was_not_reached_may_be_asked_again() -> None:
    """Whoever pressed takes it back, and only of the draft that they pressed for."""
    thread = pending()
    asked = moved(thread, press(AskOwner, thread, owner=BEN))
    assert not step(asked, press(AskOwner, asked, owner=None, by=BEN)).accepted
    assert not step(thread, press(AskOwner, thread, owner=None)).accepted
    back = moved(asked, press(AskOwner, asked, owner=None))
    assert back.asked_owner is None
    assert step(back, press(AskOwner, back, owner=ANA)).accepted


def test_whoever_is_asked_needs_a_draft_to_be_asked_about() -> None:
    """After a failed run there is none."""
    failed = pending().evolve(draft_pending=None)
    assert not step(failed, press(AskOwner, failed, owner=BEN)).accepted


def test_what_waits_for_a_decision_is_not_posted_again() -> None:
    """That button belongs to a reply in doubt."""
    doubt = in_doubt()
    again = step(doubt, press(PostAgain, doubt))
    assert again.thread
    assert (again.thread.status, again.effect) == ("approved", PostReply(look_first=True))
    assert not step(pending(), press(PostAgain, pending())).accepted
    assert not step(doubt, press(Bounce, doubt)).accepted


@pytest.mark.parametrize("story", [approved, in_doubt, replied])
@pytest.mark.parametrize(("kind", "said"), [(Dismiss, {}), (TakeOver, {}), (Delegate, {"to": BEN})])
def test_what_is_on_its_way_is_neither_ended_nor_passed_on(
    story: Callable[[], Thread], kind: Any, said: dict[str, str]
) -> None:
    """The reply may stand in the thread already."""
    thread = story()
    assert not step(thread, press(kind, thread, **said)).accepted


@pytest.mark.parametrize("story", [collecting, investigating, awaiting, pending])
def test_a_question_is_delegated_in_any_status_before_its_decision(story: Callable[[], Thread]) -> None:
    """Who delegated stands beside it."""
    thread = story()
    after = moved(thread, press(Delegate, thread, to=BEN))
    line = after.hand_overs[-1]
    assert (after.operator, line.by, line.for_second) == (BEN, OPERATOR, False)


@pytest.mark.parametrize(
    ("said", "reopens"),
    [
        ({}, False),
        ({"mentioned": True}, True),
        ({"sender": BEN}, False),
        ({"sender": BEN, "mentioned": True}, True),
    ],
)
def test_after_a_take_over_the_bot_waits_to_be_mentioned(said: dict[str, Any], reopens: bool) -> None:
    """A follow-up of the asker is the operator's to answer."""
    thread = pending()
    thread = moved(thread, press(TakeOver, thread))
    after = step(thread, added("and staging?", ts="200.1", root="100.000001", seconds=60, **said))
    assert after.accepted == reopens


def test_an_edit_keeps_what_was_drafted() -> None:
    """However often it is edited; an edit that takes everything back keeps nothing."""
    thread = pending()
    assert thread.draft_pending is not None
    written = thread.draft_pending.text
    for text, kept in (("Three.", written), ("Four.", written), (written, None)):
        draft = draft_for(thread, text).evolve(edited_by=OPERATOR)
        thread = moved(thread, press(EditSubmitted, thread, draft=draft))
        assert thread.draft_pending is not None
        assert (thread.draft_pending.text, thread.draft_pending.drafted) == (text, kept)


def first_approved(by: str = OPERATOR, second: str | None = BEN) -> Thread:
    """One of two has approved."""
    thread = pending()
    return moved(thread, press(Approve, thread, by=by, second=second), TWO)


def test_two_must_approve() -> None:
    """The first passes the card to the second, whose approval posts."""
    thread = first_approved()
    assert (thread.status, thread.operator) == ("pending-user", BEN)
    assert thread.approved_first is not None
    assert (thread.hand_overs[-1].for_second, thread.hand_overs[-1].by) == (True, OPERATOR)
    after = step(thread, press(Approve, thread, by=BEN, second=OPERATOR), TWO)
    assert isinstance(after.effect, PostReply)
    assert after.thread is not None
    assert after.thread.decision is not None
    assert (after.thread.decision.by, after.thread.approved_first and after.thread.approved_first.by) == (BEN, OPERATOR)


@pytest.mark.parametrize("draft", [{"withheld": "tokens"}, None])
def test_nothing_is_approved_that_cannot_be_posted(draft: dict[str, str] | None) -> None:
    """A draft with secrets taken out, or none after a failed run."""
    thread = pending()
    assert thread.draft_pending
    thread = thread.evolve(draft_pending=thread.draft_pending.evolve(**draft) if draft else None)
    assert step(thread, press(Approve, thread)) == Transition(thread, accepted=False)


def test_a_reply_that_a_person_found_is_followed_by_what_came_meanwhile() -> None:
    """After the usual window; a reply that is posted again has no timer of before."""
    thread = moved(in_doubt(), added("and for refunds?", ts="200.000001", root="100.000001"))
    found_there = moved(thread, press(WasPosted, thread))
    assert (found_there.inbox, found_there.due_at) == (("200.000001",), at(12))
    doubt = in_doubt().evolve(due_at=at(50))
    assert moved(doubt, press(PostAgain, doubt)).due_at is None


def test_nobody_approves_twice() -> None:
    """They are told so."""
    thread = first_approved(second=None)
    again = step(thread, press(Approve, thread, second=BEN), TWO)
    assert again == Transition(thread, accepted=False, refusal=TWICE)


def _edit(thread: Thread) -> Any:
    return press(EditSubmitted, thread, draft=draft_for(thread, "Four."), by=BEN)


def _overheard(thread: Thread) -> Any:
    return Overheard(at=at(30), fresh=fresh(), message=message("it is 4 now", ts="300.1", root="100.000001"))


@pytest.mark.parametrize("change", [_edit, _overheard])
def test_whatever_changes_what_was_approved_takes_the_first_approval_back(change: Callable[[Thread], Any]) -> None:
    """The next approval is a first one again, even that of the second person."""
    thread = first_approved()
    thread = moved(thread, change(thread), TWO)
    thread = opened(thread) if thread.opening else thread
    assert thread.approved_first is None
    after = moved(thread, press(Approve, thread, by=BEN, second=OPERATOR, anyway=bool(thread.stale)), TWO)
    assert (after.status, after.approved_first and after.approved_first.by) == ("pending-user", BEN)


def test_the_asker_may_be_kept_from_approving() -> None:
    """Where the settings say so; they may still dismiss or edit."""
    strict = replace(LIMITS, asker_may_approve=False)
    thread = pending()
    refused = step(thread, press(Approve, thread, by=ANA), strict)
    assert refused == Transition(thread, accepted=False, refusal=ASKER)
    assert step(thread, press(Dismiss, thread, by=ANA), strict).accepted
    assert step(thread, press(Approve, thread), strict).accepted
    assert step(thread, press(Approve, thread, by=ANA), LIMITS).accepted


def test_the_note_is_kept_before_the_reply_is_posted() -> None:
    """A crash in between begins with the note again."""
    thread = with_note()
    after = step(thread, press(Approve, thread, keeps_note=True))
    assert isinstance(after.effect, KeepNote)
    assert after.thread is not None
    assert isinstance(resume(after.thread), KeepNote)
    kept = step(after.thread, NoteKept(at=at(11), fresh=fresh(), path="notes/retry-limits.md"))
    assert isinstance(kept.effect, PostReply)
    assert kept.thread is not None
    assert kept.thread.triage_file_path == "notes/retry-limits.md"
    assert isinstance(resume(kept.thread), PostReply)
    assert moved(kept.thread, Posted(at=at(12), fresh=fresh(), ts="100.2")).outcome == "replied"


def test_a_note_that_cannot_be_kept_does_not_hold_up_the_reply() -> None:
    """The document says why."""
    thread = with_note()
    thread = moved(thread, press(Approve, thread, keeps_note=True))
    after = step(thread, NoteKept(at=at(11), fresh=fresh(), path=None, problem="no space"))
    assert isinstance(after.effect, PostReply)
    assert after.thread is not None
    assert (after.thread.triage_file_path, after.thread.note_problem) == (None, "no space")


def test_a_note_that_is_written_while_everything_is_stopped_posts_nothing() -> None:
    """The reply is held back; only the note stands."""
    thread = with_note()
    thread = moved(thread, press(Approve, thread, keeps_note=True))
    thread = moved(thread, HeldBack(at=at(11), fresh=fresh()))
    after = step(thread, NoteKept(at=at(12), fresh=fresh(), path="notes/retry-limits.md"))
    assert (after.accepted, after.effect) == (True, None)


@pytest.mark.parametrize("keeps", [True, False])
def test_approve_alone_keeps_no_note(keeps: bool) -> None:
    """Nor is there one to keep where the findings propose none, nor in practice."""
    thread = pending() if keeps else with_note()
    assert isinstance(step(thread, press(Approve, thread, keeps_note=keeps)).effect, PostReply)
    practice = with_note().evolve(mode="preview")
    assert step(practice, press(Approve, practice, keeps_note=True)).effect is None
    assert not step(thread, NoteKept(at=at(9), fresh=fresh(), path="x.md")).accepted
