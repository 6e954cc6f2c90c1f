"""Health: the services of the settings with their checks, states, incidents and history."""

from __future__ import annotations

import os
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from blocks.incident import INCIDENT
from bot.adapters.checks import Checks, find_missing
from bot.errors import Misconfigured
from bot.health.incident_book import build_incident_book
from bot.health.incident_threads import IncidentThreads
from bot.health.outages import Outages
from bot.health.refusal_notices import RefusalNotices
from bot.health.runbooks import RunbookRunner
from bot.health.services import Services
from bot.health.state_book import StateBook
from bot.models.purge_criterion import is_older
from bot.runtime.scheduler import Job
from bot.triage.opening_messages import OpeningMessages
from bot.wiring.programs import build_program_runner

if TYPE_CHECKING:
    from bot.wiring.core import Core


async def build_services(core: Core) -> Services:
    """Build the services; without any in the settings they do nothing but end what was left open.

    Raises `Misconfigured` if a module of the core that a check needs is not installed.
    """
    settings, storage, clock = core.settings, core.storage, core.clock
    section, chat_id = settings.health, settings.watch.chat_id
    if missing := find_missing(check.type for service in section.services for check in service.checks):
        raise Misconfigured(missing)
    book = build_incident_book(core.storage.json_file("incidents"), core.to_admin.send)
    saved_states, saved_records = storage.json_file("services"), storage.json_file("incidents")
    has_states, has_records = await saved_states.exists(), await saved_records.exists()
    states = StateBook(
        groups={service.name: service.group_name for service in section.services},
        file=saved_states,
        clock=clock,
        tell=core.to_admin.send,
        cooldown=timedelta(minutes=section.cooldown_min),
    )
    outages = Outages(sessions=core.storage.sessions(), clock=clock)
    return Services(
        section=section,
        checks=_build_checks(core),
        states=states,
        book=book,
        outages=outages,
        threads=IncidentThreads(
            messages=OpeningMessages(chat=core.chat, clock=clock, event_type=INCIDENT, key="incident_id"),
            store=core.store,
            orchestrator=core.orchestrator,
            controls=core.controls,
            operators=core.operators,
            redactor=core.redactor,
            clock=clock,
            book=book,
            states=states,
            outages=outages,
            refusals=RefusalNotices(notices=core.to_admin, book=book, clock=clock),
            team_id=core.identity.team_id,
            bot_user_id=core.identity.user_id,
            chat_id=chat_id,
            chat_name=core.channel_names.get(chat_id or "", ""),
            externals=core.externals,
            projects={service.name: service.project for service in section.services if service.project},
        ),
        history=storage.journal("health", None),
        clock=clock,
        was_used=has_states or has_records,
        has_no_records=has_states and not has_records,
    )


def _build_checks(core: Core) -> Checks:
    section = core.settings.health
    return Checks(
        {service.name: service.targets for service in section.services},
        timeout_s=section.timeout_s,
        clock=core.clock,
        redact=core.redactor.redact,
        environment=os.environ,
    )


def build_runbooks(core: Core, services: Services) -> RunbookRunner:
    """Build the runner of the settings' runbooks; without any it still ends those that were started."""
    settings = core.settings
    return RunbookRunner(
        programs=build_program_runner(core, core.home.runbooks),
        cwd=settings.path.absolute().parent if settings.path else core.home.path.absolute(),
        runbooks=settings.runbooks,
        is_failing=services.states.is_failing,
        is_back=services.states.is_back,
    )


def build_health_jobs(core: Core, services: Services, runbooks: RunbookRunner) -> tuple[Job, ...]:
    """Build the job that removes old changes of status, and old runs of runbooks; none without services."""
    if not services.is_used:
        return ()
    keep = timedelta(days=core.settings.health.keep_days)

    async def prune() -> None:
        before = core.clock.now() - keep
        await services.history.set_aside_if(partial(is_older, before=before))
        await core.storage.purge_history(before)
        await runbooks.prune(keep)

    return (Job("service history", timedelta(days=1), prune),)
