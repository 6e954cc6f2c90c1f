"""Commands and reports: each class of commands with its collaborators, and their handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.json_file import DiskJsonFile
from bot.adapters.tasks import TaskFolders
from bot.approval.labels import Labels
from bot.commands.agents import AgentCommands
from bot.commands.audit import AuditCommands
from bot.commands.budget import BudgetCommands
from bot.commands.catalogue import CATALOGUE, CommandSet
from bot.commands.channels import ChannelModes, ThreadMutes
from bot.commands.configuration import ConfigCommand
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.created_tasks import CreatedTaskCommands
from bot.commands.entry import TypedCommandHandler
from bot.commands.events import EventCommands
from bot.commands.files import FileCommands
from bot.commands.handler import CommandHandler
from bot.commands.help import CommandHelp
from bot.commands.messages import ClassificationCommands
from bot.commands.mine import OwnQuestionCommands
from bot.commands.notes import NoteCommands
from bot.commands.order_answers import OrderAnswers
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.project_choice import ProjectChoice
from bot.commands.project_deletion import ProjectDeletion
from bot.commands.project_pauses import ProjectPauses
from bot.commands.project_views import ProjectViews
from bot.commands.projects import ProjectOverview
from bot.commands.reports import ReportCommands
from bot.commands.search import ProjectFinder, TaskFinder
from bot.commands.services import ServiceCommands
from bot.commands.sessions import SessionCommands
from bot.commands.spec_comparison import SpecComparison
from bot.commands.state import StateCommands
from bot.commands.status import StatusCommands
from bot.commands.system_events import SystemEventCommands
from bot.commands.task_approvals import TaskApprovals
from bot.commands.task_chains import ChainCommands
from bot.commands.task_changes import TaskChanges
from bot.commands.task_lists import TaskLists
from bot.commands.task_views import TaskViews
from bot.commands.tasks import TaskCommands
from bot.commands.usage import UsageCommands
from bot.commands.work_counts import WorkCounts
from bot.decide.orders import order_parser
from bot.reports.outages import OutageReader
from bot.reports.period import parse_report_hours
from bot.reports.posting import Posting
from bot.reports.reporting import Reporting
from bot.reports.today import read_spending
from bot.surfaces.notices import PersonalNotices
from bot.tools.guard import Guard
from bot.tools.specs import Specs
from bot.triage.task_states import TaskStates
from bot.wiring.approval import build_approval, build_corrections
from bot.wiring.restart import build_restart_commands

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.commands.queue import Queue
    from bot.commands.restart import RestartCommands
    from bot.health.services import Services
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
    confirmations = Confirmations(file=DiskJsonFile(core.home.confirmations), clock=core.clock)
    restarts = build_restart_commands(core, confirmations, restart)
    commands = _build_command_set(core, engines, projects, overview, services, created_tasks, project_work, restarts)
    handler = CommandHandler(
        commands=commands.bound(),
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
    return TypedCommandHandler(
        handler=handler,
        confirmations=ConfirmationButtons(handler=handler, confirmations=confirmations, chat=core.chat),
        outbound_filter=core.outbound_filter,
        orders=OrderAnswers(clock=core.clock, catalogue=CATALOGUE),
    )


def _build_command_set(
    core: Core,
    engines: Engines,
    projects: ProjectOverview,
    overview: StatusCommands,
    services: Services,
    created_tasks: CreatedTasks,
    project_work: ProjectWork,
    restarts: RestartCommands,
) -> CommandSet:
    controls, clock, store, redactor = core.controls, core.clock, core.store, core.redactor
    url, team_id = core.identity.url, core.identity.team_id
    tasks = TaskFolders(core.home.tasks)
    finder = TaskFinder(store=store, tasks=tasks, orchestrator=core.orchestrator, team_id=team_id, url=url)
    which = ProjectFinder(projects=core.projects, overview=projects)
    reports = build_reporting(core, services)
    planner = created_tasks.scheduler.planner
    states = TaskStates(store=store, index=core.orchestrator.open_threads.tasks, schedule=planner)
    settings = core.settings.model_dump(mode="json", by_alias=True)
    ledger = engines.ledger
    sessions = SessionCommands(saved=core.sources.sessions, finder=finder, clock=clock, redactor=redactor)
    return CommandSet(
        help=CommandHelp(permission=core.permission, catalogue=CATALOGUE),
        own_questions=OwnQuestionCommands(orchestrator=core.orchestrator, url=url, clock=clock, redactor=redactor),
        overview=overview,
        services=ServiceCommands(health=services, clock=clock, url=url, redactor=redactor),
        messages=_build_messages(core),
        work=StateCommands(controls=controls, orchestrator=core.orchestrator, clock=clock),
        restarts=restarts,
        modes=ChannelModes(controls=controls, names=core.channel_names, cursors=core.cursors),
        allowance=BudgetCommands(ledger=ledger, tasks=created_tasks.scheduler),
        reports=ReportCommands(reporting=reports),
        mutes=ThreadMutes(muting=core.mutes.muting, team_id=team_id, url=url),
        configuration=ConfigCommand(
            settings=settings,
            controls=controls,
            ledger=ledger,
            projects=projects,
            redactor=redactor,
            naming=core.naming,
        ),
        audit=AuditCommands(audit=core.audit, clock=clock, catalogue=CATALOGUE),
        projects=ProjectViews(overview=projects),
        project_changes=_build_project_changes(core, projects, project_work),
        project_pauses=ProjectPauses(overview=projects, clock=clock),
        project_deletion=ProjectDeletion(
            overview=projects, belongings=project_work.belongings, fetches=core.repositories, clock=clock
        ),
        project_choice=ProjectChoice(overview=projects),
        project_channels=ProjectChannels(overview=projects, slack=core.chat, losses=core.losses),
        task_views=TaskViews(finder=finder, states=states, sessions=sessions, url=url, redactor=redactor),
        task_lists=TaskLists(overview=projects, states=states, url=url, redactor=redactor),
        task_chains=ChainCommands(finder=finder, states=states, index=states.index, dependencies=planner.dependencies),
        tasks=TaskCommands(
            finder=finder,
            states=states,
            controls=controls,
            clock=clock,
            operators=core.operators,
            chat=core.chat,
        ),
        created_tasks=CreatedTaskCommands(
            threads=created_tasks.threads,
            scheduler=created_tasks.scheduler,
            overview=projects,
            finder=finder,
            controls=controls,
            rooms=core.chat,
            clock=clock,
        ),
        agents=AgentCommands(scheduler=created_tasks.scheduler, overview=projects),
        task_changes=TaskChanges(
            finder=finder,
            states=states,
            index=states.index,
            removal=project_work.removal,
            overview=projects,
            operators=core.operators,
            clock=clock,
        ),
        task_approvals=TaskApprovals(
            finder=finder, approval=build_approval(core, build_corrections(core)), url=url, redactor=redactor
        ),
        events=EventCommands(
            sources=core.sources,
            open_threads=core.orchestrator.open_threads,
            clock=clock,
            redactor=redactor,
        ),
        spending=UsageCommands(
            sources=core.sources,
            clock=clock,
            engine=engines.engine.name,
            has_agents=ledger is not None,
            overview=projects,
            finder=finder,
        ),
        sessions=sessions,
        escalation_events=SystemEventCommands(log=core.system_events, clock=clock),
        notes=NoteCommands(notes=project_work.notes, project_finder=which, clock=clock, redactor=redactor),
        comparison=SpecComparison(notes=project_work.notes, project_finder=which, specs=Specs(), redactor=redactor),
        files=FileCommands(which=which, guard=Guard(redactor=redactor, new_nonce=clock.new_id)),
    )


def _build_messages(core: Core) -> ClassificationCommands:
    return ClassificationCommands(
        classified=core.classified,
        labels=Labels(journal=core.labels, clock=core.clock),
        store=core.store,
        team_id=core.identity.team_id,
        url=core.identity.url,
        watched=core.channel_names,
    )


def _build_project_changes(core: Core, projects: ProjectOverview, project_work: ProjectWork) -> ProjectChanges:
    """Build the commands that change projects; from now on they are told of first fetches and late creations."""
    changes = ProjectChanges(
        overview=projects,
        fetches=core.repositories,
        creation=project_work.creation,
        clock=core.clock,
        notices=PersonalNotices(chat=core.chat, members=core.members),
        redactor=core.redactor,
    )
    core.repositories.observer = project_work.creation.observer = changes
    return changes


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
        outages=OutageReader(history=services.history, health=services, redactor=core.redactor),
    )
