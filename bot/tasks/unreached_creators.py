"""People who created a task and cannot be written to: an admin is told once, and again when that is over."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.decide.refusals import refusal_in_words

if TYPE_CHECKING:
    from bot.errors import Refused
    from bot.models.order_record import OrderRecord
    from bot.ports.outbound import Clock
    from bot.surfaces.notices import Notices
    from bot.tasks.order_book import OrderBook

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class UnreachedCreators:
    """Sender of these notices; their place stands in the record of the order."""

    notices: Notices
    book: OrderBook
    clock: Clock

    async def note(self, record: OrderRecord, problem: Refused) -> None:
        """Tell an admin, unless this order was told already."""
        log.warning("task %s has no place: %s", record.record_id, problem)
        if record.notice:
            return
        place = await self.notices.post(
            f"{_describe(record)}, and has no thread yet: a direct message to them was refused, "
            f"{escape(refusal_in_words(problem))}. It is tried again every 30 seconds."
        )
        self.book.change(record.record_id, notice=place)

    async def end(self, record: OrderRecord) -> None:
        """Say in the notice that the task has its thread."""
        if record.notice:
            await self.notices.replace(
                record.notice, f"*Over* since {moment(self.clock.now())}: {_describe(record)}, and has its thread now."
            )


def _describe(record: OrderRecord) -> str:
    return f"The task *{escape(clip(record.order.title, 120))}* was created by <@{record.order.created_by}>"
