"""Commands, and their handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commands.catalogue import CATALOGUE
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.entry import TypedCommandHandler
from bot.commands.handler import CommandHandler
from bot.commands.hook_actions import HookActionRunner
from bot.commands.order_answers import OrderAnswers
from bot.commands.projects import ProjectOverview
from bot.commands.status import StatusCommands
from bot.commands.work_counts import WorkCounts
from bot.decide.orders import order_parser
from bot.reports.today import read_spending
from bot.surfaces.notices import PersonalNotices
from bot.wiring.command_set import CommandSetBuilder
from bot.wiring.restart import build_restart_commands

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.commands.queue import Queue
    from bot.health.services import Services
    from bot.hooks.scheduler import HookScheduler
    from bot.ports.process import ProcessRestart
    from bot.wiring.core import Core
    from bot.wiring.projects import ProjectWork
    from bot.wiring.tasks import CreatedTasks


async def build_commands(
    core: Core,
    engines: Engines,
    queue: Queue,
    services: Services,
    created_tasks: CreatedTasks,
    hooks: HookScheduler,
    project_work: ProjectWork,
    restart: ProcessRestart,
) -> TypedCommandHandler:
    """Build the commands and their handler."""
    projects = ProjectOverview(
        projects=core.projects,
        active=core.active,
        orchestrator=core.orchestrator,
        controls=core.controls,
        channel_names=core.channel_names,
    )
    overview = StatusCommands(
        waiting=queue,
        controls=core.controls,
        engine=engines.engine.name,
        connection=core.listeners,
        spending=await read_spending(engines.ledger, core.sources.sessions, core.clock),
        searches=core.search_state,
        losses=core.losses,
        services=services,
        work=WorkCounts(projects=core.projects, scheduler=created_tasks.scheduler),
    )
    confirmations = Confirmations(file=core.storage.json_file("confirmations"), clock=core.clock)
    restarts = build_restart_commands(core, confirmations, restart)
    builder = CommandSetBuilder(
        core=core,
        engines=engines,
        projects=projects,
        services=services,
        created_tasks=created_tasks,
        hooks=hooks,
        project_work=project_work,
    )
    handler = CommandHandler(
        commands=builder.build(overview, restarts).bound(),
        permission=core.permission,
        audit=core.audit,
        clock=core.clock,
        redactor=core.redactor,
        confirmations=confirmations,
        chat=core.chat,
        overview=projects,
        orders=order_parser(core.settings.classifier.languages),
        url=core.identity.url,
    )
    hooks.runner.attach(HookActionRunner(handler=handler, team_id=core.identity.team_id, zone=core.settings.timezone))
    return TypedCommandHandler(
        handler=handler,
        confirmations=ConfirmationButtons(handler=handler, confirmations=confirmations, chat=core.chat),
        outbound_filter=core.outbound_filter,
        orders=OrderAnswers(clock=core.clock, catalogue=CATALOGUE),
        notices=PersonalNotices(chat=core.chat, members=core.members),
    )
