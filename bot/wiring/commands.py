"""Commands and reports: each class of commands with its collaborators, and their handler."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.json_file import DiskJsonFile
from bot.adapters.project_notes import ProjectNoteFiles
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.approval.labels import Labels
from bot.commands.budget import BudgetCommands
from bot.commands.catalogue import CATALOGUE, CommandSet
from bot.commands.channels import ChannelModes, ThreadMutes
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.counts import StateCommands
from bot.commands.entry import TypedCommandHandler
from bot.commands.events import EventCommands
from bot.commands.files import FileCommands
from bot.commands.handler import CommandHandler
from bot.commands.help import CommandHelp, ConfigCommand
from bot.commands.messages import ClassificationCommands
from bot.commands.mine import OwnQuestionCommands
from bot.commands.notes import NoteCommands
from bot.commands.order_answers import OrderAnswers
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.projects import ProjectOverview
from bot.commands.reports import ReportCommands
from bot.commands.search import ProjectFinder, TaskFinder
from bot.commands.task_views import TaskViews
from bot.commands.tasks import TaskCommands
from bot.commands.threads import StatusCommands
from bot.commands.usage import UsageCommands
from bot.reports.metrics import Sources
from bot.reports.period import parse_report_hours
from bot.reports.posting import Posting
from bot.reports.reporting import Reporting
from bot.reports.today import spending
from bot.surfaces.notices import PersonalNotices
from bot.tools.guard import Guard
from bot.tools.specs import Specs
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.commands.queue import Queue
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


async def build_commands(
    infra: Infrastructure, orchestrator: Orchestrator, intake: Intake, engines: Engines, queue: Queue
) -> TypedCommandHandler:
    """Build the commands and their handler."""
    projects = ProjectOverview(
        projects=infra.projects, active=infra.active, orchestrator=orchestrator, channel_names=infra.channel_names
    )
    overview = StatusCommands(
        orchestrator=orchestrator,
        waiting=queue,
        controls=infra.controls,
        url=infra.identity.url,
        engine=engines.engine.name,
        connected=infra.listeners.connected,
        cost_today=await spending(engines.ledger, SessionFiles(infra.home.sessions), infra.clock),
        now=infra.clock.now,
        ledger=engines.ledger,
        redactor=infra.redactor,
        searches=infra.search_state,
        problems=intake.losses.lines,
    )
    confirmations = Confirmations(file=DiskJsonFile(infra.home.confirmations), clock=infra.clock, new_id=new_id)
    handler = CommandHandler(
        commands=_build_command_set(infra, orchestrator, intake, engines, projects, overview).bound(),
        permission=infra.permission,
        audit=infra.audit,
        clock=infra.clock,
        redactor=infra.redactor,
        confirmations=confirmations,
        chat=infra.chat,
        project_of=projects.find_conversation_project,
        url=infra.identity.url,
    )
    return TypedCommandHandler(
        handler=handler,
        chat=infra.chat,
        confirmations=ConfirmationButtons(handler=handler, confirmations=confirmations, chat=infra.chat),
        filter_outgoing=infra.shown.apply,
        orders=OrderAnswers(clock=infra.clock, catalogue=CATALOGUE),
    )


def _build_command_set(
    infra: Infrastructure,
    orchestrator: Orchestrator,
    intake: Intake,
    engines: Engines,
    projects: ProjectOverview,
    overview: StatusCommands,
) -> CommandSet:
    controls, clock, store, redactor = infra.controls, infra.clock, infra.store, infra.redactor
    url, team_id, sessions = infra.identity.url, infra.identity.team_id, SessionFiles(infra.home.sessions)
    slugs = TaskFolders(infra.home.tasks).names
    finder = TaskFinder(store=store, slugs=slugs, find_thread=orchestrator.find_thread, team_id=team_id, url=url)
    which = ProjectFinder(projects=infra.projects.configured, active=projects.find_conversation_project)
    shelf, reports = ProjectNoteFiles(infra.home.notes), build_reporting(infra, orchestrator)
    settings = infra.settings.model_dump(mode="json")
    ledger = engines.ledger
    return CommandSet(
        help=CommandHelp(has_role=infra.permission.has_role, catalogue=CATALOGUE),
        own_questions=OwnQuestionCommands(orchestrator=orchestrator, url=url, now=clock.now, redactor=redactor),
        overview=overview,
        messages=_build_messages(infra),
        work=StateCommands(controls=controls, orchestrator=orchestrator, clock=clock, new_id=new_id),
        modes=ChannelModes(controls=controls, names=infra.channel_names, mode_changed=intake.cursors.save),
        allowance=BudgetCommands(ledger=ledger),
        reports=ReportCommands(count_figures=reports.figures, build_brief=reports.brief),
        mutes=ThreadMutes(muting=intake.mutes.muting, team_id=team_id, url=url),
        configuration=ConfigCommand(settings=settings, controls=controls, ledger=ledger, projects=projects),
        projects=projects,
        project_changes=_build_project_changes(infra, projects),
        project_channels=ProjectChannels(overview=projects),
        task_views=TaskViews(overview=projects, finder=finder, url=url, redactor=redactor),
        tasks=_build_tasks(infra, orchestrator, finder),
        events=_build_events(infra, orchestrator),
        spending=UsageCommands(
            sessions=sessions, store=store, now=clock.now, engine=engines.engine.name, has_agents=ledger is not None
        ),
        notes=NoteCommands(notes=shelf, project_finder=which, specs=Specs(), clock=clock, redactor=redactor),
        files=FileCommands(which=which, guard=Guard(redactor=redactor, new_nonce=new_id)),
    )


def _build_messages(infra: Infrastructure) -> ClassificationCommands:
    return ClassificationCommands(
        classified=infra.classified,
        labels=Labels(journal=infra.labels, clock=infra.clock),
        store=infra.store,
        team_id=infra.identity.team_id,
        url=infra.identity.url,
        watched=frozenset(infra.channel_names),
    )


def _build_project_changes(infra: Infrastructure, projects: ProjectOverview) -> ProjectChanges:
    """Build the commands that change projects; from now on the creator of a project is told of its first fetches."""
    changes = ProjectChanges(
        overview=projects,
        fetches=infra.repositories,
        controls=infra.controls,
        clock=infra.clock,
        tell=PersonalNotices(chat=infra.chat, bars=infra.members.bars).tell,
        redactor=infra.redactor,
    )
    infra.repositories.on_fetched = changes.report_fetch
    return changes


def _build_tasks(infra: Infrastructure, orchestrator: Orchestrator, finder: TaskFinder) -> TaskCommands:
    return TaskCommands(
        finder=finder,
        orchestrator=orchestrator,
        controls=infra.controls,
        clock=infra.clock,
        new_id=new_id,
        operators=infra.operators,
        name=infra.chat.user_name,
    )


def _build_events(infra: Infrastructure, orchestrator: Orchestrator) -> EventCommands:
    return EventCommands(
        classified=infra.classified,
        audit=infra.audit,
        replies=infra.replies,
        sessions=SessionFiles(infra.home.sessions),
        store=infra.store,
        waiting=partial(orchestrator.open_threads.with_status, "pending-user"),
        now=infra.clock.now,
        redactor=infra.redactor,
    )


def build_reporting(infra: Infrastructure, orchestrator: Orchestrator) -> Reporting:
    """Build the reports."""
    settings, section = infra.settings, infra.settings.reports
    return Reporting(
        sources=Sources(
            classified=infra.classified,
            audit=infra.audit,
            replies=infra.replies,
            labels=infra.labels,
            feedback=infra.feedback,
            sessions=SessionFiles(infra.home.sessions),
            store=orchestrator.store,
        ),
        open_threads=orchestrator.open_threads,
        hours=parse_report_hours(
            zone=settings.timezone,
            brief_at=section.brief_at,
            end_of_day_at=section.end_of_day_at,
            weekly_at=section.weekly_at,
        ),
        posting=Posting(
            chat=infra.unhurried,
            channels=infra.unhurried,
            bars=infra.members.bars,
            clock=infra.clock,
            channel=section.channel,
        ),
        operators=settings.operators,
        admins=settings.admins or (infra.operator,),
        clock=infra.clock,
        redactor=infra.redactor,
        url=infra.identity.url,
    )
