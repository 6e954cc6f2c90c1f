"""Who decides and by which rules, put together from the settings. Called by `bot/app`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.commanding import new_id
from bot.decide.workflow import Limits
from bot.edges.note_files import NoteFolders
from bot.triage.approval import Approval
from bot.triage.membership import Membership
from bot.triage.notes import Notes
from bot.triage.operators import Operators
from bot.triage.rebuild import Rebuilder

if TYPE_CHECKING:
    from bot.ground import Ground
    from bot.settings import Settings
    from bot.triage.controls import Controls
    from bot.triage.freshness import Freshness
    from bot.triage.orchestrator import Orchestrator


def limits_of(settings: Settings) -> Limits:
    """The settings that decide how a thread moves."""
    return Limits(
        debounce=timedelta(milliseconds=settings.slack.debounce_ms),
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
        expiry=timedelta(hours=settings.approval.expire_hours),
        remind=timedelta(minutes=settings.approval.remind_min) or None,
        hand_over=timedelta(minutes=settings.approval.hand_over_min) or None,
        hours=settings.working_hours,
        cards=settings.card_places,
        second_approver=settings.approval.second_approver,
        asker_may_approve=settings.approval.asker_may_approve,
    )


def operators_of(ground: Ground) -> Operators:
    """Who may decide where, as the settings name them."""
    settings = ground.settings
    return Operators(
        everywhere=settings.operators,
        chats={chat.chat_id: chat.operators for chat in settings.watched_chats},
        projects={name: project.operators for name, project in settings.projects.items()},
        groups=ground.chat,
        members=Membership(team_id=ground.identity.team_id, people=ground.chat, clock=ground.clock),
        clock=ground.clock,
    )


def notes_of(ground: Ground) -> Notes:
    """Who keeps notes in the projects' folders."""
    return Notes(
        files=NoteFolders(),
        projects=ground.settings.project_list,
        clock=ground.clock,
        new_id=new_id,
        redactor=ground.redactor,
    )


def rebuilder_of(ground: Ground, controls: Controls, operators: Operators) -> Rebuilder:
    """Who makes a thread anew from the journals."""
    return Rebuilder(
        classified=ground.classified,
        replies=ground.replies,
        limits=limits_of(ground.settings),
        new_id=new_id,
        modes=controls.modes,
        operator=operators.first,
    )


def approval_of(
    ground: Ground, orchestrator: Orchestrator, operators: Operators, freshness: Freshness, controls: Controls
) -> Approval:
    """The desk that decisions are made at."""
    return Approval(
        orchestrator=orchestrator,
        chat=ground.chat,
        audit=ground.audit,
        clock=ground.clock,
        new_id=new_id,
        operators=operators,
        freshness=freshness,
        redactor=ground.redactor,
        is_stopped=lambda: controls.state == "stopped",
    )
