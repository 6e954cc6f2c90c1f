"""Data of `why`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact
from bot.models.status import Outcome, Status


class CorrectionData(Fact):
    """A person's correction of a classification."""

    by: str
    label: str
    at: UtcTime


class ClassificationData(Fact):
    """Classification of a message, and its outcome."""

    channel: str
    ts: str
    classification: str | None
    """`actionable`, `ambient` or `ack`; `None` for a message that was never classified or is to the bot itself."""
    confidence: float | None
    reason: str
    """Reason in words."""
    corrections: tuple[CorrectionData, ...]
    thread_id: str | None
    task: str | None
    status: Status | None
    outcome: Outcome | None
