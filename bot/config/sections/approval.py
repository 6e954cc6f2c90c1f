"""How long an operator is waited for, and how long things are kept."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.config.sections.base import ChannelId, Section
from bot.decide.working_hours import DAYS, MIDNIGHT, Day, WorkingHours


def _minutes(said: Any) -> Any:
    """`09:30` in minutes since midnight; YAML itself takes `9:30` for such a number."""
    if isinstance(said, str) and (found := re.fullmatch(r"(\d{1,2}):([0-5]\d)", said)):
        return int(found[1]) * 60 + int(found[2])
    if isinstance(said, int) and not isinstance(said, bool):
        return said
    raise ValueError("expected a time of day such as 09:30")


def _no_longer_than_a_day(minutes: int) -> int:
    if not 0 <= minutes <= MIDNIGHT:
        raise ValueError("expected a time of day from 00:00 to 24:00")
    return minutes


TimeOfDay = Annotated[int, BeforeValidator(_minutes), AfterValidator(_no_longer_than_a_day)]
"""In minutes since midnight."""


class WorkingHoursSection(Section):
    """When the operators are at work, in the team's `timezone`."""

    days: Annotated[tuple[Day, ...], Field(min_length=1)] = DAYS[:5]
    """The days of work."""
    from_: Annotated[TimeOfDay, Field(alias="from")] = 9 * 60
    """When work begins."""
    to: TimeOfDay = 18 * 60
    """When it ends, on the same day."""

    @model_validator(mode="after")
    def _ends_later(self) -> Self:
        if self.to <= self.from_:
            raise ValueError("expected `from` before `to`, on one day")
        return self

    def hours(self, zone: str) -> WorkingHours:
        """The same as a plain value."""
        return WorkingHours(days=frozenset(self.days), opens=self.from_, closes=self.to, zone=zone)


class ApprovalSection(Section):
    """How long an operator's decision is waited for."""

    expire_hours: Annotated[float, Field(gt=0, le=8_760)] = 72
    """Hours from the last change of a card after which its question is closed without a reply."""
    remind_min: Annotated[float, Field(ge=0, le=10_080)] = 60
    """Minutes after which an operator is reminded of a card that waits, and again from then on; 0: never."""
    progress_min: Annotated[float, Field(ge=0, le=10_080)] = 5
    """Minutes of a run after which its operator is told, once, that it takes long; 0: never."""
    hand_over_min: Annotated[float, Field(ge=0, le=10_080)] = 0
    """Minutes after which a card that waits passes to the next operator; 0: never."""
    working_hours: WorkingHoursSection | None = None
    """When cards, reminders and hand-overs come; at any hour when it is left out."""
    queue_channel: ChannelId | None = None
    """The private channel for the cards of watched channels that say `cards: channel`."""
    second_approver: bool = False
    """True if two different people must approve a reply."""
    hold_low: bool = False
    """True if drafts of low confidence stay out of the queue and notify nobody; the brief lists them."""
    asker_may_approve: bool = True
    """True if an operator may approve the answer to a question of their own."""
    again_days: Annotated[float, Field(ge=0, le=3_650)] = 30
    """Days for which an approved answer is looked up when its question is asked again; 0: never."""


class RetentionSection(Section):
    """How long things are kept."""

    days: Annotated[float, Field(gt=0, le=36_500)] = 365
    """The age from which records and closed threads are taken out: once a day, and by `triage purge`."""
