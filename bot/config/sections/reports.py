"""Settings of scheduled reports."""

from __future__ import annotations

from bot.config.sections.base import ChannelId, DayTime, Section, WeekTime


class ReportsSection(Section):
    """Reports at set hours, in the zone of `timezone`."""

    brief_at: DayTime = "08:30"
    """Time of the morning brief: new questions, waiting cards, replies and cost; or `off`."""
    end_of_day_at: DayTime = "17:30"
    """Time of the end-of-day report, which is skipped when empty; or `off`."""
    weekly_at: WeekTime = "mon 09:00"
    """Time of the review of the last seven days; or `off`."""
    channel: ChannelId | None = None
    """Channel for reports; by default direct messages to the operators, and to the admins for the weekly review."""
