"""Field types of command data."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, PlainSerializer


def _to_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def _format_seconds(at: datetime) -> str:
    return f"{at.replace(microsecond=0, tzinfo=None).isoformat()}Z"


UtcTime = Annotated[AwareDatetime, AfterValidator(_to_utc), PlainSerializer(_format_seconds, str, when_used="json")]
"""Time in UTC; JSON has it as ISO 8601 in whole seconds, such as `2026-07-01T08:00:00Z`."""
