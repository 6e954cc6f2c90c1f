"""Settings of health checks, of the channel for incidents, and of runbooks (spec 3)."""

from __future__ import annotations

import ipaddress
import re
import shlex
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Discriminator, Field, StringConstraints, Tag, TypeAdapter, field_validator

from bot.config.sections.base import ChannelId, ProjectName, RunbookName, Section, UnitName, VariableName
from bot.config.sections.secret_free import SecretFree, find_secret_fault
from bot.decide.program_arguments import find_program_fault
from bot.models.check_target import CheckTarget
from bot.models.runbook import RunbookProposal

ServiceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
_SCRIPT = (
    "the card and the audit log show this program word for word; name a script of yours instead, which reads the "
    "secret from a file"
)
"""Next step for a runbook with a secret: it gets none of the bot's variables."""
_NO_HOST_NAME = re.compile(r"[\s/:@${}]")
Milliseconds = Annotated[int, Field(gt=0, le=600_000)]


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class HttpCheck(Section):
    """HTTP request with GET. Redirects are not followed."""

    type: Literal["http"]
    url: SecretFree
    """Address: http or https, without user and password."""
    status: Annotated[int, Field(ge=100, le=599)] = 200
    """Expected status code."""
    text: SecretFree = ""
    """Text that the body must contain; empty for none."""
    latency_ms: Milliseconds | None = None
    """Time above which the service is degraded."""
    certificate_days: Annotated[int, Field(ge=0, le=3_650)] = 14
    """Remaining days of the certificate below which the service is degraded; https only."""

    @field_validator("url")
    @classmethod
    def _is_plain(cls, url: str) -> str:
        if "${" in url:
            raise ValueError("expected an address without ${…}: variables are not filled in here")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected an address such as https://shop.example.com/health, got {parts.scheme}:…")
        if parts.port == 0:
            raise ValueError("expected a port from 1 to 65535")
        if parts.username is not None or parts.password is not None:
            raise ValueError("expected an address without user and password: secrets never stand in the settings")
        return url


class DnsCheck(Section):
    """Look-up of a name."""

    type: Literal["dns"]
    name: Annotated[SecretFree, Field(min_length=1, max_length=253)]
    """Name to look up, such as shop.example.com."""
    record: Literal["A", "AAAA", "CNAME", "MX", "NS", "TXT", "SRV"] = "A"
    """Type of its record."""
    expected: tuple[str, ...] = ()
    """Values that the answer must contain; any answer by default."""
    server: str = ""
    """Address of a name server, `ip` or `ip:port`; the machine's own by default."""
    latency_ms: Milliseconds | None = None
    """Time above which the service is degraded."""

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if _NO_HOST_NAME.search(name):
            raise ValueError("expected a name such as shop.example.com, without scheme, port and path")
        return name

    @field_validator("server")
    @classmethod
    def _is_an_address(cls, server: str) -> str:
        address, _, port = (server, "", "53") if _is_ip(server) else server.rpartition(":")
        if server and not (_is_ip(address.strip("[]")) and port.isdecimal() and 0 < int(port) < 65_536):
            raise ValueError("expected the address of a name server such as 192.0.2.53 or 192.0.2.53:5353")
        return server


class ContainerCheck(Section):
    """State of a container, by the command line of docker."""

    type: Literal["container"]
    name: UnitName
    """Name of the container."""


class UnitCheck(Section):
    """State of a unit of systemd, by its command line."""

    type: Literal["service"]
    unit: UnitName
    """Name of the unit, such as shop.service."""


class DatabaseCheck(Section):
    """Query to PostgreSQL; needs the extra of that name."""

    type: Literal["database"]
    url_env: VariableName
    """Variable of the environment that holds the address; never the address itself."""
    query: Annotated[SecretFree, Field(min_length=1)] = "select 1"
    """Query, in a read-only transaction."""
    expected: SecretFree = ""
    """Text that the first value of the first row must equal; empty for any."""
    latency_ms: Milliseconds | None = None
    """Time above which the service is degraded."""


def _type_of(value: object) -> str:
    """Return the type of a check; an unknown one is left to the error that lists the known types."""
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return str(kind)


