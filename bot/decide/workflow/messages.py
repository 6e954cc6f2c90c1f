"""What a message does to a thread: it opens one, joins it, makes its draft stale or opens it again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from bot.decide.slug import slug
from bot.decide.workflow.asker_line import said_at_once
from bot.decide.workflow.settling import LEFT_OUT_KEPT, goes_on, settled, settling, with_proposal
from bot.decide.workflow.steps import Limits, Step, changed, clip, moved, window_end
from bot.models.card import Card
from bot.models.happening import MessageAdded, Overheard
from bot.models.markup import SOMEBODY, named
from bot.models.task import EARLIER_KEPT, Earlier
from bot.models.thread import Outcome, StatusChange, Thread, ThreadMessage

if TYPE_CHECKING:
    from bot.models.happening import Due, Edited
    from bot.models.message import Message
    from bot.models.presses import Restarted


def opened(happening: MessageAdded, limits: Limits) -> Step:
    """The document of a new question."""
    message = happening.message
    kept = _kept(happening, limits, question_round=1)
    thread = Thread(
        thread_id=message.home,
        team_id=message.team_id,
        chat_id=message.chat_id,
        chat_name=message.chat_name,
        mode=happening.mode,
        operator=happening.operator,
        original_message_id=message.message_id,
        anchor=message.message_id,
        original_sender_id=message.sender.id,
        original_sender_name=message.names.get(message.sender.id) or SOMEBODY,
        messages=(kept,),
        status="collecting",
        status_history=(StatusChange(at=happening.at, previous="new", next="collecting"),),
        due_at=happening.at + limits.debounce,
        route=limits.route(message.asks, message.chat_id) if limits.route else None,
        task=slug(limits.redact(kept.asks or ""), message.home),
        card=Card(nonce=card_nonce(message.home, 1)),
        asker_line=said_at_once(happening, limits, question_round=1),
        started_at=happening.at,
        last_event_at=happening.at,
    )
    return Step(thread)


def routed(thread: Thread, limits: Limits) -> Thread:
    """The document with the route of its whole first question, all of whose messages have come; then it keeps it."""
    if limits.route is None or thread.question_round > 1:
        return thread
    return thread.evolve(route=limits.route(thread.search_text, thread.chat_id))


def asked(thread: Thread, happening: MessageAdded | Overheard | Restarted, limits: Limits) -> Step | None:
    """A message in a thread that is known, or its last question once more."""
    match happening:
        case MessageAdded() | Overheard():
            return _message_added(thread, happening, limits)
        case _:
            return _restarted(thread, happening)


def _message_added(thread: Thread, happening: MessageAdded | Overheard, limits: Limits) -> Step | None:
    """One that is left out on purpose is noted, and shows in nothing else."""
    if _was_decided_on(thread, happening):
        return None
    is_muted = isinstance(happening, MessageAdded) and happening.muted
    read = None if is_muted else settling(thread, happening, limits)
    if read and (read[0] == "closes" or thread.status in ("approved", "in-doubt") or _is_ack(happening)):
        return settled(thread, happening, read)
    if isinstance(happening, Overheard):
        if happening.is_ack:
            return None
        taken = _overheard(thread, happening, limits) if thread.status in _BEHIND else None
    else:
        taken = None if happening.muted else _added(thread, happening, limits)
    if read:
        return with_proposal(taken, read) if taken else settled(thread, happening, read)
    return taken or _left_out(thread, happening)


def _is_ack(happening: MessageAdded | Overheard) -> bool:
    return isinstance(happening, Overheard) and happening.is_ack


def _added(thread: Thread, happening: MessageAdded, limits: Limits) -> Step | None:
    message = happening.message
    reopens = happening.mentioned or message.sender.id == thread.original_sender_id
    if thread.status == "closed" and thread.outcome == "taken-over" and not happening.mentioned:
        return None  # an operator answers: the bot stands back until somebody asks for it
    if thread.status == "closed":
        return _reopened(thread, happening, limits) if reopens else None
    kept = _kept(happening, limits, question_round=thread.question_round)
    added: dict[str, Any] = {"messages": _in_order(*thread.messages, kept), **goes_on(thread, message.sender.id)}
    match thread.status:
        case "collecting":
            return changed(thread, happening, due_at=window_end(thread, happening, limits), **added)
        case "pending-user":
            stale = f"New in the thread since this draft was made: {clip(_said(message))}"
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
            return changed(thread, happening, stale=stale, draft_pending=draft, **added)
        case "approved" | "in-doubt" if not reopens:
            return None
        case _:
            return changed(thread, happening, inbox=(*thread.inbox, message.message_id), **added)


def _overheard(thread: Thread, happening: Overheard, limits: Limits) -> Step:
    """A message that asks nothing: a draft that waits is behind it, and one in the making will be.

    It starts no investigation and lengthens none; the next draft is made with it in view.
    """
    said = clip(_said(happening.message))
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
    kept = _kept(happening, limits, question_round=thread.question_round)
    return changed(
        thread,
        happening,
        stale=f"Somebody wrote in the thread since this draft was begun: {said}",
        draft_pending=draft,
        messages=_in_order(*thread.messages, kept),
        **goes_on(thread, happening.message.sender.id),
    )


_BEHIND = ("investigating", "bounced-round-1", "awaiting-validation", "pending-user")
"""Where there is a draft that may be behind, or will be."""


def _was_decided_on(thread: Thread, happening: MessageAdded | Overheard) -> bool:
    """Whether it is known, or was left out on purpose before a restart."""
    ts = happening.message.message_id
    return any(m.message_id == ts for m in thread.messages) or (happening.replayed and ts in thread.left_out)


def _left_out(thread: Thread, happening: MessageAdded | Overheard) -> Step | None:
    """One that would join a question is taken for itself instead, and noted where it belongs."""
    ts = happening.message.message_id
    if ts in thread.left_out or (isinstance(happening, MessageAdded) and happening.joins):
        return None
    return Step(thread.evolve(left_out=(*thread.left_out, ts)[-LEFT_OUT_KEPT:]), accepted=False)


def unread_opens(thread: Thread, happening: Due) -> Step:
    """The next question of a thread, from messages that arrived while the last reply was on its way."""
    messages = _with_unread(thread, thread.question_round + 1)
    anchor = next((m.message_id for m in messages if m.message_id in thread.inbox), thread.anchor)
    return next_question(thread, happening, messages=messages, anchor=anchor, due_at=happening.at)


def _restarted(thread: Thread, happening: Restarted) -> Step | None:
    """The same question once more: its messages, and those that came later, without what came of it."""
    if thread.status != "closed" or thread.outcome not in _RESTARTED:
        return None
    number = thread.question_round + 1
    messages = tuple(m.evolve(round=number) if m.round == thread.question_round else m for m in thread.messages)
    return next_question(
        thread,
        happening,
        messages=messages,
        mode=happening.mode,
        operator=happening.operator,
        due_at=happening.at,
    )


_RESTARTED: tuple[Outcome, ...] = ("dismissed", "expired", "settled")
"""Endings that an operator may take back: no reply stands in the thread, and nobody else has asked for silence."""


def _in_order(*messages: ThreadMessage) -> tuple[ThreadMessage, ...]:
    """As they were written; Slack delivers in any order."""
    return tuple(sorted(messages, key=lambda m: float(m.message_id)))


def _with_unread(thread: Thread, next_round: int) -> tuple[ThreadMessage, ...]:
    """The messages, those that nobody has read yet as part of the next question."""
    return tuple(m.evolve(round=next_round) if m.message_id in thread.inbox else m for m in thread.messages)


def _reopened(thread: Thread, happening: MessageAdded, limits: Limits) -> Step:
    message, next_round = happening.message, thread.question_round + 1
    return next_question(
        thread,
        happening,
        messages=_in_order(*_with_unread(thread, next_round), _kept(happening, limits, question_round=next_round)),
        original_sender_id=message.sender.id,
        original_sender_name=message.names.get(message.sender.id) or SOMEBODY,
        anchor=message.message_id,
        mode=happening.mode,
        operator=happening.operator,
        asker_line=said_at_once(happening, limits, question_round=next_round) or thread.asker_line,
        due_at=happening.at + limits.debounce,
    )


def next_question(thread: Thread, happening: Due | Edited | MessageAdded | Restarted, **changes: Any) -> Step:
    """The same document, a new question: a card of its own, and nothing left of the last one's run and draft."""
    number = thread.question_round + 1
    card = Card(nonce=card_nonce(thread.thread_id, number))
    fresh = _BLANK | {"earlier": _earlier(thread)} | changes
    return moved(thread, happening, "collecting", question_round=number, card=card, **fresh)


