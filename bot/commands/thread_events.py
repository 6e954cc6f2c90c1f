"""Recent events from the documents of threads: created tasks and their ends, incidents, questions without a draft.

A limited number of documents is read, whatever their number.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.incident import title_incident
from blocks.text import clip, escape, name_channel
from bot.commands.recent_event import SHOWN, Event
from bot.errors import TriageError
from bot.models.task_status import COMPLETED_OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from bot.decide.redaction.redactor import Redactor
    from bot.models.incident import Incident
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.ports.outbound import Store
    from bot.triage.open_threads import OpenThreads

MAX_DOCUMENTS = 100
"""Number of documents read of each: threads that wait for a decision, those that began last, those that ended last."""


@dataclass(frozen=True, kw_only=True)
class ThreadEvents:
    """Reader of the events of threads."""

    store: Store
    open_threads: OpenThreads
    redactor: Redactor

    async def list_since(self, since: datetime) -> dict[str, list[Event]]:
        """Return the events since then, by thread."""
        threads = self.open_threads
        waiting = threads.with_status("pending-user")[-MAX_DOCUMENTS:]
        names = dict.fromkeys((*waiting, *threads.list_newest(MAX_DOCUMENTS), *threads.list_closed_last(MAX_DOCUMENTS)))
        events: dict[str, list[Event]] = {}
        for name in names:
            with suppress(TriageError):  # its next event rebuilds it
                thread = await self.store.load(name)
                if thread and (own := [event for event in self._describe(thread) if event.at >= since]):
                    events[name] = own
        return events

    def _describe(self, thread: Thread) -> Iterator[Event]:
        """Yield all events of a thread, at any time."""
        place, name = name_channel(thread.chat_id), f"`{escape(thread.task)}`"
        if thread.order:
            title = self._shorten(thread.order.title)
            creator = thread.order.created_by
            text = f"task {name} created by <@{escape(creator)}> in {place}: {title}"
            yield Event(thread.order.created_at, "task", text, user=creator, channel=thread.chat_id)
            if thread.order.outcome and (ended_at := _find_end(thread, thread.order)):
                state = "completed" if thread.order.outcome in COMPLETED_OUTCOMES else "failed"
                outcome = thread.order.outcome.replace("-", " ")
                text = f"task {name} {state}, as {outcome}: {title}"
                yield Event(ended_at, "task", text, channel=thread.chat_id, outcome=outcome)
        if thread.incident:
            yield from self._describe_incident(thread, thread.incident)
        if thread.failure and thread.status == "pending-user":
            text = f"no draft for {name} in {place}: {self._shorten(thread.failure)}"
            yield Event(thread.status_history[-1].at, "failure", text, channel=thread.chat_id)

    def _describe_incident(self, thread: Thread, incident: Incident) -> Iterator[Event]:
        """Yield the begin of the newest outage, and its end."""
        begun = incident.evolve(recovered_at=None, unchecked=(), checks=incident.failed_checks or incident.checks)
        name, title = f"`{escape(thread.task)}`", self._shorten(title_incident(begun))
        text = f"incident {name} in {name_channel(thread.chat_id)}: {title}"
        yield Event(incident.since, "incident", text, channel=thread.chat_id)
        if incident.recovered_at:
            text = f"incident {name} is over: {self._shorten(title_incident(incident))}"
            yield Event(incident.recovered_at, "incident", text, channel=thread.chat_id)

    def _shorten(self, text: str) -> str:
        return escape(clip(" ".join(self.redactor.redact(text).split()), SHOWN))


def _find_end(thread: Thread, order: TaskOrder) -> datetime | None:
    """Return the time at which a created task ended; people may have asked further questions since."""
    ends = [line.at for line in thread.status_history if line.next == "closed"]
    if thread.is_about_order:
        return ends[-1] if ends else None
    return next((at for at in ends if at >= (order.begun_at or order.created_at)), None)