Check = Annotated[
    Annotated[HttpCheck, Tag("http")]
    | Annotated[DnsCheck, Tag("dns")]
    | Annotated[ContainerCheck, Tag("container")]
    | Annotated[UnitCheck, Tag("service")]
    | Annotated[DatabaseCheck, Tag("database")],
    Discriminator(
        _type_of,
        custom_error_type="check_type",
        custom_error_message="expected a type: http, dns, container, database or service",
    ),
]


_TARGETS = TypeAdapter(tuple[CheckTarget, ...])


class ServiceSection(Section):
    """Settings of one service."""

    name: ServiceName
    """Name in threads, cards and commands."""
    group: ServiceName | None = None
    """Group whose services share one incident; the service alone by default."""
    project: ProjectName | None = None
    """Project that an incident is investigated in; the best match by default."""
    interval_s: Annotated[float, Field(ge=1, le=86_400)] | None = None
    """Seconds between two checks; `health.interval_s` by default."""
    checks: Annotated[tuple[Check, ...], Field(min_length=1, max_length=20)]
    """Checks, 1 to 20; the service is healthy if all of them are."""

    @property
    def group_name(self) -> str:
        """Return the name of its group."""
        return self.group or self.name

    @property
    def slot(self) -> str:
        """Return the slot of its job in the schedule: services whose checks may share a process are due together."""
        return "programs" if any(check.type in ("container", "service") for check in self.checks) else ""

    @property
    def targets(self) -> tuple[CheckTarget, ...]:
        """Return the targets of its checks."""
        return _TARGETS.validate_python([check.model_dump() for check in self.checks])


class HealthSection(Section):
    """Settings of health checks; without services nothing is checked."""

    interval_s: Annotated[float, Field(ge=1, le=86_400)] = 60
    """Seconds between two checks of a service."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10
    """Seconds until a check counts as down."""
    cooldown_min: Annotated[float, Field(ge=0, le=10_080)] = 30
    """Minutes after a recovery in which another failure of the service continues the same thread."""
    keep_days: Annotated[int, Field(ge=1, le=365)] = 7
    """Days that results are kept."""
    services: tuple[ServiceSection, ...] = ()

    @field_validator("services")
    @classmethod
    def _each_once(cls, services: tuple[ServiceSection, ...]) -> tuple[ServiceSection, ...]:
        names = [service.name for service in services]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"expected each service once, found {twice} twice")
        return services

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the variables of the environment that hold addresses of databases, each once."""
        checks = (check for service in self.services for check in service.checks)
        return tuple(dict.fromkeys(check.url_env for check in checks if isinstance(check, DatabaseCheck)))


class WatchSection(Section):
    """Settings of the channel for incidents."""

    chat_id: ChannelId | None = None
    """Watched channel in which an incident is reported."""


class RunbookSection(Section):
    """Settings of a runbook: a program that an operator may run for a service that is not healthy."""

    name: RunbookName
    """Name by which agents propose it."""
    argv: tuple[str, ...]
    """Program with its arguments; no shell reads it."""
    services: Annotated[tuple[ServiceName, ...], Field(min_length=1)]
    """Services that it is a remedy for."""
    tiers: Annotated[tuple[Literal[1, 2, 3], ...], Field(min_length=1)] = (1, 2)
    """Tiers that may propose it."""
    cooldown_min: Annotated[float, Field(ge=0, le=10_080)] = 30
    """Minutes after a run in which it is not proposed again."""
    timeout_s: Annotated[float, Field(gt=0, le=3_600)] = 60
    """Seconds after which it is ended."""

    @field_validator("argv")
    @classmethod
    def _is_startable(cls, argv: tuple[str, ...]) -> tuple[str, ...]:
        if fault := find_program_fault(argv) or find_secret_fault(shlex.join(argv), _SCRIPT):
            raise ValueError(fault)
        return argv

    def as_proposal(self) -> RunbookProposal:
        """Return it as an agent and a card see it."""
        return RunbookProposal(name=self.name, argv=self.argv, services=self.services, timeout_s=self.timeout_s)
