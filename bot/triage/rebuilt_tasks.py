"""Start of a rebuilt thread of a created task, from the record of its order: no journal has the bot's own message."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import Unreadable
from bot.models.order_record import OrderRecord
from bot.triage.task_openings import build_task_message, build_task_opening

if TYPE_CHECKING:
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock, JsonFile
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RebuiltTasks:
    """Reader of the records of tasks that are not over."""

    file: JsonFile
    clock: Clock
    operators: Operators

    async def list_events(self, thread_id: str) -> list[ThreadEvent]:
        """Return the event that opens the thread of a task; none for another thread. It waits for its start again."""
        try:
            records = [OrderRecord.model_validate(value) for value in (await self.file.read_whole()).values()]
        except (Unreadable, ValidationError) as problem:
            log.warning("the orders of created tasks cannot be read: %s", problem)
            return []
        order = next((record.order for record in records if record.thread_id == thread_id), None)
        if order is None:
            return []
        message = build_task_message(order, thread_id, chat_name="")
        operator = self.operators.first_operator(message.chat_id, order.created_by)
        return [build_task_opening(order, message, at=order.created_at, fresh=self.clock.new_id(), operator=operator)]
