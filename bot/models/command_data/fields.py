"""Field types of command data."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime


def _to_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


UtcTime = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""Time in UTC; JSON has it as ISO 8601, such as `2026-07-01T08:00:00Z`."""
