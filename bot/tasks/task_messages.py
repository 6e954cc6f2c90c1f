"""First messages of created tasks: each shows the title of its order, also after an edit.

The first post is that of `task_threads`: here no message is ever posted.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.created_task import build_first_message
from blocks.text import clip
from bot.errors import Refused, TriageError
from bot.models.order_record import OrderRecord
from bot.models.thread_event import TitleShown
from bot.runtime.background_tasks import cancel_all

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.tasks.order_book import OrderBook

log = logging.getLogger(__name__)

_RETRY_SECONDS = 20.0
"""Seconds until a failed update is tried again."""
_TITLE = 120


@dataclass(kw_only=True)
class TaskMessages:
    """Updater of first messages; an event records the title that each shows."""

    chat: Chat
    clock: Clock
    threads: ThreadQueue
    orders: OrderBook
    redactor: Redactor
    _newest: dict[str, Thread] = field(default_factory=dict)
    _refused: dict[str, str] = field(default_factory=dict)
    """Title that Slack does not take, by thread: it is tried again at the next start."""
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Update the first message of this thread soon, if it shows an earlier title."""
        order, name = thread.order, thread.thread_id
        if order is None or not order.is_title_behind or order.is_message_deleted:
            return
        if self._refused.get(name) == order.title:
            return
        self._newest[name] = thread
        if name not in self._drawing:
            self._drawing[name] = asyncio.create_task(self._draw_all(name), name=f"title {name}")

    async def stop(self) -> None:
        """Stop; the next start continues."""
        await cancel_all(self._drawing.values())

    async def _draw_all(self, name: str) -> None:
        try:
            while thread := self._newest.pop(name, None):
                if thread.order:
                    await self._draw(thread, thread.order)
        except Exception:
            log.exception("thread %s: the first message of its task failed", name)
        finally:
            del self._drawing[name]

    async def _draw(self, thread: Thread, order: TaskOrder) -> None:
        """Update the message; a refusal ends it, any other failure is tried again."""
        record = self.orders.find(order.order_id) or OrderRecord(order=order)
        title = clip(self.redactor.redact(order.title), _TITLE)
        picture = build_first_message(record.evolve(order=order.evolve(title=title)))
        try:
            await self.chat.update(channel=thread.chat_id, ts=thread.root_ts, **picture)
        except Refused as problem:
            log.warning("thread %s: the first message of its task is not updated: %s", thread.thread_id, problem)
            self._refused[thread.thread_id] = order.title
        except TriageError as problem:
            log.warning("thread %s: %s; again in %.0f s", thread.thread_id, problem, _RETRY_SECONDS)
            self._newest.setdefault(thread.thread_id, thread)  # unless a newer one came
            await self.clock.sleep(_RETRY_SECONDS)
        else:
            event = TitleShown(at=self.clock.now(), fresh=self.clock.new_id(), title=order.title)
            self.threads.tell(thread.thread_id, event)
