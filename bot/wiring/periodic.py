"""Periodic work: retention, groups, read cursors, confirmations, reports, and the repositories' fetches."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.purge import is_older, purge_parts
from bot.adapters.sessions import SessionFiles
from bot.reports.metrics import Sources
from bot.reports.period import hours
from bot.reports.posting import Posting
from bot.reports.reporting import Reporting
from bot.runtime.scheduler import DayJob, Job
from bot.triage.retention import Retention

if TYPE_CHECKING:
    from bot.commands.confirmation_buttons import ConfirmationDesk
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


def build_jobs(
    infra: Infrastructure, orchestrator: Orchestrator, intake: Intake, confirming: ConfirmationDesk
) -> tuple[Job | DayJob, ...]:
    """Build the jobs of the schedule."""
    retention = Retention(
        keep=timedelta(days=infra.settings.retention.days),
        clock=infra.clock,
        store=infra.store,
        journals=infra.journals,
        is_over=is_older,
        purge_parts=partial(purge_parts, infra.home.path),
        forget=orchestrator.open_threads.forget,
    )
    return (
        Job("retention", timedelta(days=1), retention.run),
        Job("team", timedelta(days=1), intake.watcher.team.refresh),
        Job("operators", timedelta(hours=1), infra.operators.refresh),
        Job("watching", timedelta(hours=1), intake.cursors.save),
        Job("confirmations", timedelta(minutes=1), confirming.expire),
        *build_reporting(infra, orchestrator).jobs(),
    )


def build_reporting(infra: Infrastructure, orchestrator: Orchestrator) -> Reporting:
    """Build the reports."""
    settings, section = infra.settings, infra.settings.reports
    return Reporting(
        sources=Sources(
            classified=infra.classified,
            audit=infra.audit,
            replies=infra.replies,
            labels=infra.labels,
            feedback=infra.feedback,
            sessions=SessionFiles(infra.home.sessions),
            store=orchestrator.store,
        ),
        open_threads=orchestrator.open_threads,
        hours=hours(
            zone=settings.timezone,
            brief_at=section.brief_at,
            end_of_day_at=section.end_of_day_at,
            weekly_at=section.weekly_at,
        ),
        posting=Posting(
            chat=infra.unhurried,
            channels=infra.unhurried,
            bars=infra.members.bars,
            clock=infra.clock,
            channel=section.channel,
        ),
        operators=settings.operators,
        admins=settings.admins or (infra.operator,),
        clock=infra.clock,
        redactor=infra.redactor,
        url=infra.identity.url,
    )
