"""When Triage tells what has come in, what waits and how the week went, and where."""

from __future__ import annotations

from bot.config.sections.base import ChannelId, DayTime, Section, WeekTime


class ReportsSection(Section):
    """Reports at set hours, in the zone of `timezone`."""

    brief_at: DayTime = "08:30"
    """The morning brief: what came in overnight, what waits, what was replied, what it cost; or `off`."""
    end_of_day_at: DayTime = "17:30"
    """The same for the day, where there is something to say; or `off`."""
    weekly_at: WeekTime = "mon 09:00"
    """The review of the last seven days; or `off`."""
    channel: ChannelId | None = None
    """Where they are posted; in direct messages of the operators, the review in the admins', when left out."""
