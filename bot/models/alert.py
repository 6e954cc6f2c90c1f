"""Alert of another program, as its message states it, and its course in the document of a thread."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from bot.models.fact import Fact

AlertSource = Literal["alertmanager", "grafana", "datadog", "sentry", "pagerduty", "other"]
AlertState = Literal["firing", "acknowledged", "resolved", "unknown"]
MOST_CHANGES = 20
"""Changes of an alert kept in a document; the oldest are dropped."""
TITLE = 300
"""Characters of an alert's title."""


class Alert(Fact):
    """One notification of an alert, recognised by its shape."""

    source: AlertSource
    state: AlertState
    title: Annotated[str, Field(max_length=TITLE)]
    """Its headline without state and markup."""
    fingerprint: str
    """Digest of its identity; empty for a message that only says the state of its thread's alert."""
    group: str
    """Digest of its name alone; empty as `fingerprint`."""
    values: tuple[str, ...] = ()
    """Values of its labels, sorted; part of its identity unless that is an explicit id."""
    is_literal: bool = False
    """True if the values are as written: counts and signs in them tell alerts apart."""
    is_exact: bool = False
    """True if the identity is an explicit id: an issue, an incident, a monitor with its group."""
    is_weak: bool = False
    """True if ordinary notices have this form, too: it is an alert only once a problem and its end form a pair."""
    is_marked: bool = False
    """True if its state is in brackets, in capitals or behind an emoji: then an amount in its title may change."""
    host: str = ""
    """Host of the program that sent it; empty if unknown."""
    labels: dict[str, str] = Field(default_factory=dict)
    services: tuple[str, ...] = ()
    """Services that it names."""
    names: tuple[str, ...] = ()
    """Paths and names of code in it, as written."""
    words: str = ""
    """Text to search for: name, services and descriptions, without labels and state."""
    link: str = ""
    """Address at its program; empty if unknown."""
    others: tuple[Alert, ...] = ()
    """Further alerts that the same message states."""

    @property
    def each(self) -> tuple[Alert, ...]:
        """Return each alert of the message on its own."""
        return (self.evolve(others=()), *self.others) if self.others else (self,)


class AlertChange(Fact):
    """One notification that changed an alert or repeated it."""

    at: datetime
    """Time of its message."""
    state: AlertState
    message_id: str


class AlertPart(Fact):
    """One alert of a thread that is about several."""

    alert: Alert
    """The latest notification that it is firing."""
    recovered_at: datetime | None = None
    """Time of its resolve; `None` while it is firing."""
    changes: tuple[AlertChange, ...] = ()
    """Its last notifications."""


class AlertRecord(Fact):
    """Alert of a thread, or several that one message states, with the last notifications."""

    alert: Alert
    """The latest notification that it is firing."""
    parts: tuple[AlertPart, ...] = ()
    """Each alert, if they are several."""
    fired: NonNegativeInt = 1
    """Number of notifications that it is firing."""
    last_fired_at: datetime
    acknowledged_at: datetime | None = None
    """Time at which its program said that somebody works on it, since it last fired again after a recovery."""
    recovered_at: datetime | None = None
    """Time of its resolve, that of the last one of several; `None` while it is firing."""
    changes: tuple[AlertChange, ...] = ()
    """The last notifications, in the order of their arrival."""
    read_at: datetime
    """Time of the last notification that became part of the question."""
    question_round: int = 1
    """Number of the question in the thread that is about it."""
    is_muted: bool = False
    """True if an operator muted its thread during or after its last question: until that is lifted it opens nothing."""

    @property
    def is_certain(self) -> bool:
        """Return whether it is an alert, not a notice that merely looks like one."""
        return not self.alert.is_weak or self.fired > 1 or self.recovered_at is not None

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Return each alert of the thread."""
        return tuple(part.alert for part in self.parts) or (self.alert,)


def begin_record(alert: Alert, message_id: str, at: datetime) -> AlertRecord:
    """Return the record of the alerts that their first message states."""
    changes = (AlertChange(at=at, state=alert.state, message_id=message_id),)
    firing = [part for part in alert.each if part.state == "firing"]
    parts = tuple(AlertPart(alert=part, changes=changes) for part in firing) if len(firing) > 1 else ()
    return AlertRecord(alert=alert.evolve(others=()), parts=parts, last_fired_at=at, read_at=at, changes=changes)
