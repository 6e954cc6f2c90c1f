"""The commands, put together: each name of the catalogue with the function that does it. Called by `bot/app`."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.assistant.commands.about import Configuration, help_
from bot.assistant.commands.channels import Channels
from bot.assistant.commands.desk import CommandDesk
from bot.assistant.commands.figures import Metrics
from bot.assistant.commands.handler import CommandHandler
from bot.assistant.commands.messages import Messages
from bot.assistant.commands.permission import Permission
from bot.assistant.commands.threads import Overview
from bot.assistant.commands.work import Work
from bot.edges.sessions import SessionFiles
from bot.reports.metrics import gather, lines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.assistant.commands.catalogue import Run
    from bot.ground import Ground
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What commands ask of the whole bot, which is put together after them."""

    engine: str
    connected: Callable[[], Awaitable[bool]]
    mode_changed: Callable[[], Awaitable[None]]


def command_desk(
    ground: Ground, orchestrator: Orchestrator, controls: Controls, operators: Operators, reach: Reach
) -> CommandDesk:
    """The desk that intake hands commands to."""
    settings = ground.settings
    handler = CommandHandler(
        runs=_runs(ground, orchestrator, controls, reach),
        permission=Permission(
            operators=operators.everyone, admins=frozenset(settings.admins), members=operators.members
        ),
        audit=ground.audit,
        clock=ground.clock,
        redactor=ground.redactor,
    )
    return CommandDesk(handler=handler, chat=ground.chat)


def _runs(ground: Ground, orchestrator: Orchestrator, controls: Controls, reach: Reach) -> dict[str, Run]:
    team_id, url = ground.identity.team_id, ground.identity.url
    sessions = SessionFiles(ground.home.sessions)

    async def cost_today() -> float:
        return sum(session.spent_usd for session in await sessions.since(ground.clock.now().date()))

    async def measured(days: int) -> tuple[str, ...]:
        figures = await gather(
            classified=ground.classified,
            audit=ground.audit,
            replies=ground.replies,
            store=orchestrator.store,
            days=days,
            now=ground.clock.now(),
        )
        return lines(figures)

    overview = Overview(
        orchestrator=orchestrator,
        controls=controls,
        team_id=team_id,
        url=url,
        engine=reach.engine,
        connected=reach.connected,
        cost_today=cost_today,
        now=ground.clock.now,
    )
    messages = Messages(
        classified=ground.classified,
        store=orchestrator.store,
        team_id=team_id,
        url=url,
        watched=frozenset(ground.channel_names),
    )
    work = Work(controls=controls, orchestrator=orchestrator, clock=ground.clock, new_id=new_id)
    channels = Channels(
        controls=controls,
        orchestrator=orchestrator,
        names=ground.channel_names,
        team_id=team_id,
        url=url,
        clock=ground.clock,
        new_id=new_id,
        mode_changed=reach.mode_changed,
    )
    about = Configuration(settings=ground.settings.model_dump(mode="json"), controls=controls)
    return {
        "help": help_,
        "status": overview.status,
        "queue": overview.queue,
        "thread": overview.thread,
        "why": messages.why,
        "pause": work.pause,
        "resume": work.resume,
        "stop": work.stop,
        "mode": channels.mode,
        "metrics": Metrics(measured=measured).metrics,
        "mute": channels.mute,
        "unmute": channels.unmute,
        "config": about.config,
    }


def new_id() -> str:
    """An id that nobody has used."""
    return secrets.token_hex(8)
