"""Settings of approval and retention."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.config.sections.base import ChannelId, Section
from bot.decide.working_hours import DAYS, MIDNIGHT, Day, WorkingHours


def _minutes(value: Any) -> Any:
    """Convert `09:30` to minutes since midnight; YAML itself reads `9:30` as such a number."""
    if isinstance(value, str) and (match := re.fullmatch(r"(\d{1,2}):([0-5]\d)", value)):
        return int(match[1]) * 60 + int(match[2])
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("expected a time of day such as 09:30")


def _no_longer_than_a_day(minutes: int) -> int:
    if not 0 <= minutes <= MIDNIGHT:
        raise ValueError("expected a time of day from 00:00 to 24:00")
    return minutes


TimeOfDay = Annotated[int, BeforeValidator(_minutes), AfterValidator(_no_longer_than_a_day)]
"""Time of day in minutes since midnight."""


class WorkingHoursSection(Section):
    """Working hours of the operators, in the team's `timezone`."""

    days: Annotated[tuple[Day, ...], Field(min_length=1)] = DAYS[:5]
    """Working days."""
    from_: Annotated[TimeOfDay, Field(alias="from")] = 9 * 60
    """Start of the working day."""
    to: TimeOfDay = 18 * 60
    """End of the working day, on the same day."""

    @model_validator(mode="after")
    def _ends_later(self) -> Self:
        if self.to <= self.from_:
            raise ValueError("expected `from` before `to`, on one day")
        return self

    def hours(self, zone: str) -> WorkingHours:
        """Return the working hours as a `WorkingHours` value."""
        return WorkingHours(days=frozenset(self.days), opens=self.from_, closes=self.to, zone=zone)


class ApprovalSection(Section):
    """Settings of the operators' decisions and cards."""

    expire_hours: Annotated[float, Field(gt=0, le=8_760)] = 72
    """Hours after the last change of a card until its question is closed without a reply."""
    remind_min: Annotated[float, Field(ge=0, le=10_080)] = 60
    """Minutes until an operator is reminded of a waiting card, and between reminders; 0: never."""
    progress_min: Annotated[float, Field(ge=0, le=10_080)] = 5
    """Minutes of a run until its operator is told, once, that it takes long; 0: never."""
    hand_over_min: Annotated[float, Field(ge=0, le=10_080)] = 0
    """Minutes until a waiting card is handed over to the next operator; 0: never."""
    working_hours: WorkingHoursSection | None = None
    """Hours for cards, reminders and hand-overs; any hour by default."""
    queue_channel: ChannelId | None = None
    """Private channel for the cards of watched channels with `cards: channel`."""
    second_approver: bool = False
    """True if two different people must approve a reply."""
    hold_low: bool = False
    """True if drafts of low confidence stay out of the queue and notify nobody; the brief lists them."""
    asker_may_approve: bool = True
    """True if an operator may approve the answer to a question of their own."""
    again_days: Annotated[float, Field(ge=0, le=3_650)] = 30
    """Days for which an approved answer is reused when its question is repeated; 0: never."""


class RetentionSection(Section):
    """Retention of records."""

    days: Annotated[float, Field(gt=0, le=36_500)] = 365
    """Age in days at which records and closed threads are removed: once a day, and by `triage purge`."""
