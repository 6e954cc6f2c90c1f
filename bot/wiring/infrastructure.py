"""Infrastructure: Slack clients, journals, people, projects and state, built before everything else."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.checkouts.repositories import Repositories, repositories
from bot.adapters.logs import PROGRESS
from bot.adapters.system_events import SystemEventFile
from bot.agents.indexing import Indexing
from bot.agents.search_state import SearchState
from bot.commands.active_project import ActiveProjects
from bot.commands.permission import Permission
from bot.config.limits import find_longest_run
from bot.config.named_subjects import named_people
from bot.runtime.acks import PendingAcks
from bot.runtime.draining import Draining
from bot.runtime.retry import call_with_retries
from bot.runtime.stop_request import StopRequest
from bot.surfaces.notices import Notices
from bot.tools.git_folder import source_folder
from bot.tools.index.places import forget, keep_only
from bot.triage.controls import Controls
from bot.triage.created_projects import owned_projects
from bot.triage.externals import Externals
from bot.triage.membership import Membership
from bot.triage.operators import Operators
from bot.triage.reader_clock import ReaderClock
from bot.triage.slack_checks import queue_is_private, reachable_operator
from bot.triage.slack_names import SlackNames
from bot.triage.viewed_pages import ViewedPages
from bot.wiring.journals import Journals, open_journals
from bot.wiring.slack_connection import SlackConnection, connect_slack

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.models.address import ListenAddress
    from bot.models.status import Mode
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.storage import Storage
    from bot.runtime.workers import Workers
    from bot.triage.projects import Projects
    from bot.wiring.replica import Leading

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class People:
    """Roles and membership. `operator` is the first one who takes direct messages at the start, `admin` the first
    admin who is a member then, else the operator."""

    members: Membership
    operators: Operators
    externals: Externals
    permission: Permission
    operator: str
    admin: str


@dataclass(frozen=True, kw_only=True)
class ProjectState:
    """Projects, their repositories, and the project of each conversation."""

    repositories: Repositories
    projects: Projects
    active: ActiveProjects


@dataclass(frozen=True, kw_only=True)
class Infrastructure(SlackConnection, Journals, People, ProjectState):
    """Everything that all parts of a bot use. `channel_names` are the names of the watched channels, by id.

    Without `workers` threads of this process search, and without `indexing` a question builds its index.
    """

    settings: Settings
    home: Home
    storage: Storage
    clock: Clock
    redactor: Redactor
    system_events: SystemEventFile
    store: Store
    controls: Controls
    looking: ViewedPages
    naming: SlackNames
    channel_names: dict[str, str]
    to_operator: Notices
    to_admin: Notices
    stop: StopRequest
    acks: PendingAcks = field(default_factory=PendingAcks)
    draining: Draining = field(default_factory=Draining)
    workers: Workers | None = None
    indexing: Indexing | None = None

    @property
    def search_state(self) -> SearchState:
        """State of searching and indexing."""
        return SearchState(self.workers, self.indexing)

    @property
    def reader_clock(self) -> ReaderClock:
        """Time zones of readers, for times that Slack does not render."""
        return ReaderClock(people=self.chat, zone=self.settings.timezone)

    @property
    def journals(self) -> tuple[Journal, ...]:
        """All journals."""
        return (
            self.events,
            self.classified,
            self.replies,
            self.labels,
            self.feedback,
            self.judgements,
            self.audit,
        )


async def build_infrastructure(
    settings: Settings,
    environment: Environment,
    home: Home,
    storage: Storage,
    *,
    clock: Clock,
    redactor: Redactor,
    http: ListenAddress | None,
    workers: Workers | None = None,
    leading: Leading | None = None,
) -> Infrastructure:
    """Connect to Slack and load the projects. Raises `Misconfigured` if either is not possible."""
    stop = StopRequest()
    slack = await connect_slack(settings, environment, clock, redactor, http, leading)
    people = await _find_people(settings, slack, clock)
    await queue_is_private(slack.chat, settings, storage.json_file("access"), clock)
    code = await load_code(settings, home, storage, clock)
    channel_names = _name_channels(settings, code)
    notices = partial(Notices, chat=slack.chat, members=people.members)
    return Infrastructure(
        **vars(slack),
        **vars(people),
        **vars(code),
        **vars(open_journals(storage, stop)),
        settings=settings,
        home=home,
        storage=storage,
        clock=clock,
        redactor=redactor,
        system_events=SystemEventFile(home.system),
        store=storage.store(stop),
        controls=_build_controls(settings, storage, code),
        looking=ViewedPages(
            projects=code.projects,
            active=code.active,
            channels=channel_names,
            members=people.members,
            rooms=slack.chat,
            clock=clock,
        ),
        naming=SlackNames(chat=slack.chat, channels=slack.chat),
        channel_names=channel_names,
        to_operator=notices(operator=people.operator, others=settings.operators),
        to_admin=notices(operator=people.admin, others=(*settings.admins, *settings.operators)),
        stop=stop,
        workers=workers,
        indexing=Indexing(workers, home.indexes, code.projects.list_all) if workers else None,
    )


def _name_channels(settings: Settings, code: ProjectState) -> dict[str, str]:
    """Return the names of the watched channels, by id; the settings come before those that commands created."""
    created = code.projects.settings_by_command.created_channels
    return {
        **{channel: each.name for channel, each in created.items()},
        **{watched.chat_id: watched.name or watched.chat_id for watched in settings.watched_chats},
    }


def _build_controls(settings: Settings, storage: Storage, code: ProjectState) -> Controls:
    created = code.projects.settings_by_command.created_channels
    modes: dict[str, Mode] = {
        **dict.fromkeys(created, "live"),
        **{watched.chat_id: watched.mode for watched in settings.watched_chats},
    }
    return Controls(file=storage.json_file("controls"), mutes_file=storage.json_file("muted"), modes=modes)


async def _find_people(settings: Settings, slack: SlackConnection, clock: Clock) -> People:
    chat, own = slack.chat, slack.identity
    members = Membership(team_id=own.team_id, enterprise_id=own.enterprise_id, people=chat, clock=clock)
    operator = await reachable_operator(chat, members, named_people(settings), settings.format_key("operators"), clock)
    admins = [user for user in settings.admins if not await call_with_retries(clock, partial(members.is_barred, user))]
    operators = Operators(
        everywhere=settings.operators,
        chats={chat.chat_id: chat.operators for chat in settings.watched_chats},
        projects={p.name: settings.projects[p.belongs_to].operators for p in settings.project_list},
        groups=chat,
        members=members,
        clock=clock,
        admins=frozenset(settings.admins),
        asker_may=settings.approval.asker_may_approve,
    )
    return People(
        members=members,
        operators=operators,
        externals=Externals(members=members, channels=chat, policy=settings.slack.external),
        permission=Permission(operators=operators, admins=operators.admins, members=members),
        operator=operator,
        admin=(*admins, operator)[0],
    )


async def load_code(settings: Settings, home: Home, storage: Storage, clock: Clock) -> ProjectState:
    """Load the projects for a process that fetches their code, and begin to fetch."""
    fetched = repositories(
        settings.project_list,
        os.environ,
        clock,
        longest_run=find_longest_run(settings),
        source=source_folder,
        forget_index=partial(forget, home.indexes),
    )
    await fetched.begin(partial(log.log, PROGRESS))
    projects = await owned_projects(settings, home.path, storage.json_file("projects"))
    for project in projects.list_all():
        if project.repository and project not in projects.settings:
            await fetched.add(project)
    projects.fetches = fetched
    await asyncio.to_thread(keep_only, home.indexes, {project.belongs_to for project in projects.list_all()})
    active = ActiveProjects(file=storage.json_file("active-projects"), projects=projects)
    await active.load()
    return ProjectState(repositories=fetched, projects=projects, active=active)