def _earlier(thread: Thread) -> tuple[Earlier, ...]:
    """What the questions so far came to; one that came to no findings leaves nothing."""
    found = thread.investigator_return
    if found is None:
        return thread.earlier
    last = Earlier(
        question=clip(thread.question),
        summary=found.summary_for_orchestrator,
        refs=tuple(reference.evolve(quote=None) for reference in thread.references),
        said=thread.draft_pending.text if thread.draft_pending else found.draft_reply,
        outcome=thread.outcome or "",
        draft_id=thread.draft_pending.draft_id if thread.draft_pending else "",
        journal_file=thread.dispatches[-1].journal_file if thread.dispatches else None,
    )
    return (*thread.earlier, last)[-EARLIER_KEPT:]


_BLANK: dict[str, Any] = {
    "inbox": (),
    "run_id": None,
    "investigator_round": 0,
    "investigator_return": None,
    "found_nothing": False,
    "cited": None,
    "opening": None,
    "opening_problem": None,
    "served_edited_by": None,
    "recorded": (),
    "evidence_checks": (),
    "unopened": (),
    "hinted": (),
    "asked_before": (),
    "visibility": None,
    "unsupported": (),
    "validator_return": None,
    "unvalidated": None,
    "verdict": None,
    "rounds": (),
    "runs": (),
    "validator_bounces": 0,
    "operator_bounces": 0,
    "feedback": None,
    "bounced_as": None,
    "failure": None,
    "fallback": None,
    "draft_pending": None,
    "stale": None,
    "held_low": False,
    "announce_at": None,
    "progress": None,
    "held_back": None,
    "settled_word": None,
    "first_approval": None,
    "decision": None,
    "outcome": None,
    "user_approved_at": None,
    "posted_message_id": None,
    "keeps_note": False,
    "triage_file_path": None,
    "note_problem": None,
    "closed_at": None,
}
"""What a new question in the same thread starts without."""


def card_nonce(thread_id: str, question_round: int, number: int = 1) -> str:
    """The same for one question however often its document is made anew, so that its card is found again."""
    which = f" {number}" if number > 1 else ""
    return hashlib.sha256(f"{thread_id} {question_round}{which}".encode()).hexdigest()[:16]


def _kept(happening: MessageAdded | Overheard, limits: Limits, *, question_round: int) -> ThreadMessage:
    message = happening.message
    return ThreadMessage(
        message_id=message.message_id,
        sender_id=message.sender.id,
        by_bot=message.sender.type == "bot",
        content=message.content,
        round=question_round,
        asks=limits.normalise(message.asks),
        unread=message.unread,
        shared=message.shared,
    )


def _said(message: Message) -> str:
    return named(message.content, message.known_names)
