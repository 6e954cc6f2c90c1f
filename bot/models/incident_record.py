"""Record of an incident, in `incidents.json`: the view of the checks, from its opening to the end of its cooldown.

The thread's document holds the incident for people; this record says which thread the next failure belongs to.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, NonNegativeInt

from bot.models.check_result import ServiceStatus
from bot.models.fact import Fact
from bot.models.incident import Incident
from bot.models.session import SessionId
from bot.models.thread_id import ThreadId


class IncidentRecord(Fact):
    """Incident of one group, or of many groups at once. Times are in UTC."""

    incident_id: str
    group: str
    """Name of the group, or `several groups`."""
    groups: Annotated[tuple[str, ...], Field(min_length=1)]
    """Groups that it covers."""
    services: Annotated[tuple[str, ...], Field(min_length=1)]
    """Services that failed in its newest outage, in this order."""
    since: datetime
    """Time of the first unhealthy check."""
    opened_at: datetime
    worst: dict[str, ServiceStatus] = Field(default_factory=dict)
    """Worst status of each failed check, by service and type."""
    session_id: SessionId | None = None
    """Session of its newest outage."""
    thread_id: ThreadId | None = None
    """Its thread; `None` until its first message is known to be posted and its thread saved."""
    chat_id: str = ""
    """Channel that its first message is posted in, or was; empty before."""
    facts: Incident | None = None
    """Content of its first message, while that is being posted."""
    recovered_at: datetime | None = None
    """Time at which all services were healthy again, or no longer checked; `None` while it is open."""
    unchecked: tuple[str, ...] = ()
    """Failed services that changed settings took out of its groups before its end."""
    cooldown_until: datetime | None = None
    """Time until which another failure continues its thread; `None` while it is open."""
    revision: NonNegativeInt = 1
    """Incremented with every change that its thread must learn."""
    told_revision: NonNegativeInt = 0
    """Revision that its thread has learnt."""
    refusal: str = ""
    """The reason why Slack refused its first message, in words that an admin has had; empty if it did not."""
    notice: str = ""
    """Channel and ts of the admin's notice of that; empty without one."""

    @property
    def record_id(self) -> str:
        """Return the id by which it is found in its book."""
        return self.incident_id

    @property
    def is_open(self) -> bool:
        """Return whether its services have not recovered."""
        return self.recovered_at is None

    @property
    def is_behind(self) -> bool:
        """Return whether its thread has to learn something."""
        return self.told_revision < self.revision
