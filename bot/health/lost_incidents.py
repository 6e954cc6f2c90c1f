"""Records of incidents whose file was lost, rebuilt from the documents of their threads."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.models.incident_record import IncidentRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from bot.models.incident import Incident
    from bot.ports.outbound import Store

log = logging.getLogger(__name__)


async def rebuild_records(
    store: Store, groups: Mapping[str, str], *, cooldown: timedelta, now: datetime
) -> tuple[IncidentRecord, ...]:
    """Return the records of all incidents that are open or in their cooldown, oldest first.

    `groups` has the group of each service of the settings.
    """
    records = []
    for thread_id in await store.thread_ids():
        try:
            thread = await store.load(thread_id)
        except Unreadable as problem:
            log.warning("%s", problem)
            continue
        if thread and thread.incident:
            record = _build_record(thread.incident, thread_id, groups, cooldown)
            if record.cooldown_until is None or record.cooldown_until >= now:
                records.append(record)
    return tuple(sorted(records, key=lambda record: record.since))


def _build_record(incident: Incident, thread_id: str, groups: Mapping[str, str], cooldown: timedelta) -> IncidentRecord:
    _, chat_id, ts = thread_id.split("-")
    own = tuple(dict.fromkeys(groups[name] for name in incident.services if name in groups))
    failed = incident.failed_checks if incident.is_over else incident.failing_checks
    return IncidentRecord(
        incident_id=incident.incident_id,
        group=incident.group,
        groups=own or (incident.group,),
        services=incident.services,
        since=incident.since,
        opened_at=datetime.fromtimestamp(float(ts), UTC),
        worst={f"{check.service} {check.check_type}": check.status for check in failed},
        session_id=incident.session_id,
        thread_id=thread_id,
        chat_id=chat_id,
        recovered_at=incident.recovered_at,
        unchecked=incident.unchecked,
        cooldown_until=incident.recovered_at + cooldown if incident.recovered_at else None,
        told_revision=1,
    )
