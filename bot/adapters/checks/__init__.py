"""Checks of services: requests, look-ups, queries, and states by the command lines of docker and systemd.

The libraries of all targets are imported, and trusted certificates loaded, before the first check is timed.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bot.adapters.checks.addresses import Addresses
from bot.adapters.checks.outcome import Outcome, degraded, describe_fault, describe_missing, down, unchecked
from bot.models.check_result import CheckResult
from bot.models.check_target import ContainerTarget, DatabaseTarget, DnsTarget, HttpTarget, UnitTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bot.adapters.checks.database_check import DatabaseProbe
    from bot.adapters.checks.http_check import HttpProbe
    from bot.adapters.checks.programs import ProgramProbe
    from bot.models.check_result import CheckType
    from bot.models.check_target import CheckTarget
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

LONGEST_ERROR = 200
_ENDS_WITHIN = 1.0
"""Seconds in which a cancelled check should end; psycopg takes longer to cancel a query of a server that hangs."""
_LIBRARIES: Mapping[CheckType, tuple[str, ...]] = {
    "http": ("bot.adapters.checks.http_check", "encodings.idna"),
    "dns": ("bot.adapters.checks.dns_check",),
    "database": ("bot.adapters.checks.database_check", "psycopg", "encodings.idna"),
    "container": ("bot.adapters.checks.containers", "bot.adapters.checks.programs"),
    "service": ("bot.adapters.checks.units", "bot.adapters.checks.programs"),
}
"""Modules that a check needs, by its type; the first check of a process would include the time of their import."""
_CORE: Mapping[CheckType, str] = {"http": "aiohttp", "dns": "dns"}
"""Modules that come with Triage."""
_LONGEST_RAW = 2_000
"""Characters of an error that are redacted; the rest is dropped before."""


class Checks:
    """The port `ServiceChecks`."""

    def __init__(
        self,
        targets: Mapping[str, Sequence[CheckTarget]],
        *,
        timeout_s: float,
        clock: Clock,
        redact: Callable[[str], str],
        environment: Mapping[str, str],
        measure: Callable[[], float] = time.monotonic,
    ) -> None:
        self._targets, self._timeout_s, self._clock = targets, timeout_s, clock
        self._redact, self._environment, self._measure = redact, environment, measure
        self._addresses = Addresses()
        self._http: HttpProbe | None = None
        self._database: DatabaseProbe | None = None
        self._programs: dict[str, ProgramProbe] = {}
        self._locks = {service: asyncio.Lock() for service in targets}
        self._faults: dict[str, tuple[str, ...]] = {}
        self._logged: set[tuple[str, str]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._preparation: asyncio.Task[None] | None = None

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """Make all checks of a service at once, but after those that run; return their results in the order of the
        settings, without those that could not be made."""
        if service not in self._targets:
            return ()
        await self._prepare()
        async with self._locks[service]:
            outcomes = await asyncio.gather(*(self._check(service, each) for each in self._targets[service]))
            self._faults[service] = tuple(each for each in outcomes if isinstance(each, str))
            return tuple(each for each in outcomes if isinstance(each, CheckResult))

    def list_faults(self, service: str) -> tuple[str, ...]:
        """Return the checks that could not be made in the last run of a service, each with its reason."""
        return self._faults.get(service, ())

    async def close(self) -> None:
        """End what is under way."""
        for program in self._programs.values():
            await program.close()
        if tasks := [*self._tasks]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_ENDS_WITHIN)
        if self._http is not None:
            await self._http.close()
        self._addresses.close()

    async def _check(self, service: str, target: CheckTarget) -> CheckResult | str:
        """Return the result, or the reason why the check could not be made."""
        began = self._measure()
        try:
            outcome = await self._probe_in_time(target)
        except Exception as problem:
            outcome = unchecked(describe_fault(problem))
            if not isinstance(problem, ImportError) and (service, outcome.error) not in self._logged:
                log.exception("the %s check of %s failed by itself", target.type, service)
        elapsed_ms = round((self._measure() - began) * 1_000)
        outcome = _judge_latency(outcome, target, elapsed_ms)
        if outcome.status is None:
            return self._note_fault(service, target.type, outcome.error)
        return CheckResult(
            service=service,
            check_type=target.type,
            status=outcome.status,
            error=self._clean(outcome.error),
            response_time_ms=max(0, elapsed_ms),
        )

    def _note_fault(self, service: str, kind: str, error: str) -> str:
        """Log a fault once; return it in short form."""
        if (service, error) not in self._logged:
            self._logged.add((service, error))
            log.error("the %s check of %s could not be made: %s", kind, service, self._clean(error))
        return self._clean(f"{kind}: {error}")

    async def _probe_in_time(self, target: CheckTarget) -> Outcome:
        """Return the outcome at the timeout at the latest, also if a library is slow to end."""
        task = asyncio.create_task(self._probe(target))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            await asyncio.wait({task}, timeout=self._timeout_s)
        finally:
            if not task.done():
                task.cancel()
                asyncio.get_running_loop().call_later(_ENDS_WITHIN, task.cancel)
        if task.done() and not task.cancelled():
            return task.result()
        return down(f"no answer within {self._timeout_s:g} s")

    async def _prepare(self) -> None:
        """Do once all that takes time at the first check, so that no check is said to be slow for it."""
        if self._preparation is None:
            self._preparation = asyncio.create_task(self._load_libraries(), name="libraries of checks")
            self._tasks.add(self._preparation)
            self._preparation.add_done_callback(self._forget)
        await asyncio.shield(self._preparation)

    async def _load_libraries(self) -> None:
        targets = [target for each in self._targets.values() for target in each]
        names = dict.fromkeys(name for target in targets for name in _LIBRARIES[target.type])
        await asyncio.to_thread(_import, names)
        with suppress(Exception):  # each check says it
            if any(isinstance(target, HttpTarget) and target.url.startswith("https:") for target in targets):
                await self._open_http().load_trust()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # mark the error of an abandoned check as retrieved

    async def _probe(self, target: CheckTarget) -> Outcome:
        match target:
            case HttpTarget():
                return await self._open_http().probe(target)
            case DnsTarget():
                from bot.adapters.checks.dns_check import probe_dns

                return await probe_dns(target, timeout_s=self._timeout_s)
            case DatabaseTarget():
                return await self._open_database().probe(target)
            case ContainerTarget(name=name) | UnitTarget(unit=name):
                return await self._open_program(target.type).probe(name)

    def _open_http(self) -> HttpProbe:
        if self._http is None:
            from bot.adapters.checks.http_check import HttpProbe

            self._http = HttpProbe(self._clock, self._addresses)
        return self._http

    def _open_database(self) -> DatabaseProbe:
        if self._database is None:
            from bot.adapters.checks.database_check import DatabaseProbe

            self._database = DatabaseProbe(self._environment, self._addresses, timeout_s=self._timeout_s)
        return self._database

    def _open_program(self, kind: str) -> ProgramProbe:
        if kind not in self._programs:
            from bot.adapters.checks import containers, units
            from bot.adapters.checks.programs import ProgramProbe

            program, arguments, parse = (
                (containers.PROGRAM, containers.ARGUMENTS, containers.parse_containers)
                if kind == "container"
                else (units.PROGRAM, units.ARGUMENTS, units.parse_units)
            )
            self._programs[kind] = ProgramProbe(
                program, arguments, parse, environment=self._environment, timeout_s=self._timeout_s
            )
        return self._programs[kind]

    def _clean(self, error: str) -> str:
        """Return an error redacted, on one printable line, in short form."""
        redacted = self._redact(error[:_LONGEST_RAW])
        plain = " ".join("".join(char if char.isprintable() else " " for char in redacted).split())
        return plain if len(plain) <= LONGEST_ERROR else f"{plain[: LONGEST_ERROR - 1]}…"


def find_missing(kinds: Iterable[CheckType]) -> str:
    """Return the missing module of the core that one of these types of checks needs, as a sentence; empty if all are
    there."""
    for kind in kinds:
        name = _CORE.get(kind)
        if name and importlib.util.find_spec(name) is None:
            return f"{kind} checks: {describe_missing(name)}"
    return ""


def _import(names: Iterable[str]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as problem:
            log.debug("%s is not there: %s", name, problem)  # each check says it


def _judge_latency(outcome: Outcome, target: CheckTarget, elapsed_ms: int) -> Outcome:
    limit = getattr(target, "latency_ms", None)
    if outcome.status != "healthy" or limit is None or elapsed_ms <= limit:
        return outcome
    return degraded(f"answered in {elapsed_ms} ms, expected at most {limit} ms")
