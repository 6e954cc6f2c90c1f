"""Dispatcher, and the handlers of presses and dialogs: approval, corrections, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.approval.actions import Approval
from bot.approval.ask_owner import OwnerRequests
from bot.approval.corrections import Corrections
from bot.approval.feedback import Feedback
from bot.approval.labels import Labels
from bot.approval.runbook_presses import RunbookPresses
from bot.approval.settled_marks import SettledMarks
from bot.approval.show_card import CardPressHandler
from bot.chat.queue_views import QueueViews
from bot.chat.suggested_prompts import SuggestedPrompts
from bot.intake.dispatcher import Dispatcher
from bot.triage.freshness import Freshness
from bot.triage.ground_truth import GroundTruth
from bot.triage.slack_names import NamedThreads

if TYPE_CHECKING:
    from bot.chat.conversations import ChatConversations
    from bot.commands.entry import TypedCommandHandler
    from bot.ports.health import RunbookRunner
    from bot.wiring.core import Core
    from bot.wiring.surfaces import Surfaces


def build_dispatcher(
    core: Core,
    surfaces: Surfaces,
    commands: TypedCommandHandler,
    conversations: ChatConversations,
    runner: RunbookRunner | None = None,
) -> Dispatcher:
    """Build the dispatcher: a handler for each type of payload."""
    corrections = _build_corrections(core)
    marks = SettledMarks(orchestrator=core.orchestrator, audit=core.audit, clock=core.clock)
    queue_views = QueueViews(surfaces.homes, surfaces.answers)
    approval = _build_approval(core, corrections, queue_views, runner)
    return Dispatcher(
        watcher=core.watcher,
        reactions=(core.mutes, corrections, marks),
        commands=commands,
        cards=CardPressHandler(approval=approval, queue_views=queue_views),
        show_card=surfaces.showing,
        card_views=surfaces.views,
        feedback=Feedback(
            journal=core.feedback,
            audit=core.audit,
            store=core.store,
            chat=core.chat,
            notices=core.to_operator,
            clock=core.clock,
            redactor=core.redactor,
        ),
        corrections=corrections,
        confirmations=commands.confirmations,
        homes=surfaces.homes,
        queue=surfaces.answers,
        prompts=SuggestedPrompts(assistant_status=core.chat, permission=core.permission),
        pages=core.looking,
        conversations=conversations,
        access=core.access,
        audit=core.audit,
    )


def _build_approval(
    core: Core, corrections: Corrections, queue_views: QueueViews, runner: RunbookRunner | None
) -> Approval:
    return Approval(
        orchestrator=core.orchestrator,
        chat=core.chat,
        audit=core.audit,
        clock=core.clock,
        operators=core.operators,
        corrections=corrections,
        reader_clock=core.reader_clock,
        freshness=Freshness(
            evidence=core.evidence,
            catch_up=core.catch_up,
            ground_truth=GroundTruth(history=core.chat, bot_user_id=core.identity.user_id, clock=core.clock),
            clock=core.clock,
            externals=core.externals,
            hints=core.hints,
        ),
        runbooks=RunbookPresses(orchestrator=core.orchestrator, runner=runner),
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


def _build_corrections(core: Core) -> Corrections:
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
