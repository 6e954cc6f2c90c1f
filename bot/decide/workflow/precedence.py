"""Precedence of a new outage over the other questions of its thread: neither of them is lost.

An open question of somebody is set aside, with its messages, and taken up as the next one once the outage is decided on
or over. A reply that is approved, or may be posted already, comes first: the outage begins when its question is closed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.classify.settlement import is_struck_out
from bot.decide.workflow.next_question import start_next_question, with_news
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread
from bot.models.markup import SOMEBODY
from bot.models.set_aside import SetAside
from bot.models.thread_event import Deleted, Edited

if TYPE_CHECKING:
    from bot.decide.workflow.revisions import Revision
    from bot.models.incident import Incident
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent

REPLYING = ("approved", "in-doubt")
"""Statuses in which a reply is on its way, or may be posted already."""
_SILENT = ("taken-over", "muted")
"""Outcomes after which a question that was set aside waits until somebody writes to the bot again."""


def is_withdrawn(thread: Thread) -> bool:
    """Return whether the message of its incident was deleted, so that nothing more is opened below it."""
    return thread.outcome == "withdrawn" and thread.is_about_incident


def start_outage(thread: Thread, incident: Incident, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Start the question about an outage with the thread's first message; without that message nothing starts.

    Another open question, and messages that wait for the next one, are set aside.
    """
    number, root = thread.question_round + 1, thread.original_message_id
    asked = incident.evolve(is_unasked=False)
    first = next((message for message in thread.messages if message.message_id == root), None)
    if first is None:
        is_idle = thread.status == "closed" and not (thread.inbox or thread.set_aside)
        return Transition(thread.evolve(incident=asked, due_at=None if is_idle else thread.due_at))
    left = {} if thread.status == "closed" else _leave_open(thread)
    return start_next_question(
        thread,
        event,
        messages=tuple(m.evolve(round=number) if m.message_id == root else m for m in with_news(thread)),
        original_sender_id=first.sender_id,
        original_sender_name=SOMEBODY,  # until its names are learned
        anchor=root,
        external=thread.external and thread.external.evolve(asker=False),
        incident=asked.evolve(question_round=number),
        due_at=event.at + limits.debounce,
        set_aside=put_aside(thread),
        waiting=None,
        **left,
    )


def _leave_open(thread: Thread) -> dict[str, Any]:
    """Return the changes of an open question that is set aside: its cards are removed, and its draft is no result."""
    shown = (thread.card, *([thread.progress] if thread.progress else []))
    return {"replaced": (*thread.replaced, *shown), "earlier": thread.earlier}


def put_aside(thread: Thread) -> SetAside | None:
    """Return the messages of the open question, unless it is about the incident, with those that wait already."""
    before, is_open = thread.set_aside, thread.is_open and not thread.is_about_incident
    own = [message.message_id for message in thread.question_messages] if is_open else []
    waiting = {*(before.messages if before else ()), *thread.inbox, *own}
    external = (thread.external if is_open else None) or (before.external if before else None)
    return SetAside(messages=tuple(sorted(waiting, key=float)), external=external) if waiting else None


def let_outage_begin(step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with the turn of what waits: an outage whose question a reply has kept back, else a question that
    was set aside."""
    thread = step.thread
    incident = thread.incident if thread else None
    if thread is None:
        return step
    if incident and incident.is_unasked and (incident.is_over or is_withdrawn(thread)):
        incident = incident.evolve(is_unasked=False)
        thread = thread.evolve(incident=incident)
    if incident and incident.is_unasked and thread.status not in ("closed", *REPLYING):
        if not thread.is_about_incident:
            return start_outage(thread, incident, event, limits)
        draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
        news = f"{', '.join(incident.services)} failed again, or went down, since this draft was begun"
        stale = f"{news}. {thread.stale}" if thread.stale else news
        thread = thread.evolve(incident=incident.evolve(is_unasked=False), stale=stale, draft_pending=draft)
    if thread.status == "closed" and thread.due_at is None and _is_due(thread):
        thread = thread.evolve(due_at=event.at)
    return replace(step, thread=thread)


def _is_due(thread: Thread) -> bool:
    """Return whether a closed thread goes on by itself."""
    is_outage = thread.incident is not None and thread.incident.is_unasked
    return is_outage or (thread.set_aside is not None and thread.outcome not in _SILENT)


def without_alert(thread: Thread) -> SetAside | None:
    """Return what was set aside without the messages of the thread's alert, which is resolved."""
    aside, alert = thread.set_aside, thread.alert
    stating = {change.message_id for change in alert.changes} if alert else set()
    left = tuple(ts for ts in aside.messages if ts not in stating) if aside else ()
    return aside.evolve(messages=left) if aside and left else None


def revise_set_aside(thread: Thread, event: Revision) -> Transition | None:
    """Apply an edit or a deletion of a message that was set aside; `None` for any other.

    One that is deleted, emptied or struck out asks nothing any more.
    """
    aside = thread.set_aside
    if aside is None or not isinstance(event, Edited | Deleted):
        return None
    ts = event.message_id if isinstance(event, Deleted) else event.message.message_id
    if ts not in aside.messages:
        return None
    if isinstance(event, Edited) and not (event.is_empty or is_struck_out(event.message.content)):
        text = event.message
        messages = tuple(
            m.evolve(content=text.content, asks=text.asks) if m.message_id == ts else m for m in thread.messages
        )
        return change_thread(thread, event, messages=messages)
    left = tuple(each for each in aside.messages if each != ts)
    return change_thread(thread, event, set_aside=aside.evolve(messages=left) if left else None)
