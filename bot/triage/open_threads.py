"""In-memory index of open threads, for lookups by message and for the times at which threads are due."""

from __future__ import annotations

import asyncio
import heapq
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING

from bot.models.queue_order import certainty, waits_since
from bot.models.settlement import ClosedThread
from bot.triage.alert_index import AlertIndex
from bot.triage.open_counts import OpenCounts
from bot.triage.task_index import TaskIndex

if TYPE_CHECKING:
    from collections import Counter
    from datetime import datetime

    from bot.models.queue import Order
    from bot.models.status import Status
    from bot.models.task_status import TaskStatus
    from bot.models.thread import Thread


REMEMBERED = 10_000
"""Last closed threads remembered with their askers."""

MOST_HOMES = 50_000
"""Messages remembered with the thread that they joined; the oldest are forgotten first."""


class OpenThreads:
    """Index of threads with work or a decision outstanding, and their due times. Rebuilt at start."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._statuses: dict[str, Status] = {}
        self._counts = OpenCounts()
        self._operators: dict[str, str] = {}
        self._certainty: dict[str, int] = {}
        self._since: dict[str, datetime] = {}
        self._first_by: dict[str, str] = {}
        self._askers: OrderedDict[str, str] = OrderedDict()
        self._homes: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._waiting: set[str] = set()
        self._held_low: set[str] = set()
        self._brief: set[str] = set()
        self._due: dict[str, datetime] = {}
        self._heap: list[tuple[datetime, str]] = []
        self.alerts = AlertIndex()
        """The alerts of threads."""
        self.tasks = TaskIndex()
        """The created tasks."""
        self.changed = asyncio.Event()
        """Set when the next due time may be earlier than it was."""

    def roots(self, channel: str) -> list[str]:
        """Return the `thread_ts` of each open thread in a channel."""
        parts = (thread_id.split("-") for thread_id in self._open)
        return sorted(ts for _, where, ts in parts if where == channel)

    def in_channel(self, channel: str) -> list[str]:
        """Return the open threads of a channel."""
        return [thread_id for thread_id in self._open if thread_id.split("-")[1] == channel]

    def of_operator(self, operator: str) -> list[str]:
        """Return the open threads assigned to this operator."""
        return [thread_id for thread_id in self._open if self._operators.get(thread_id) == operator]

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding."""
        return thread_id in self._open

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread, open or closed."""
        return sender_id in (self._open.get(thread_id), self._askers.get(thread_id))

    def asked_by(self, sender_id: str) -> list[str]:
        """Return the open threads whose question this person asked, oldest first."""
        thread_ids = [thread_id for thread_id, asker in self._open.items() if asker == sender_id]
        return sorted(thread_ids, key=lambda thread_id: float(thread_id.rpartition("-")[2]))

    def closed_of(self, sender_id: str, limit: int) -> list[str]:
        """Return up to `limit` of this person's last closed threads, newest first."""
        thread_ids = (
            thread_id
            for thread_id, asker in reversed(self._askers.items())
            if asker == sender_id and thread_id not in self._open
        )
        return list(islice(thread_ids, limit))

    def list_newest(self, limit: int) -> list[str]:
        """Return up to `limit` threads, open or remembered, that began last, the newest first."""
        thread_ids = {*self._open, *self._askers}
        return heapq.nlargest(limit, thread_ids, key=lambda thread_id: float(thread_id.rpartition("-")[2]))

    def list_closed_last(self, limit: int) -> list[str]:
        """Return up to `limit` threads that closed last, the last one first."""
        return list(islice((name for name in reversed(self._askers) if name not in self._open), limit))

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Return the thread that a message joined, if remembered."""
        return self._homes.get((channel, ts))

    def in_windows(self) -> list[str]:
        """Return the threads whose debounce window is still open."""
        return sorted(name for name in self._brief if self._statuses.get(name) == "collecting")

    def ids(self) -> list[str]:
        """Return the ids of all open threads."""
        return [*self._open]

    @property
    def waiting(self) -> int:
        """Return the number of questions held back by the rate limiter."""
        return len(self._waiting)

    @property
    def cards_waiting(self) -> int:
        """Return the number of cards that wait for a decision and are not held back."""
        return self._counts.cards

    def counts(self) -> Counter[Status]:
        """Return the number of open threads by status."""
        return self._counts.statuses()

    def oldest(self, *statuses: Status) -> datetime | None:
        """Return the time since when the oldest question with one of these statuses waits; not of created tasks."""
        return self._counts.oldest(*statuses)

    def task_counts(self) -> Counter[TaskStatus]:
        """Return the number of open threads by the status of their task, whatever that depends on."""
        return self._counts.task_statuses()

    def with_status(self, *statuses: Status, order: Order = "oldest") -> list[str]:
        """Return the open threads with one of these statuses, longest wait or highest confidence first."""
        matches = [thread_id for thread_id, status in self._statuses.items() if status in statuses]
        matches.sort(key=lambda thread_id: (self._since[thread_id], float(thread_id.rpartition("-")[2])))
        return sorted(matches, key=lambda thread_id: self._certainty[thread_id]) if order == "certain" else matches

    def queue(self, *statuses: Status, order: Order = "oldest", with_held: bool = False, reader: str = "") -> list[str]:
        """Return the open threads with one of these statuses that are not held back; `with_held` appends those.

        Threads that `reader` has already approved come last, since they wait for a second person.
        """
        names = self.with_status(*statuses, order=order)
        if reader:
            names.sort(key=lambda name: self._first_by.get(name) == reader)
        held_back = [name for name in names if name in self._held_low] if with_held else []
        return [*(name for name in names if name not in self._held_low), *held_back]

    def list_undecided(self, operator: str) -> list[str]:
        """Return the threads that wait for this operator's decision, oldest first."""
        return [name for name in self.queue("pending-user") if self._operators.get(name) == operator]

    def waits_for(self, operator: str) -> bool:
        """Return whether any thread waits for this operator's decision; faster than `list_undecided`."""
        waiting = (name for name, at in self._statuses.items() if at == "pending-user" and name not in self._held_low)
        return any(self._operators[name] == operator for name in waiting)

    def __len__(self) -> int:
        return len(self._open)

    def note(self, thread: Thread) -> None:
        """Index a saved document."""
        if thread.is_open:
            self._open[thread.thread_id] = thread.original_sender_id
            self._statuses[thread.thread_id] = thread.status
            self._operators[thread.thread_id] = thread.operator
            self._certainty[thread.thread_id] = certainty(thread)
            self._since[thread.thread_id] = waits_since(thread)
            self._first_by[thread.thread_id] = thread.approved_first.by if thread.approved_first else ""
        else:
            own = (self._open, self._statuses, self._operators, self._certainty)
            for index in (*own, self._since, self._first_by):
                index.pop(thread.thread_id, None)
            self.remember(thread)
        self._counts.note(thread)
        self.alerts.note(thread)
        self.tasks.note(thread)
        for message in thread.messages:
            if message.message_id != thread.root_ts:
                self._homes[thread.chat_id, message.message_id] = thread.thread_id
        while len(self._homes) > MOST_HOMES:
            self._homes.popitem(last=False)
        (self._brief.add if thread.waits_briefly else self._brief.discard)(thread.thread_id)
        (self._held_low.add if thread.held_low and thread.is_open else self._held_low.discard)(thread.thread_id)
        (self._waiting.add if thread.waiting else self._waiting.discard)(thread.thread_id)
        if thread.due_at is None:
            self._due.pop(thread.thread_id, None)
        elif self._due.get(thread.thread_id) != thread.due_at:
            self._due[thread.thread_id] = thread.due_at
            heapq.heappush(self._heap, (thread.due_at, thread.thread_id))
            self.changed.set()

    def remember(self, thread: Thread | ClosedThread) -> None:
        """Remember the asker of a closed thread, who may come back to it."""
        if isinstance(thread, ClosedThread):
            self.alerts.remember(thread)
        self._askers[thread.thread_id] = thread.original_sender_id
        self._askers.move_to_end(thread.thread_id)
        if len(self._askers) > REMEMBERED:
            self._askers.popitem(last=False)

    def forget(self, thread_id: str) -> None:
        """Forget a closed thread whose document was removed."""
        self._askers.pop(thread_id, None)
        self.alerts.forget(thread_id)
        self.tasks.forget(thread_id)

    def next_due(self) -> datetime | None:
        """Return the earliest due time of a thread."""
        while self._heap:
            due_at, thread_id = self._heap[0]
            if self._due.get(thread_id) == due_at:
                return due_at
            heapq.heappop(self._heap)
        return None

    def brief(self) -> list[str]:
        """Return the threads that wait for seconds only."""
        return sorted(self._brief)

    def undecided_after(self, moment: datetime) -> list[str]:
        """Return the threads that wait for a decision and are due later than this."""
        waiting = self.with_status("pending-user")
        return [name for name in waiting if (due_at := self._due.get(name)) and due_at > moment]

    def take_due(self, now: datetime) -> list[str]:
        """Remove and return the threads that are due by `now`."""
        due = []
        while (due_at := self.next_due()) is not None and due_at <= now:
            thread_id = heapq.heappop(self._heap)[1]
            del self._due[thread_id]
            due.append(thread_id)
        return due
