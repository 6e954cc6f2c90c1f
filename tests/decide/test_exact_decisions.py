"""Exact result of each decision, post and message, by table: the fields that change, the effect, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.workflow import Transition, advance
from bot.decide.workflow.next_question import card_nonce
from bot.models.asker_line import AskerLine
from bot.models.card import Card
from bot.models.decision import Decision, Round
from bot.models.effect import Effect, KeepNote, LookUpReply, OpenReferences, PostReply
from bot.models.findings import ProposedTriageFile
from bot.models.settlement import SettledWord
from bot.models.status import Status
from bot.models.thread import Thread
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    Bounce,
    Dismiss,
    DoubtfulPost,
    Due,
    EditSubmitted,
    HeldBack,
    MessageAdded,
    Mute,
    NotFound,
    Overheard,
    PostAgain,
    Posted,
    PostFailed,
    Redraft,
    Stop,
    TakeOver,
    WasPosted,
)
from bot.models.thread_message import ThreadMessage
from tests.builders import ASKER, LIMITS, OPERATOR, added, at, draft_for, findings, message
from tests.decide.exact import ALL, EXPIRY, HOME, OUTSIDERS, ROOT, again, closed, ended, noted, same, waits
from tests.decide.test_workflow import approved, awaiting, collecting, in_doubt, investigating, pending, press
from tests.tables import each_row


def with_note() -> Thread:
    """A draft that waits, whose findings propose a note."""
    note = ProposedTriageFile(filename="Retry limits.md", content="The limit is 3.")
    return pending().evolve(investigator_return=findings(proposed_triage_file=note), doubts=1)


@pytest.mark.parametrize(
    ("before", "said", "effect"),
    [
        (with_note(), {"keeps_note": True}, KeepNote()),
        (with_note(), {}, PostReply()),
        (pending(), {"keeps_note": True}, PostReply()),
    ],
)
def test_an_approval_is_kept_with_its_decision(before: Thread, said: dict[str, Any], effect: Effect) -> None:
    """No timer of the card is left."""
    event = press(Approve, before, **said)
    after = noted(
        before,
        event,
        "approved",
        decision=Decision(action="approve", by=OPERATOR, at=event.at),
        user_approved_at=event.at,
        due_at=None,
        keeps_note=effect == KeepNote(),
        doubts=0,
    )
    same(advance(before, event, LIMITS), Transition(after, effect))


def test_practice_ends_with_its_decision() -> None:
    """Nothing is posted."""
    before = pending(mode="preview")
    event = press(Approve, before)
    decision = Decision(action="approve", by=OPERATOR, at=event.at)
    same(advance(before, event, LIMITS), Transition(closed(before, event, "practice", decision=decision)))


Row = tuple[Thread, Any, Transition]


def _row(before: Thread, event: Any, after: Thread, effect: Effect | None = None) -> Row:
    return before, event, Transition(after, effect)


def _posting() -> dict[str, Row]:
    """The fate of an approved reply."""
    sent, doubt = approved(), in_doubt()
    held = sent.evolve(held_back="stop", due_at=at(20), keeps_note=True)
    lost = sent.evolve(doubts=1, due_at=at(20))
    late = sent.evolve(doubts=2, due_at=at(20))
    posted = Posted(at=at(30), fresh="p1", ts="130.000001")
    refused = PostFailed(at=at(30), fresh="p1", reason="archived")
    not_found = NotFound(at=at(30), fresh="p1")
    doubtful = DoubtfulPost(at=at(30), fresh="p1", settle_at=at(35))
    hold, mute = HeldBack(at=at(30), fresh="p1"), Mute(at=at(30), fresh="p1")
    was_there, post = press(WasPosted, doubt), press(PostAgain, doubt)
    due = Due(at=at(20), fresh="p1")
    why = "Triage was stopped before this reply was posted; it is not in the thread."
    return {
        "posted": _row(sent, posted, closed(sent, posted, "replied", posted_message_id="130.000001")),
        "refused": _row(sent, refused, _asked(sent, refused, stale="archived")),
        "stopped": _row(held, not_found, _asked(held, not_found, stale=why, held_back=None, keeps_note=False)),
        "lost once": _row(
            lost, not_found, noted(lost, not_found, due_at=None), PostReply(look_first=True, search_twice=True)
        ),
        "lost twice": _row(late, not_found, _announced(late, not_found, "in-doubt", due_at=None)),
        "doubtful": _row(sent, doubtful, noted(sent, doubtful, due_at=at(35), doubts=1)),
        "looked up": _row(lost, due, noted(lost, due, due_at=None), LookUpReply()),
        "held back": _row(sent, hold, noted(sent, hold, held_back="stop", due_at=at(35))),
        "muted": _row(sent, mute, noted(sent, mute, held_back="mute", due_at=at(35))),
        "muted while looked up": _row(lost, mute, noted(lost, mute, held_back="mute", due_at=at(20))),
        "was there": _row(doubt, was_there, closed(doubt, was_there, "replied")),
        "again": _row(doubt, post, noted(doubt, post, "approved", due_at=None, doubts=0), PostReply(look_first=True)),
    }


def _announced(before: Thread, event: Any, status: Status, **changes: Any) -> Thread:
    """The document with a second card, in place of the first."""
    card = Card(nonce=card_nonce(HOME, 1, 2), number=2, asks=True)
    return noted(before, event, status, card=card, replaced=(before.card,), **changes)


def _asked(before: Thread, event: Any, **changes: Any) -> Thread:
    """The document once a stale draft waits on a second card."""
    times = {"due_at": event.at + EXPIRY, "expires_at": event.at + EXPIRY}
    assert before.draft_pending
    draft = before.draft_pending.evolve(nonce=event.fresh)
    return _announced(before, event, "pending-user", draft_pending=draft, **times, **changes)


def _pressing() -> dict[str, Row]:
    """Decisions on a draft, or before one."""
    draft, running = pending().evolve(feedback="old", bounced_as="tone"), awaiting()
    assert draft.draft_pending
    bounce = press(Bounce, draft, code="outdated", feedback="see b.py")
    answer, redraft = press(AnswerQuestion, draft, text="The second."), press(Redraft, draft)
    dismiss, take_over = press(Dismiss, draft, code="duplicate", link="https://x.test"), press(TakeOver, draft)
    stop = press(Stop, running, draft_id="", nonce=running.card.nonce)
    edit = press(EditSubmitted, draft, draft=draft_for(draft, "Three.").evolve(edited_by="U0BEN"))
    text = draft.draft_pending.text
    sent_back = Round(number=1, draft=text, refs=("bot/a.py:1",), by="operator", attack="Outdated: see b.py")
    decided: dict[str, Any] = {"by": OPERATOR, "at": at(10)}
    times: dict[str, Any] = {"due_at": at(10) + EXPIRY, "expires_at": at(10) + EXPIRY}
    new_text = noted(
        draft,
        edit,
        draft_pending=edit.draft.evolve(drafted=text),
        drafts_made=2,
        opening=edit.fresh,
        cited=(),
        evidence_checks=(),
        unsupported=(),
        verdict=None,
        opening_problem=None,
        **times,
    )
    failure = "an operator stopped the investigation"
    return {
        "bounce": (
            draft,
            bounce,
            again(
                draft,
                bounce,
                "bounced-round-1",
                feedback="see b.py",
                bounced_as="outdated",
                operator_bounces=1,
                rounds=(sent_back,),
                decision=Decision(action="bounce", code="outdated", reason="see b.py", **decided),
            ),
        ),
        "answer": (
            draft,
            answer,
            again(
                draft,
                answer,
                "investigating",
                feedback="An operator answers the open questions: The second.",
                bounced_as=None,
                decision=Decision(action="answer", reason="The second.", **decided),
            ),
        ),
        "redraft": (draft, redraft, again(draft, redraft, "investigating", feedback=None, bounced_as=None)),
        "dismiss": _row(
            draft,
            dismiss,
            closed(
                draft,
                dismiss,
                "dismissed",
                decision=Decision(action="dismiss", code="duplicate", link="https://x.test", **decided),
            ),
        ),
        "take over": _row(
            draft, take_over, closed(draft, take_over, "taken-over", decision=Decision(action="take_over", **decided))
        ),
        "stop": _row(
            running,
            stop,
            waits(
                running,
                stop,
                run_id=None,
                draft_pending=None,
                failure=failure,
                stopped_by=OPERATOR,
                dispatches=ended(running, "aborted: stopped"),
                asker_line=AskerLine(at=at(10), ending="failed", question_round=1),
            ),
        ),
        "edit": _row(draft, edit, new_text, OpenReferences(opening=edit.fresh)),
    }


def _talking() -> dict[str, Row]:
    """Messages of the asker and of others, by status."""
    window, running, sent, doubt = collecting(), investigating(), approved(), in_doubt()
    word = SettledWord(at=at(9), by=ASKER, message_id="100.000002", text="thanks")
    draft = pending().evolve(settled_word=word)
    assert draft.draft_pending
    asked = added("and in\n staging?", ts="200.000001", root=ROOT, seconds=20, **ALL, external=OUTSIDERS)
    plain = replace(asked, asks=False)
    heard = Overheard(at=at(20), fresh="h1", message=message("it is  3", ts="200.000001", root=ROOT, sender="U0BEN"))
    line = ThreadMessage(
        message_id="200.000001",
        sender_id=ASKER,
        by_bot=False,
        content="and in\n staging?",
        round=1,
        asks="and in\nstaging?",
        is_question=True,
        unread=("a.png",),
        shared=("Bo",),
    )
    told = ThreadMessage(
        message_id="200.000001", sender_id="U0BEN", by_bot=False, content="it is  3", round=1, asks="it is 3"
    )
    named: dict[str, Any] = {"names": {ASKER: "Ana"}, "original_sender_name": "Ana", "external": OUTSIDERS}

    def joined(before: Thread, event: MessageAdded = asked, **changes: Any) -> Thread:
        added_line = line.evolve(is_question=event.asks)
        return noted(before, event, messages=(*before.messages, added_line), **named, **changes)

    def stale(before: Thread, event: Any, why: str, **changes: Any) -> Thread:
        assert before.draft_pending
        card = Card(nonce=card_nonce(HOME, 1, 2), number=2, asks=True)
        return noted(
            before,
            event,
            stale=why,
            draft_pending=before.draft_pending.evolve(nonce=event.fresh),
            card=card,
            replaced=(before.card,),
            due_at=event.at + EXPIRY,
            expires_at=event.at + EXPIRY,
            **changes,
        )

    new = "New in the thread since this draft was made: and in staging?"
    news = "Somebody wrote in the thread since this draft was begun: it is 3"
    queue: dict[str, Any] = {"inbox": ("200.000001",)}
    return {
        "in the window": _row(window, asked, joined(window, due_at=at(22))),
        "during the run": _row(running, asked, joined(running, **queue)),
        "on a draft": _row(
            draft, asked, stale(draft, asked, new, messages=(*draft.messages, line), settled_word=None, **named)
        ),
        "during the post": _row(sent, asked, joined(sent, **queue)),
        "during the post, without a question": _row(sent, plain, joined(sent, plain)),
        "in doubt": _row(doubt, asked, joined(doubt, **queue)),
        "in doubt, without a question": _row(doubt, plain, joined(doubt, plain)),
        "overheard on a draft": _row(draft, heard, stale(draft, heard, news, messages=(*draft.messages, told))),
        "overheard during the run": _row(
            running, heard, noted(running, heard, stale=news, messages=(*running.messages, told))
        ),
    }


ROWS = _posting() | _pressing() | _talking()


@each_row("name", ROWS)
def test_each_step_changes_these_fields_and_no_other(name: str) -> None:
    """With the effect that follows, if there is one."""
    before, event, after = ROWS[name]
    same(advance(before, event, LIMITS), after)
