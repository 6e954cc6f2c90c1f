"""Infrastructure: Slack clients, journals, people, projects and state, built before everything else."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.documents import Documents
from bot.adapters.journal import NdjsonJournal
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.listeners import HttpListeners, SocketListeners
from bot.adapters.pace import Pacer
from bot.adapters.slack import Identity, SlackChat
from bot.adapters.slack.client import web_client
from bot.adapters.slack.files import SlackFiles
from bot.agents.indexing import Indexing
from bot.commands.permission import Permission
from bot.config.named_subjects import named_people
from bot.config.settings_checks import tokens
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.runtime.acks import PendingAcks
from bot.runtime.retry import call_with_retries
from bot.runtime.stop_request import StopRequest
from bot.surfaces.notices import Notices
from bot.triage.controls import Controls
from bot.triage.externals import Externals
from bot.triage.membership import Membership
from bot.triage.operators import Operators
from bot.triage.reader_clock import ReaderClock
from bot.triage.slack_checks import accepted, queue_is_private, reachable_operator
from bot.triage.slack_names import SlackNames
from bot.triage.viewed_pages import ViewedPages
from bot.wiring.projects import ProjectState, load_projects

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.adapters.listeners import Listeners
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.ports.outbound import Clock
    from bot.runtime.workers import Workers

log = logging.getLogger(__name__)

UNHURRIED = 0.05
"""Seconds for which classified messages are gathered in busy times to share a sync; no ack waits for them."""
IN_PASSING = 0.2
"""Share of a method's rate limit for calls that may be left out."""


def new_id() -> str:
    """Return a unique id."""
    return secrets.token_hex(8)


@dataclass(frozen=True, kw_only=True)
class SlackConnection:
    """Slack as the bot reaches it, and its way in."""

    chat: SlackChat
    unhurried: SlackChat
    """For work that may take its time."""
    at_once: SlackChat
    """For work that tries again later by itself: refused where it would have to wait."""
    in_passing: SlackChat
    """For work that is left out where it would take time."""
    files: SlackFiles
    """For text files that people have sent."""
    identity: Identity
    listeners: Listeners
    shown: OutboundFilter
    """The last filter of everything that Slack is given."""


@dataclass(frozen=True, kw_only=True)
class Journals:
    """Append-only files of the home."""

    events: NdjsonJournal
    classified: NdjsonJournal
    replies: NdjsonJournal
    audit: NdjsonJournal
    labels: NdjsonJournal
    feedback: NdjsonJournal


@dataclass(frozen=True, kw_only=True)
class People:
    """Roles and membership of people, and the names of Slack."""

    members: Membership
    operators: Operators
    externals: Externals
    permission: Permission
    operator: str
    """The first operator who takes direct messages at the start."""
    admin: str
    """The first admin who is a member at the start, else the operator; told of money and failures."""


@dataclass(frozen=True, kw_only=True)
class Infrastructure(SlackConnection, Journals, People, ProjectState):
    """Everything that all parts of a bot use."""

    settings: Settings
    home: Home
    clock: Clock
    redactor: Redactor
    store: Documents
    controls: Controls
    looking: ViewedPages
    naming: SlackNames
    channel_names: dict[str, str]
    """Names of the watched channels, by id; renames change them (`triage/losses`)."""
    to_operator: Notices
    to_admin: Notices
    stop: StopRequest
    acks: PendingAcks = field(default_factory=PendingAcks)
    """The acks that Slack waits for."""
    workers: Workers | None = None
    """Search processes; `None` where threads of this process search."""
    indexing: Indexing | None = None
    """The process that builds indexes; `None` where a question builds them."""

    def search_state(self) -> str:
        """Return the state of searching and indexing, in words."""
        return "; ".join(
            state for process in (self.workers, self.indexing) if process and (state := str(process.state))
        )

    @property
    def reader_clock(self) -> ReaderClock:
        """Time zones of readers, for times that Slack does not render."""
        return ReaderClock(time_zone=self.chat.time_zone, zone=self.settings.timezone)

    @property
    def journals(self) -> tuple[NdjsonJournal, ...]:
        """All journals."""
        return (self.events, self.classified, self.replies, self.labels, self.feedback, self.audit)


