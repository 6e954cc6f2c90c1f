"""Checks of health settings for `triage doctor`: what the checks need, the channel, runbooks, and each service once."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck
from bot.cli.program_places import find_program_fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.models.check_result import CheckResult

_AT_ONCE = 8
"""Services that are checked at once: more would wait for each other, and be said to be slow."""
_PROGRAMS = {"container": "docker", "service": "systemctl"}


async def check_health(settings: Settings, env: Environment) -> AsyncIterator[DoctorCheck]:
    """Check what the services need, and each service once; nothing without services."""
    if not settings.health.services:
        return
    yield _check_channel(settings)
    for check in (*_check_needs(settings, os.environ), *_check_runbooks(settings, os.environ)):
        yield check
    for check in await _check_services(settings, env):
        yield check


async def _check_services(settings: Settings, env: Environment) -> list[DoctorCheck]:
    """Check each service once."""
    from bot.adapters.checks import Checks
    from bot.adapters.clock import SystemClock
    from bot.decide.redaction.loaded_secrets import secret_values
    from bot.decide.redaction.redactor import Redactor

    checks = Checks(
        {service.name: service.targets for service in settings.health.services},
        timeout_s=settings.health.timeout_s,
        clock=SystemClock(),
        redact=Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables))).redact,
        environment=os.environ,
    )

    seats = asyncio.Semaphore(_AT_ONCE)

    async def check(name: str) -> DoctorCheck:
        async with seats:
            return _describe(name, await checks.check(name), checks.list_faults(name))

    try:
        return await asyncio.gather(*(check(service.name) for service in settings.health.services))
    finally:
        await checks.close()


def _check_channel(settings: Settings) -> DoctorCheck:
    """Say where an incident would be posted."""
    name, chat_id = "incidents", settings.watch.chat_id
    if chat_id is None:
        return DoctorCheck(name, None, "posted nowhere, only states are shown; `watch.chat_id` names their channel")
    mode = next((chat.mode for chat in settings.watched_chats if chat.chat_id == chat_id), "not watched")
    if mode != "live":
        return DoctorCheck(name, None, f"posted nowhere, only states are shown: {chat_id} is {mode}, not live")
    return DoctorCheck(name, True, f"posted in {chat_id}, without a press")


def _check_needs(settings: Settings, environment: Mapping[str, str]) -> Iterator[DoctorCheck]:
    """Yield the variables, programs and drivers that checks need and do not find."""
    checks = [check for service in settings.health.services for check in service.checks]
    kinds = {check.type for check in checks}
    for variable in settings.health.variables:
        if not environment.get(variable):
            yield DoctorCheck("database checks", False, f"the variable {variable} is not set, so they cannot be made")
    if "database" in kinds:
        from bot.adapters.checks.database_check import MISSING, has_driver

        if not has_driver():
            yield DoctorCheck("database checks", False, MISSING)
    if any(check.type == "http" and check.url.startswith("https:") for check in checks):
        from bot.adapters.checks.trust import VARIABLE, find_trust_fault

        if fault := find_trust_fault(environment.get(VARIABLE)):
            yield DoctorCheck("https checks", False, f"{fault}; they cannot be made")
    for kind, program in _PROGRAMS.items():
        if kind in kinds and shutil.which(program, path=environment.get("PATH")) is None:
            yield DoctorCheck(f"{kind} checks", False, f"{program} is not in the PATH of the bot")


def _check_runbooks(settings: Settings, environment: Mapping[str, str]) -> Iterator[DoctorCheck]:
    for number, runbook in enumerate(settings.runbooks):
        program, name = runbook.argv[0], f"runbook {runbook.name}"
        if fault := find_program_fault(program, environment.get("PATH")):
            key = settings.format_key("runbooks", number, "argv")
            yield DoctorCheck(name, False, f"{key}: {program} cannot be started: {fault}")
            continue
        place, services = shutil.which(program, path=environment.get("PATH")), ", ".join(runbook.services)
        yield DoctorCheck(name, True, f"{place}, for {services}; runs only after an operator's press")


def _describe(service: str, results: tuple[CheckResult, ...], faults: tuple[str, ...]) -> DoctorCheck:
    """Return a row for a service: wrong if a check cannot be made; not healthy is a note, since the bot is well."""
    parts = [f"could not be checked: {fault}" for fault in faults]
    parts += [
        f"{each.check_type} {each.status}" + (f": {each.error}" if each.error else f" in {each.response_time_ms} ms")
        for each in sorted(results, key=lambda each: each.status == "healthy")
    ]
    is_healthy = all(each.status == "healthy" for each in results)
    return DoctorCheck(f"service {service}", False if faults else True if is_healthy else None, "; ".join(parts))
