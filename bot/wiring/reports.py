"""Reports: their sources, hours and channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.sessions import SessionFiles
from bot.reports.metrics import Sources
from bot.reports.period import hours
from bot.reports.posting import Posting
from bot.reports.reporting import Reporting

if TYPE_CHECKING:
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


def build_reporting(ground: Infrastructure, orchestrator: Orchestrator) -> Reporting:
    """Build the reports."""
    settings, section = ground.settings, ground.settings.reports
    return Reporting(
        sources=Sources(
            classified=ground.classified,
            audit=ground.audit,
            replies=ground.replies,
            labels=ground.labels,
            feedback=ground.feedback,
            sessions=SessionFiles(ground.home.sessions),
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
            chat=ground.unhurried,
            channels=ground.unhurried,
            bars=ground.members.bars,
            clock=ground.clock,
            channel=section.channel,
        ),
        operators=settings.operators,
        admins=settings.admins or (ground.operator,),
        clock=ground.clock,
        redactor=ground.redactor,
        url=ground.identity.url,
    )
