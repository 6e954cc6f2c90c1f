"""Next question of a thread: the same document, without the run and the draft of the last question."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from bot.decide.workflow.steps import clip, move_thread
from bot.models.card import Card
from bot.models.markup import SOMEBODY
from bot.models.task import DENIED, EARLIER_KEPT, EarlierQuestion

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition
    from bot.models.presses import Restarted
    from bot.models.status import Mode, Outcome
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.models.thread_event import Due, SettledMark, ThreadEvent
    from bot.models.thread_message import ThreadMessage


def open_unread_question(thread: Thread, event: Due) -> Transition:
    """Start the next question from messages that the last one left unanswered; its asker is their first author."""
    number = thread.question_round + 1
    messages = with_unread(thread, number)
    anchor = next(message.message_id for message in messages if message.round == number)
    changes: dict[str, Any] = {"messages": messages, "anchor": anchor, "due_at": event.at}
    if thread.set_aside:
        changes["external"] = thread.set_aside.external or thread.external
    if thread.alert and any(m.round == number and _states_alert(thread, m) for m in messages):
        changes["alert"] = thread.alert.evolve(question_round=number)
    first = next((message for message in messages if message.message_id == anchor), None)
    if first and first.sender_id != thread.original_sender_id:
        name = thread.names.get(first.sender_id) or SOMEBODY
        changes |= {"original_sender_id": first.sender_id, "original_sender_name": name}
    return start_next_question(thread, event, **changes)


def restart_question(thread: Thread, event: Restarted | SettledMark, *, mode: Mode, operator: str) -> Transition | None:
    """Start the last question again, with its messages and all later ones, without its results."""
    endings = _RESTARTED_ORDERS if thread.is_about_order else _RESTARTED
    if thread.status != "closed" or thread.outcome not in endings:
        return None
    incident = thread.incident
    if incident and thread.is_about_incident:
        if incident.is_over:
            return None
        incident = incident.evolve(question_round=thread.question_round + 1)
    return _start_again(thread, event, thread.question_round, mode=mode, operator=operator, incident=incident)


def restart_task(thread: Thread, event: Restarted) -> Transition | None:
    """Start the created task of a thread again that has gone on to other questions, once those are closed."""
    order = thread.order
    if order is None or thread.status != "closed" or order.outcome not in _RESTARTED_ORDERS:
        return None
    return _start_again(thread, event, order.question_round, mode=event.mode, operator=event.operator)


def may_restart(thread: Thread) -> bool:
    """Return whether the created task of a thread, or else its last question, has an ending that may be taken back."""
    if thread.order is None:
        return thread.status == "closed" and thread.outcome in _RESTARTED
    outcome = thread.outcome if thread.is_about_order else thread.order.outcome
    return thread.status == "closed" and outcome in _RESTARTED_ORDERS


def _start_again(
    thread: Thread, event: Restarted | SettledMark, question_round: int, *, mode: Mode, operator: str, **changes: Any
) -> Transition:
    """Start the question of this number as the next one; a created task waits for the scheduler."""
    number, order = thread.question_round + 1, thread.order
    messages = tuple(m.evolve(round=number) if m.round == question_round else m for m in thread.messages)
    alert = thread.alert.evolve(question_round=number) if thread.alert and thread.is_about_alert else thread.alert
    is_order = order is not None and order.question_round == question_round
    changes |= {
        "messages": messages,
        "alert": alert,
        "order": restart_order(order, number) if order and is_order else order,
        "mode": mode,
        "operator": operator,
        "first_round": 1 if is_order else thread.first_round or question_round,
    }
    return start_next_question(thread, event, due_at=None if is_order else event.at, **changes)


_RESTARTED: tuple[Outcome, ...] = ("dismissed", "expired", "settled", "skipped")
"""Endings that an operator may take back: nothing was posted, and nobody else asked for silence."""
_RESTARTED_ORDERS: tuple[Outcome, ...] = (*_RESTARTED, "replied", "practice", "taken-over")
"""The same for created tasks, which have no asker."""


def restart_order(order: TaskOrder, question_round: int) -> TaskOrder:
    """Return the order of a task that waits for its start, as the question of this number.

    The result so far is kept until it ends again.
    """
    changes = {"agent": None, "begun_at": None, "inputs": (), "outcome": None, "skipped_by": None}
    return order.evolve(question_round=question_round, **changes)


def with_unread(thread: Thread, next_round: int) -> tuple[ThreadMessage, ...]:
    """Return the messages, those that wait for the next question assigned to it."""
    waiting = {*thread.inbox, *(thread.set_aside.messages if thread.set_aside else ())}
    return tuple(m.evolve(round=next_round) if m.message_id in waiting else m for m in with_news(thread))


def with_news(thread: Thread) -> tuple[ThreadMessage, ...]:
    """Return the messages, those of the inbox as they were edited since."""
    fresh = {m.message_id: m for m in thread.reworded if m.message_id in thread.inbox}
    return tuple(fresh.get(m.message_id, m) for m in thread.messages)


def _states_alert(thread: Thread, message: ThreadMessage) -> bool:
    """Return whether a message of a program states the thread's alert, which is not resolved."""
    alert = thread.alert
    is_open = alert is not None and alert.recovered_at is None
    return is_open and any(change.message_id == message.message_id for change in alert.changes) if alert else False


def start_next_question(thread: Thread, event: ThreadEvent, **changes: Any) -> Transition:
    """Start a new question in the same document: a new card, no run and no draft."""
    number = thread.question_round + 1
    card = Card(nonce=card_nonce(thread.thread_id, number))
    fresh = BLANK | {"earlier": _earlier(thread)} | changes
    return move_thread(thread, event, "collecting", question_round=number, card=card, **fresh)


def _earlier(thread: Thread) -> tuple[EarlierQuestion, ...]:
    """Return the summaries of the questions so far; a question without findings has none."""
    findings = thread.investigator_return
    if findings is None:
        return thread.earlier
    last = EarlierQuestion(
        question=clip(thread.question),
        summary=findings.summary_for_orchestrator,
        refs=tuple(reference.evolve(quote=None) for reference in thread.references),
        said=thread.draft_pending.text if thread.draft_pending else findings.draft_reply,
        outcome=_outcome(thread),
        draft_id=thread.draft_pending.draft_id if thread.draft_pending else "",
        journal_file=thread.dispatches[-1].journal_file if thread.dispatches else None,
    )
    return (*thread.earlier, last)[-EARLIER_KEPT:]


def _outcome(thread: Thread) -> str:
    """Return the outcome of the last question, as the next one needs it."""
    is_denied = any(denial.question_round == thread.question_round for denial in thread.denied)
    return DENIED if is_denied else thread.outcome or ""


BLANK: dict[str, Any] = {
    "first_round": None,
    "inbox": (),
    "reworded": (),
    "set_aside": None,
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
    "stopped_by": None,
    "is_escalated": False,
    "escalation": None,
    "escalation_problem": None,
    "escalation_tmux_session": None,
    "escalation_transcript_path": None,
    "fallback": None,
    "unchecked_notes": (),
    "answer_changes": (),
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
"""Initial values of a new question in the same thread."""


def card_nonce(thread_id: str, question_round: int, number: int = 1) -> str:
    """Return a nonce that depends on the question alone, so that a rebuilt document finds its card again."""
    which = f" {number}" if number > 1 else ""
    return hashlib.sha256(f"{thread_id} {question_round}{which}".encode()).hexdigest()[:16]
