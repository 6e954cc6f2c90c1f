"""Notices of incidents that Slack refuses: an admin is told once, and the notice is updated when that is over."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape, moment
from bot.decide.refusals import refusal_in_words

if TYPE_CHECKING:
    from bot.errors import Refused
    from bot.health.incident_book import IncidentBook
    from bot.models.incident_record import IncidentRecord
    from bot.ports.outbound import Clock
    from bot.surfaces.notices import Notices

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RefusalNotices:
    """Sender of these notices; the record of the incident has their place."""

    notices: Notices
    book: IncidentBook
    clock: Clock

    async def note(self, record: IncidentRecord, problem: Refused) -> None:
        """Tell an admin, unless this incident was told already."""
        log.warning("incident %s cannot be reported: %s", record.incident_id, problem)
        if record.refusal:
            return
        reason = refusal_in_words(problem)
        self.book.change(record.incident_id, refusal=reason)
        place = await self.notices.post(
            f"{_describe(record, 'cannot', reason)} It is tried again every 30 seconds; `/triage services` shows the "
            "states."
        )
        self.book.change(record.incident_id, notice=place)

    async def end(self, record: IncidentRecord, words: str) -> None:
        """Say in the notice that it is over; `words` is the reason as a sentence."""
        if record.notice:
            over = f"*Over* since {moment(self.clock.now())}: {_describe(record, 'could not', record.refusal)} {words}"
            await self.notices.replace(record.notice, over)


def _describe(record: IncidentRecord, verb: str, reason: str) -> str:
    names = escape(", ".join(record.services))
    return f"{names}: not healthy, and this {verb} be reported in <#{record.chat_id}>: {escape(reason)}."
