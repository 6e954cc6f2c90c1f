"""Dispatcher, and the handlers of presses and dialogs: approval, corrections, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.approval.actions import Approval
from bot.approval.ask_owner import OwnerRequests
from bot.approval.corrections import Corrections
from bot.approval.feedback import Feedback
from bot.approval.labels import Labels
from bot.approval.settled_marks import SettledMarks
from bot.approval.show_card import CardPressHandler
from bot.chat.queue_views import QueueViews
from bot.chat.suggested_prompts import SuggestedPrompts
from bot.intake.dispatcher import Dispatcher
from bot.triage.slack_names import NamedThreads
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from bot.chat.conversations import ChatConversations
    from bot.commands.entry import TypedCommandHandler
    from bot.intake.team import Team
    from bot.surfaces.card_channel import CardChannel
    from bot.triage.freshness import Freshness
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake
    from bot.wiring.surfaces import Surfaces


def build_dispatcher(
    infra: Infrastructure,
    orchestrator: Orchestrator,
    freshness: Freshness,
    intake: Intake,
    surfaces: Surfaces,
    commands: TypedCommandHandler,
    conversations: ChatConversations,
) -> Dispatcher:
    """Build the dispatcher: a handler for each type of payload."""
    corrections = _build_corrections(infra, orchestrator, intake.watcher.team)
    marks = SettledMarks(orchestrator=orchestrator, audit=infra.audit, clock=infra.clock, new_id=new_id)
    queue_views = QueueViews(surfaces.homes, surfaces.answers)
    approval = _build_approval(infra, orchestrator, freshness, intake, corrections, queue_views)
    return Dispatcher(
        watcher=intake.watcher,
        reactions=(intake.mutes, corrections, marks),
        commands=commands,
        cards=CardPressHandler(approval=approval, queue_views=queue_views),
        show_card=surfaces.showing,
        card_views=surfaces.views,
        feedback=_build_feedback(infra),
        corrections=corrections,
        confirmations=commands.confirmations,
        homes=surfaces.homes,
        queue=surfaces.answers,
        prompts=SuggestedPrompts(assistant_status=infra.chat, permission=infra.permission),
        pages=infra.looking,
        conversations=conversations,
        access=intake.access,
        audit=infra.audit,
        clock=infra.clock,
    )


def _build_approval(
    infra: Infrastructure,
    orchestrator: Orchestrator,
    freshness: Freshness,
    intake: Intake,
    corrections: Corrections,
    queue_views: QueueViews,
) -> Approval:
    return Approval(
        orchestrator=orchestrator,
        chat=infra.chat,
        audit=infra.audit,
        clock=infra.clock,
        new_id=new_id,
        operators=infra.operators,
        corrections=corrections,
        reader_clock=infra.reader_clock,
        freshness=freshness,
        redactor=infra.redactor,
        owner_requests=_build_owner_questions(infra, orchestrator, intake.card_channel),
        queue_views=queue_views,
    )


def _build_owner_questions(
    infra: Infrastructure, orchestrator: Orchestrator, card_channel: CardChannel
) -> OwnerRequests:
    return OwnerRequests(
        orchestrator=orchestrator,
        chat=infra.chat,
        groups=infra.chat,
        members=infra.members,
        clock=infra.clock,
        new_id=new_id,
        redactor=infra.redactor,
        shared=card_channel,
    )


def _build_feedback(infra: Infrastructure) -> Feedback:
    return Feedback(
        journal=infra.feedback,
        audit=infra.audit,
        store=infra.store,
        chat=infra.chat,
        notices=infra.to_operator,
        clock=infra.clock,
        redactor=infra.redactor,
    )


def _build_corrections(infra: Infrastructure, orchestrator: Orchestrator, team: Team) -> Corrections:
    return Corrections(
        labels=Labels(journal=infra.labels, clock=infra.clock),
        threads=NamedThreads(threads=orchestrator, naming=infra.naming),
        store=infra.store,
        audit=infra.audit,
        chat=infra.chat,
        history=infra.chat,
        members=infra.members,
        controls=infra.controls,
        clock=infra.clock,
        new_id=new_id,
        names=infra.channel_names,
        operators=infra.operators,
        team=team,
        emoji=frozenset(infra.settings.slack.missed_emoji),
        externals=infra.externals,
    )
