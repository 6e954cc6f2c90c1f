"""Approval: presses and dialogs on cards, and the approval of a draft by a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.approval.actions import Approval
from bot.approval.ask_owner import OwnerRequests
from bot.approval.corrections import Corrections
from bot.approval.fix_presses import FixPresses
from bot.approval.labels import Labels
from bot.approval.message_samples import MessageSamples
from bot.approval.runbook_presses import RunbookPresses
from bot.reports.period import parse_report_hours
from bot.runtime.scheduler import DayJob
from bot.triage.freshness import Freshness
from bot.triage.ground_truth import GroundTruth
from bot.triage.slack_names import NamedThreads

if TYPE_CHECKING:
    from bot.ports.fixes import FixDrafter
    from bot.ports.health import RunbookRunner
    from bot.ports.payload_handlers import QueueViewsPort
    from bot.wiring.core import Core


def build_approval(
    core: Core,
    corrections: Corrections,
    queue_views: QueueViewsPort | None = None,
    runner: RunbookRunner | None = None,
    fixes: FixDrafter | None = None,
) -> Approval:
    """Build the handler of approvals; without the others it serves commands, which have no buttons."""
    return Approval(
        orchestrator=core.orchestrator,
        chat=core.chat,
        audit=core.audit,
        clock=core.clock,
        operators=core.operators,
        corrections=corrections,
        reader_clock=core.reader_clock,
        freshness=build_freshness(core),
        runbooks=RunbookPresses(orchestrator=core.orchestrator, runner=runner),
        fixes=FixPresses(orchestrator=core.orchestrator, clock=core.clock, drafter=fixes, redactor=core.redactor),
        redactor=core.redactor,
        owner_requests=OwnerRequests(
            orchestrator=core.orchestrator,
            chat=core.chat,
            groups=core.chat,
            members=core.members,
            clock=core.clock,
            redactor=core.redactor,
            shared=core.card_channel,
        ),
        queue_views=queue_views,
    )


def build_freshness(core: Core) -> Freshness:
    """Build the comparison of a draft with its thread and its evidence as they are now."""
    return Freshness(
        evidence=core.evidence,
        catch_up=core.catch_up,
        ground_truth=GroundTruth(history=core.chat, bot_user_id=core.identity.user_id, clock=core.clock),
        clock=core.clock,
        externals=core.externals,
        hints=core.hints,
    )


def build_corrections(core: Core) -> Corrections:
    """Build the handler of corrections of classes."""
    return Corrections(
        labels=Labels(journal=core.labels, clock=core.clock),
        threads=NamedThreads(threads=core.orchestrator, naming=core.naming),
        store=core.store,
        audit=core.audit,
        chat=core.chat,
        history=core.chat,
        controls=core.controls,
        names=core.channel_names,
        operators=core.operators,
        team=core.watcher.team,
        emoji=frozenset(core.settings.slack.missed_emoji),
        externals=core.externals,
    )


def build_samples(core: Core) -> MessageSamples:
    """Build the weekly samples of messages that were left alone."""
    return MessageSamples(
        file=core.storage.json_file("samples"),
        classified=core.sources.classified,
        audit=core.audit,
        chat=core.chat,
        channels=core.unhurried,
        membership=core.chat,
        members=core.members,
        corrections=build_corrections(core),
        operators=core.settings.operators or (core.operator,),
        redactor=core.redactor,
        clock=core.clock,
        url=core.identity.url,
    )


def build_sample_jobs(core: Core, samples: MessageSamples) -> tuple[DayJob, ...]:
    """Build the weekly job, at the time of the weekly report; none if that is off."""
    weekly = parse_report_hours(core.settings.reports, core.settings.timezone).weekly
    return (DayJob("sample", weekly, samples.post),) if weekly else ()
