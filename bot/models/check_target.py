"""Targets of health checks, as the settings name them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bot.models.fact import Fact


class HttpTarget(Fact):
    """Address of a GET request; redirects are not followed."""

    type: Literal["http"] = "http"
    url: str
    status: int = 200
    text: str = ""
    latency_ms: int | None = None
    certificate_days: int = 14


class DnsTarget(Fact):
    """Name to look up, at a name server `ip` or `ip:port`, or at the machine's own."""

    type: Literal["dns"] = "dns"
    name: str
    record: str = "A"
    expected: tuple[str, ...] = ()
    server: str = ""
    latency_ms: int | None = None


class ContainerTarget(Fact):
    """Container of docker."""

    type: Literal["container"] = "container"
    name: str


class UnitTarget(Fact):
    """Unit of systemd."""

    type: Literal["service"] = "service"
    unit: str


class DatabaseTarget(Fact):
    """Query to PostgreSQL, whose address is in a variable of the environment."""

    type: Literal["database"] = "database"
    url_env: str
    query: str = "select 1"
    expected: str = ""
    latency_ms: int | None = None


CheckTarget = Annotated[
    HttpTarget | DnsTarget | ContainerTarget | UnitTarget | DatabaseTarget, Field(discriminator="type")
]
