"""Filter of everything that Slack is given: secrets redacted, times with a fallback in the team's zone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.models.markup import with_fallbacks

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from bot.decide.redaction.redactor import Redactor


@dataclass(frozen=True)
class OutboundFilter:
    """Applies to any JSON value."""

    redactor: Redactor
    zone: ZoneInfo

    def apply(self, value: Any) -> Any:
        """Return a value as Slack may have it; no value in it is remembered, since code has composed it."""
        return with_fallbacks(self.redactor.value(value, remember=False), self.zone)
