"""Threads of created tasks: opened once by a message of the bot, for the order of a command.

The record is on disk before Slack is called, and the message is found again by the order's id. Where nothing can be
posted in a channel, the thread opens in the direct message of the person who created the task, and says why.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.created_task import build_first_message
from blocks.text import clip
from bot.decide.refusals import TOKEN, refusal_in_words
from bot.errors import Refused, RetryLater, TriageError
from bot.models.conversation_record import is_direct
from bot.runtime.retry import sleep_unless
from bot.triage.task_openings import build_task_message, build_task_opening

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.redaction.redactor import Redactor
    from bot.models.order_record import OrderRecord
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Store
    from bot.ports.slack import Chat
    from bot.tasks.order_book import OrderBook
    from bot.tasks.unreached_creators import UnreachedCreators
    from bot.triage.controls import Controls
    from bot.triage.externals import Externals
    from bot.triage.opening_messages import OpeningMessages
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until a record that could not be settled is tried again."""
KEPT_OVER = timedelta(hours=1)
"""Time after its creation in which the record of a task that is over is kept."""
NOT_LIVE = "the channel is not live in Triage any more"


@dataclass(kw_only=True, repr=False)
class TaskThreads:
    """Opener of threads; everything happens in one task."""

    chat: Chat
    messages: OpeningMessages
    store: Store
    orchestrator: Orchestrator
    controls: Controls
    operators: Operators
    externals: Externals
    naming: SlackNames
    redactor: Redactor
    clock: Clock
    book: OrderBook
    unreached: UnreachedCreators
    team_id: str
    channel_names: Mapping[str, str] = field(default_factory=dict)
    _waiters: dict[str, asyncio.Future[Thread]] = field(default_factory=dict)

    async def begin(self) -> None:
        """Load the records, and note those of tasks that are over, or were purged."""
        await self.book.load()
        for record in self.book.records:
            if record.thread_id and not record.is_over and await self._is_over(record.thread_id):
                self.book.change(record.record_id, is_over=True)

    async def run(self) -> None:
        """Open the threads of new records, at every change and again after a failure, until cancelled."""
        while True:
            self.book.news.clear()
            seconds = self._find_next_drop() if await self.settle() else EVERY
            if seconds is None:
                await self.book.news.wait()
            else:
                await sleep_unless(self.clock, seconds, unless=self.book.news)

    async def add(self, record: OrderRecord) -> None:
        """Add an order, once; on return it is on disk. Raises `RetryLater`, and then there is none."""
        if self.book.find(record.record_id):
            return
        self.messages.note_unposted(record.record_id)
        await self.book.add(record)

    async def wait_for(self, order_id: str, seconds: float) -> Thread | None:
        """Wait so long for the thread of an order; `None` if it is not open by then."""
        if (record := self.book.find(order_id)) and record.thread_id:
            return await self.store.load(record.thread_id)
        waiter = self._waiters.setdefault(order_id, asyncio.get_running_loop().create_future())
        done, _ = await asyncio.wait([waiter], timeout=seconds)
        return waiter.result() if done else None

    async def settle(self) -> bool:
        """Bring every record forward; return whether nothing is left to do."""
        await self.book.settle_each(self._open)
        self._drop_over()
        return await self.book.try_save() and all(record.thread_id for record in self.book.records)

    @property
    def open_count(self) -> int:
        """Return the number of created tasks that are not over."""
        return sum(not record.is_over for record in self.book.records)

    def _find_next_drop(self) -> float | None:
        """Return the seconds until a record of a task that is over is dropped; `None` without one."""
        ends = [record.order.created_at + KEPT_OVER for record in self.book.records if record.is_over]
        return max(0.0, (min(ends) - self.clock.now()).total_seconds()) + 1 if ends else None

    def _drop_over(self) -> None:
        """Drop the records that no interrupted command can name any more."""
        before = self.clock.now() - KEPT_OVER
        self.book.replace([r for r in self.book.records if not r.is_over or r.order.created_at > before])

    async def _open(self, record: OrderRecord) -> None:
        """Post the first message unless it is there, open the thread, and note it."""
        if record.thread_id:
            return
        await self.book.save()
        if not record.chat_id:
            record = await self._find_direct_message(record)
        ts = await self.messages.find(record.record_id, channel=record.chat_id, since=record.order.created_at)
        if ts is None and self.controls.state != "stopped":
            ts = await self._post(record)
        if ts:
            await self._open_thread(record, ts)

    async def _find_direct_message(self, record: OrderRecord) -> OrderRecord:
        """Return the record with the direct message of the person who created it. Raises `RetryLater`."""
        try:
            chat_id = await self.chat.open_dm(record.order.created_by)
        except Refused as problem:
            await self.unreached.note(record, problem)
            raise RetryLater(f"{record.order.created_by} has no direct message: {problem}") from problem
        return await self._change(record, chat_id=chat_id)

    async def _post(self, record: OrderRecord) -> str | None:
        """Post the message; return its ts, `None` if it is tried in another place."""
        if not is_direct(record.chat_id) and self.controls.modes.get(record.chat_id) != "live":
            await self._fall_back(record, NOT_LIVE)
            return None
        title = clip(self.redactor.redact(record.order.title), 120)
        picture = build_first_message(record.evolve(order=record.order.evolve(title=title)))
        try:
            return await self.messages.post(record.record_id, channel=record.chat_id, picture=picture)
        except Refused as problem:
            if problem.code in TOKEN:
                raise
            if is_direct(record.chat_id):
                await self.unreached.note(record, problem)
                raise RetryLater(f"a direct message was refused: {problem}") from problem
            await self._fall_back(record, refusal_in_words(problem))
            return None

    async def _fall_back(self, record: OrderRecord, refusal: str) -> None:
        """Open the thread in the direct message of the person who created the task instead, at the next look."""
        log.warning("task %s cannot be posted in %s: %s", record.record_id, record.chat_id, refusal)
        await self._change(record, chat_id="", refused_in=record.chat_id, refusal=refusal)

    async def _open_thread(self, record: OrderRecord, ts: str) -> None:
        order, chat_id = record.order, record.chat_id
        name = (await self.naming.names({order.created_by: ""}))[order.created_by]
        home = f"{self.team_id}-{chat_id}-{ts}"
        message = build_task_message(order, home, chat_name=self.channel_names.get(chat_id, chat_id), name=name)
        event = build_task_opening(
            order,
            message,
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            operator=self.operators.first_operator(chat_id, order.created_by),
            external=None if is_direct(chat_id) else await self.externals.find_external_in_history(message),
        )
        step = await self.orchestrator.submit(home, event)
        if step.thread is None or step.thread.order is None:
            raise RetryLater("a reply in its thread is being posted first")
        await self._change(record, thread_id=home, notice="")
        await self.unreached.end(record)
        if waiter := self._waiters.pop(record.record_id, None):
            waiter.set_result(step.thread)

    async def _change(self, record: OrderRecord, **changes: object) -> OrderRecord:
        """Change the record, on disk. Raises `RetryLater`."""
        self.book.change(record.record_id, **changes)
        await self.book.save()
        return self.book.find(record.record_id) or record.evolve(**changes)

    async def _is_over(self, thread_id: str) -> bool:
        """Return whether the task of a thread has ended; an unreadable document is rebuilt by its next event."""
        with suppress(TriageError):
            thread = await self.store.load(thread_id)
            return thread is None or thread.order is None or thread.order.outcome is not None
        return False
