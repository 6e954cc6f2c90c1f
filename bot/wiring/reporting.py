"""Reports: the brief, the weekly review and the metrics, with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.reports.outages import OutageReader
from bot.reports.period import parse_report_hours
from bot.reports.posting import Posting
from bot.reports.reporting import Reporting
from bot.wiring.report_records import HomeRecords

if TYPE_CHECKING:
    from bot.health.services import Services
    from bot.wiring.core import Core


def build_reporting(core: Core, services: Services) -> Reporting:
    """Build the reports."""
    settings, section = core.settings, core.settings.reports
    return Reporting(
        sources=core.sources,
        open_threads=core.orchestrator.open_threads,
        hours=parse_report_hours(section, settings.timezone),
        posting=Posting(
            chat=core.unhurried,
            channels=core.unhurried,
            members=core.members,
            clock=core.clock,
            channel=section.channel,
        ),
        operators=settings.operators,
        admins=settings.admins or (core.operator,),
        redactor=core.redactor,
        url=core.identity.url,
        records=HomeRecords(home=core.home, storage=core.storage, team=core.watcher.team),
        outages=OutageReader(history=services.history, health=services, redactor=core.redactor),
    )
