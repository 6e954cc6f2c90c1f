"""Start of a rebuilt thread of an incident, from the record of the checks: no journal has the bot's own message."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import Unreadable
from bot.models.check_result import CheckResult
from bot.models.incident import Incident
from bot.models.incident_record import IncidentRecord
from bot.models.message import Message, Sender
from bot.models.thread_event import MessageAdded, RecoveryShown, ServicesRecovered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.status import Mode
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock, JsonFile
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RebuiltIncidents:
    """Reader of the records of incidents, open or in their cooldown. `modes` and `channel_names` are those of watched
    channels."""

    file: JsonFile
    clock: Clock
    modes: dict[str, Mode]
    channel_names: Mapping[str, str]
    operators: Operators
    bot_user_id: str

    async def list_events(self, thread_id: str) -> list[ThreadEvent]:
        """Return the events that open the thread of an incident, and end it if it is over; none for another thread.

        Reasons of checks, runbooks and the number of outages are not on record. A recovery counts as begun: its line
        is looked up before it is posted.
        """
        record = await self._find(thread_id)
        if record is None or not record.worst or self.modes.get(thread_id.split("-")[1], "silent") == "silent":
            return []
        opened = self._build_opening(record, thread_id)
        if record.recovered_at is None:
            return [opened]
        checks = _list_checks(record, is_over=True)
        over = ServicesRecovered(
            at=record.recovered_at, fresh=self.clock.new_id(), checks=checks, unchecked=record.unchecked
        )
        line = RecoveryShown(at=record.recovered_at, fresh=self.clock.new_id(), failures=1, is_done=False)
        return [opened, over, line]

    async def _find(self, thread_id: str) -> IncidentRecord | None:
        try:
            records = [IncidentRecord.model_validate(value) for value in (await self.file.read_whole()).values()]
        except (Unreadable, ValidationError) as problem:
            log.warning("the records of incidents cannot be read: %s", problem)
            return None
        return next((record for record in records if record.thread_id == thread_id), None)

    def _build_opening(self, record: IncidentRecord, thread_id: str) -> MessageAdded:
        team_id, chat_id, ts = thread_id.split("-")
        checks = _list_checks(record, is_over=False)
        message = Message(
            team_id=team_id,
            chat_id=chat_id,
            chat_name=self.channel_names.get(chat_id, ""),
            message_id=ts,
            create_time=datetime.fromtimestamp(float(ts), UTC),
            msg_type="text",
            content="\n".join(f"{each.service} is {each.status}, {each.check_type} check" for each in checks),
            thread_id=None,
            sender=Sender(id=self.bot_user_id, type="bot"),
        )
        incident = Incident(
            incident_id=record.incident_id,
            group=record.group,
            services=record.services,
            since=record.since,
            checks=checks,
            checked_at=record.opened_at,
            session_id=record.session_id,
            shown=1,
        )
        return MessageAdded(
            at=record.opened_at,
            fresh=self.clock.new_id(),
            message=message,
            mode=self.modes[chat_id],
            operator=self.operators.first_operator(chat_id, self.bot_user_id),
            mentioned=False,
            incident=incident,
        )


def _list_checks(record: IncidentRecord, *, is_over: bool) -> tuple[CheckResult, ...]:
    """Return the checks that failed, with their worst status, or as healthy."""
    parts = ((*key.rpartition(" ")[::2], status) for key, status in record.worst.items())
    return tuple(
        CheckResult.model_validate(
            {"service": service, "check_type": check_type, "status": "healthy" if is_over else status, "error": ""}
        )
        for service, check_type, status in parts
    )
