"""Dispatcher, and the handlers of presses and dialogs: approval, corrections, feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.approval.feedback import Feedback
from bot.approval.settled_marks import SettledMarks
from bot.approval.show_card import CardPressHandler
from bot.chat.queue_views import QueueViews
from bot.chat.suggested_prompts import SuggestedPrompts
from bot.intake.dispatcher import Dispatcher
from bot.wiring.approval import build_approval, build_corrections

if TYPE_CHECKING:
    from bot.approval.auto_reply_presses import AutoReplyPresses
    from bot.approval.message_samples import MessageSamples
    from bot.chat.conversations import ChatConversations
    from bot.commands.entry import TypedCommandHandler
    from bot.ports.fixes import FixDrafter
    from bot.ports.health import RunbookRunner
    from bot.ports.hooks import MergeRequestObserver
    from bot.wiring.core import Core
    from bot.wiring.surfaces import Surfaces


def build_dispatcher(
    core: Core,
    surfaces: Surfaces,
    commands: TypedCommandHandler,
    conversations: ChatConversations,
    samples: MessageSamples,
    auto_replies: AutoReplyPresses,
    runner: RunbookRunner | None = None,
    drafter: FixDrafter | None = None,
    merge_requests: MergeRequestObserver | None = None,
) -> Dispatcher:
    """Build the dispatcher: a handler for each type of payload."""
    corrections = build_corrections(core)
    marks = SettledMarks(orchestrator=core.orchestrator, audit=core.audit, clock=core.clock)
    queue_views = QueueViews(surfaces.homes, surfaces.answers)
    approval = build_approval(core, corrections, queue_views, runner, drafter)
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
            gates=core.gates,
        ),
        corrections=corrections,
        samples=samples,
        auto_replies=auto_replies,
        confirmations=commands.confirmations,
        homes=surfaces.homes,
        queue=surfaces.answers,
        prompts=SuggestedPrompts(assistant_status=core.chat, permission=core.permission),
        pages=core.looking,
        conversations=conversations,
        access=core.access,
        audit=core.audit,
        merge_requests=merge_requests,
    )
