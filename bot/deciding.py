"""Who decides, and where: operators and approval, put together. Called by `bot/app`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commanding import new_id
from bot.triage.approval import Approval
from bot.triage.membership import Membership
from bot.triage.operators import Operators

if TYPE_CHECKING:
    from bot.ground import Ground
    from bot.triage.controls import Controls
    from bot.triage.freshness import Freshness
    from bot.triage.orchestrator import Orchestrator


def operators_of(ground: Ground) -> Operators:
    """Those whom the settings name."""
    settings = ground.settings
    return Operators(
        everywhere=settings.operators,
        chats={chat.chat_id: chat.operators for chat in settings.watched_chats},
        projects={name: project.operators for name, project in settings.projects.items()},
        groups=ground.chat,
        members=Membership(team_id=ground.identity.team_id, people=ground.chat, clock=ground.clock),
        clock=ground.clock,
    )


def approval(
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