async def build_infrastructure(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock,
    redactor: Redactor,
    http_port: int | None,
    workers: Workers | None = None,
) -> Infrastructure:
    """Connect to Slack, and have code to read.

    Raises `Misconfigured` when Slack does not know the token or the operator, and when a repository was never fetched
    and cannot be.
    """
    stop = StopRequest()
    slack = await _connect(settings, environment, clock, redactor, http_port)
    people = await _find_people(settings, slack, clock)
    await _check_card_channel(settings, slack, home, clock)
    code = await load_projects(settings, home, clock)
    channel_names = {watched.chat_id: watched.name or watched.chat_id for watched in settings.watched_chats}
    notices = partial(Notices, chat=slack.chat, bars=people.members.bars)
    return Infrastructure(
        **vars(slack),
        **vars(people),
        **vars(code),
        **vars(_open_journals(home, stop)),
        settings=settings,
        home=home,
        clock=clock,
        redactor=redactor,
        store=Documents(home.state, on_broken=stop.stop_for),
        controls=Controls(
            file=DiskJsonFile(home.controls),
            mutes_file=DiskJsonFile(home.muted),
            modes={watched.chat_id: watched.mode for watched in settings.watched_chats},
        ),
        looking=ViewedPages(
            projects=code.projects,
            chosen=code.active.find_project,
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
        indexing=Indexing(workers, home.indexes, code.projects.all) if workers else None,
    )


async def _connect(
    settings: Settings, environment: Environment, clock: Clock, redactor: Redactor, http_port: int | None
) -> SlackConnection:
    bot_token, way_in = tokens(environment, http=http_port is not None)
    client = web_client(bot_token, environment.slack_api_url)
    pacer = Pacer(clock, scale=settings.slack.pace)
    shown = OutboundFilter(redactor, ZoneInfo(settings.timezone))
    chat = SlackChat(client, pacer, shown.apply)
    mend = "; install the app again, and give its token of now: docs/install.md"
    identity = await accepted(chat.identity, "SLACK_BOT_TOKEN", clock, mend=mend)
    listeners: Listeners
    if http_port is not None:
        listeners = HttpListeners(client=client, signing_secret=way_in, port=http_port, own_user=identity.user_id)
    else:
        socket_url = partial(accepted, partial(chat.socket_url, way_in), "SLACK_APP_TOKEN", clock)
        listeners = SocketListeners(client=client, app_token=way_in, own_user=identity.user_id, socket_url=socket_url)
    return SlackConnection(
        chat=chat,
        unhurried=SlackChat(client, pacer.in_background(), shown.apply),
        at_once=SlackChat(client, pacer.in_background(waits=False), shown.apply),
        in_passing=SlackChat(client, pacer.in_background(share=IN_PASSING, waits=False), shown.apply),
        files=SlackFiles(client, pacer.in_background(), shown.apply),
        identity=identity,
        listeners=listeners,
        shown=shown,
    )


async def _find_people(settings: Settings, slack: SlackConnection, clock: Clock) -> People:
    chat, own = slack.chat, slack.identity
    members = Membership(team_id=own.team_id, enterprise_id=own.enterprise_id, people=chat, clock=clock)
    operator = await reachable_operator(chat, members.bars, named_people(settings), settings.where("operators"), clock)
    admins = [user for user in settings.admins if not await call_with_retries(clock, partial(members.bars, user))]
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
        permission=Permission(operators=operators.everyone, admins=operators.admins, members=members),
        operator=operator,
        admin=(*admins, operator)[0],
    )


async def _check_card_channel(settings: Settings, slack: SlackConnection, home: Home, clock: Clock) -> None:
    if channel := settings.approval.queue_channel:
        has_served = channel in await DiskJsonFile(home.access).read()
        where = settings.where("approval", "queue_channel")
        await queue_is_private(slack.chat, channel, where, clock, has_served=has_served)


def _open_journals(home: Home, stop: StopRequest) -> Journals:
    steady = partial(NdjsonJournal, on_broken=stop.stop_for, may_refuse=False)
    return Journals(
        events=NdjsonJournal(home.events, on_broken=stop.stop_for),
        classified=steady(home.classified, gathering=UNHURRIED),
        replies=steady(home.replies),
        audit=steady(home.audit),
        labels=steady(home.labels),
        feedback=steady(home.feedback),
    )
