"""The commands, put together: each name of the catalogue with the function that does it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.json_file import KeptFile
from bot.approval.labels import Labels
from bot.chat.mute_requests import Hush
from bot.commands.budget import Allowance
from bot.commands.channels import ChannelCommands
from bot.commands.confirmation_buttons import ConfirmationDesk
from bot.commands.confirmations import Confirmations
from bot.commands.counts import Work
from bot.commands.entry import CommandDesk
from bot.commands.handler import CommandHandler
from bot.commands.help import CommandHelp, Configuration
from bot.commands.messages import Messages
from bot.commands.mine import OwnQuestions
from bot.commands.order_answers import OrderAnswers
from bot.commands.permission import Permission
from bot.commands.reports import Reports
from bot.commands.threads import Overview
from bot.decide.addressing.mute_words import hush_words
from bot.triage.thread_muting import Muting
from bot.wiring.project_commands import project_commands
from bot.wiring.reports import build_reporting
from bot.wiring.work_commands import work_commands

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.ledger import Ledger
    from bot.commands.command import Run
    from bot.commands.queue import Queue
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.project_commands import ProjectCommands
    from bot.wiring.work_commands import WorkCommands


@dataclass(frozen=True, kw_only=True)
class BotState:
    """What commands ask of the whole bot, which is put together after them."""

    queue: Queue
    engine: str
    connected: Callable[[], Awaitable[bool]]
    spent: Callable[[], float]
    """US dollars of this day."""
    mode_changed: Callable[[], Awaitable[None]]
    ledger: Ledger | None = None
    """What the agents cost; `None` where the engine has none."""
    problems: Callable[[], Sequence[str]] = tuple
    """What Slack keeps from the bot, with what to do about it, as mrkdwn."""


def command_desk(
    ground: Infrastructure, orchestrator: Orchestrator, controls: Controls, operators: Operators, reach: BotState
) -> CommandDesk:
    """The desk that intake hands commands to."""
    waiting = Confirmations(kept=KeptFile(ground.home.confirmations), clock=ground.clock, new_id=new_id)
    projects = project_commands(ground, orchestrator, controls)
    tasks = work_commands(
        ground,
        orchestrator,
        controls,
        operators,
        engine=reach.engine,
        has_agents=reach.ledger is not None,
        new_id=new_id,
        active=projects.overview.about,
    )
    handler = CommandHandler(
        runs=_runs(ground, orchestrator, controls, operators, reach, projects, tasks),
        permission=_permission(ground, operators),
        audit=ground.audit,
        clock=ground.clock,
        redactor=ground.redactor,
        confirmations=waiting,
        chat=ground.chat,
        previews={
            **projects.previews,
            **tasks.previews,
            "mode": _channels(ground, orchestrator, controls, reach).preview_mode,
            "allow": Allowance(ledger=reach.ledger).preview,
        },
        project_of=projects.overview.about,
        url=ground.identity.url,
    )
    confirming = ConfirmationDesk(handler=handler, confirmations=waiting, chat=ground.chat)
    orders = OrderAnswers(clock=ground.clock, catalogue=handler.catalogue)
    return CommandDesk(handler=handler, chat=ground.chat, confirming=confirming, shown=ground.shown, orders=orders)


def hush(ground: Infrastructure, orchestrator: Orchestrator, controls: Controls, operators: Operators) -> Hush:
    """Who hears that a thread is to be muted, in words or by emoji."""
    settings = ground.settings
    return Hush(
        words=hush_words(settings.slack.mute_words, settings.classifier.languages),
        emoji=frozenset(settings.slack.mute_emoji),
        bot_id=settings.classifier.bot_id or ground.identity.user_id,
        desk=lambda: operators.everyone().union(settings.admins),
        muting=_muting(ground, orchestrator, controls),
        controls=controls,
        permission=_permission(ground, operators),
        history=ground.chat,
        chat=ground.chat,
        audit=ground.audit,
        clock=ground.clock,
    )


def _muting(ground: Infrastructure, orchestrator: Orchestrator, controls: Controls) -> Muting:
    return Muting(controls=controls, orchestrator=orchestrator, clock=ground.clock, new_id=new_id)


def _channels(
    ground: Infrastructure, orchestrator: Orchestrator, controls: Controls, reach: BotState
) -> ChannelCommands:
    return ChannelCommands(
        controls=controls,
        muting=_muting(ground, orchestrator, controls),
        names=ground.channel_names,
        team_id=ground.identity.team_id,
        url=ground.identity.url,
        mode_changed=reach.mode_changed,
    )


def _permission(ground: Infrastructure, operators: Operators) -> Permission:
    return Permission(operators=operators.everyone, admins=frozenset(ground.settings.admins), members=operators.members)


def _runs(
    ground: Infrastructure,
    orchestrator: Orchestrator,
    controls: Controls,
    operators: Operators,
    reach: BotState,
    projects: ProjectCommands,
    tasks: WorkCommands,
) -> dict[str, Run]:
    team_id, url = ground.identity.team_id, ground.identity.url
    told = build_reporting(ground, orchestrator)

    overview = Overview(
        orchestrator=orchestrator,
        waiting=reach.queue,
        controls=controls,
        url=url,
        engine=reach.engine,
        connected=reach.connected,
        cost_today=reach.spent,
        now=ground.clock.now,
        cap=lambda: reach.ledger.cap if reach.ledger else None,
        redactor=ground.redactor,
        searches=lambda: ground.searches,
        problems=reach.problems,
    )
    own = OwnQuestions(orchestrator=orchestrator, url=url, now=ground.clock.now, redactor=ground.redactor)
    messages = Messages(
        classified=ground.classified,
        labels=Labels(journal=ground.labels, clock=ground.clock),
        store=orchestrator.store,
        team_id=team_id,
        url=url,
        watched=frozenset(ground.channel_names),
    )
    work = Work(controls=controls, orchestrator=orchestrator, clock=ground.clock, new_id=new_id)
    channels = _channels(ground, orchestrator, controls, reach)
    reports = Reports(measured=told.figures, brief_now=told.brief)
    about = Configuration(
        settings=ground.settings.model_dump(mode="json"),
        controls=controls,
        allowed=lambda: reach.ledger.allowed if reach.ledger else 0.0,
        day_ends=(lambda: ledger.day_ends) if (ledger := reach.ledger) else None,
        said_of_projects=projects.overview.said,
    )
    return {
        "help": CommandHelp(has_role=_permission(ground, operators).has_role).help,
        "mine": own.mine,
        "status": overview.status,
        "queue": overview.queue,
        "why": messages.why,
        "pause": work.pause,
        "resume": work.resume,
        "stop": work.stop,
        "mode": channels.mode,
        "allow": Allowance(ledger=reach.ledger).allow,
        "metrics": reports.metrics,
        "brief": reports.brief,
        "mute": channels.mute,
        "unmute": channels.unmute,
        "config": about.config,
        **projects.runs,
        **tasks.runs,
    }


def new_id() -> str:
    """An id that nobody has used."""
    return secrets.token_hex(8)
