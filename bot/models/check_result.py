"""Result of one health check (spec 3)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import NonNegativeInt, StringConstraints

from bot.models.fact import Fact

CheckType = Literal["http", "dns", "container", "database", "service"]
ServiceStatus = Literal["healthy", "degraded", "down"]


class CheckResult(Fact):
    """Result of one health check."""

    service: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    check_type: CheckType
    status: ServiceStatus
    error: str
    """The reason of a status other than `healthy`; may be empty."""
    response_time_ms: NonNegativeInt | None = None
