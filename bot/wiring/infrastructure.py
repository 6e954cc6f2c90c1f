"""Infrastructure: Slack clients, journals, people, projects and state, built before everything else."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.checkouts.repositories import Repositories, repositories
from bot.adapters.listeners import HttpListeners, SocketListeners
from bot.adapters.logs import PROGRESS
from bot.adapters.pace import Pacer
from bot.adapters.slack import Identity, SlackChat
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.client import web_client
from bot.adapters.slack.files import SlackFiles
from bot.adapters.system_events import SystemEventFile
from bot.agents.indexing import Indexing
from bot.agents.search_state import SearchState
from bot.commands.active_project import ActiveProjects
from bot.commands.permission import Permission
from bot.config.limits import find_longest_run
from bot.config.named_subjects import named_people
from bot.config.settings_checks import tokens
from bot.decide.redaction.outbound_filter import OutboundFilter
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
from bot.triage.slack_checks import AcceptedAppToken, queue_is_private, reachable_operator, retry_until_accepted
from bot.triage.slack_names import SlackNames
from bot.triage.viewed_pages import ViewedPages
from bot.wiring.forges import find_webhook_secrets
from bot.wiring.journals import Journals, open_journals

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.adapters.listeners import Listeners
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.models.status import Mode
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.storage import Storage
    from bot.runtime.workers import Workers
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

IN_PASSING = 0.2
"""Share of a method's rate limit for calls that may be left out."""


@dataclass(frozen=True, kw_only=True)
class SlackConnection:
    """Slack, and its way in. Work that may take its time is `unhurried`; work that tries again later by itself is done
    `at_once` or refused, and what can be left out is done `in_passing` or left out."""

    chat: SlackChat
    unhurried: SlackChat
    at_once: SlackChat
    in_passing: SlackChat
    files: SlackFiles
    channel_administration: SlackChannels
    identity: Identity
    listeners: Listeners
    outbound_filter: OutboundFilter


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
    http_port: int | None,
    workers: Workers | None = None,
) -> Infrastructure:
    """Connect to Slack and load the projects. Raises `Misconfigured` if either is not possible."""
    stop = StopRequest()
    slack = await _connect(settings, environment, clock, redactor, http_port)
    people = await _find_people(settings, slack, clock)
    await queue_is_private(slack.chat, settings, storage.json_file("access"), clock)
    code = await _load_projects(settings, home, storage, clock)
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


async def _connect(
    settings: Settings, environment: Environment, clock: Clock, redactor: Redactor, http_port: int | None
) -> SlackConnection:
    bot_token, way_in = tokens(environment, http=http_port is not None)
    client = web_client(bot_token, environment.slack_api_url)
    pacer = Pacer(clock, scale=settings.slack.pace)
    outbound_filter = OutboundFilter(redactor, ZoneInfo(settings.timezone))
    chat = SlackChat(client, pacer, outbound_filter)
    mend = "; install the app again, and give its token of now: docs/install.md"
    identity = await retry_until_accepted(chat.identity, "SLACK_BOT_TOKEN", clock, mend=mend)
    listeners: Listeners
    if http_port is not None:
        listeners = HttpListeners(
            client=client,
            signing_secret=way_in,
            port=http_port,
            own_user=identity.user_id,
            webhook_secrets=find_webhook_secrets(settings, os.environ),
        )
    else:
        addresses = AcceptedAppToken(chat, clock)
        listeners = SocketListeners(client=client, app_token=way_in, own_user=identity.user_id, addresses=addresses)
    return SlackConnection(
        chat=chat,
        unhurried=SlackChat(client, pacer.in_background(), outbound_filter),
        at_once=SlackChat(client, pacer.in_background(waits=False), outbound_filter),
        in_passing=SlackChat(client, pacer.in_background(share=IN_PASSING, waits=False), outbound_filter),
        files=SlackFiles(client, pacer.in_background(), outbound_filter),
        channel_administration=SlackChannels(client, pacer),
        identity=identity,
        listeners=listeners,
        outbound_filter=outbound_filter,
    )


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


async def _load_projects(settings: Settings, home: Home, storage: Storage, clock: Clock) -> ProjectState:
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
