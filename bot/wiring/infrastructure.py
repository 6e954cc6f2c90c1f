"""What every part of a bot stands on: who it is in Slack, its journals, its clock. Made first, by `wiring/app`."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.adapters.checkouts.repositories import Repositories, repositories
from bot.adapters.journal import NdjsonJournal
from bot.adapters.json_file import KeptFile
from bot.adapters.logs import PROGRESS
from bot.adapters.pace import Pacer
from bot.adapters.slack import Identity, SlackChat
from bot.adapters.slack.client import web_client
from bot.adapters.slack.files import SlackFiles
from bot.agents.indexing import Indexing
from bot.commands.active_project import ActiveProjects
from bot.config.named_subjects import named_people
from bot.config.settings_checks import tokens
from bot.models.markup import with_fallbacks
from bot.runtime.acks import Acks
from bot.runtime.retry import patiently
from bot.surfaces.notices import Notices
from bot.tools.git_folder import source_folder
from bot.tools.index.places import forget, keep_only
from bot.triage.created_projects import owned_projects
from bot.triage.membership import Membership
from bot.triage.reader_clock import ReaderClock
from bot.triage.slack_checks import accepted, queue_is_private, reachable_operator
from bot.triage.viewed_pages import Looking

if TYPE_CHECKING:
    from collections.abc import Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from bot.adapters.home import Home
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.errors import TriageError
    from bot.ports.outbound import Clock
    from bot.runtime.workers import Workers
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

UNHURRIED = 0.05
"""Seconds that judgements wait for each other in busy times, so that many share a sync; no ack waits for them."""


IN_PASSING = 0.2
"""How much of a method's calls goes to what may be left out."""


@dataclass(frozen=True, kw_only=True)
class Infrastructure:
    """What every part of a bot stands on."""

    settings: Settings
    home: Home
    clock: Clock
    redactor: Redactor
    client: AsyncWebClient
    shown: Callable[[Any], Any]
    """What all that Slack is given passes last, any JSON value: no secret leaves, times fall back to the team's."""
    chat: SlackChat
    unhurried: SlackChat
    """The same for work that may take its time."""
    at_once: SlackChat
    """The same for work that looks again later by itself: where it would have to wait it is refused."""
    in_passing: SlackChat
    """The same for what is left out where it would take time."""
    files: SlackFiles
    """The same for text files that people have sent."""
    repositories: Repositories
    projects: Projects
    active: ActiveProjects
    """Which project each conversation is about."""
    looking: Looking
    """Who looks at which channel."""
    identity: Identity
    members: Membership
    """Who is one of us."""
    channel_names: dict[str, str]
    """What people call each watched channel; one that is renamed has its new name from then on (`triage/losses`)."""
    away: set[str]
    """The watched channels in which nothing is heard for now (`triage/losses`)."""
    operator: str
    """The first operator who could be written to at the start."""
    admin: str
    """Who is told of money and failures: the first admin who was one of us at the start, else the operator."""
    way_in: str
    """The token or the secret that opens the way for Slack to come in."""
    broken: asyncio.Future[TriageError]
    events: NdjsonJournal
    classified: NdjsonJournal
    replies: NdjsonJournal
    audit: NdjsonJournal
    labels: NdjsonJournal
    feedback: NdjsonJournal
    acks: Acks = field(default_factory=Acks)
    """The acks that Slack waits for."""
    workers: Workers | None = None
    """The processes that search; `None` where threads of this one do it."""
    indexing: Indexing | None = None
    """The process that indexes; `None` where a question does it."""

    @property
    def searches(self) -> str:
        """What the processes do, in words."""
        return "; ".join(said for one in (self.workers, self.indexing) if one and (said := str(one.state)))

    @property
    def reader_clock(self) -> ReaderClock:
        """By whose clock times are told to a person where Slack does not."""
        return ReaderClock(time_zone=self.chat.time_zone, zone=self.settings.timezone)

    @property
    def to_operator(self) -> Notices:
        """Who tells the one who gets the cards, or the next who can be told."""
        return Notices(chat=self.chat, bars=self.members.bars, operator=self.operator, others=self.settings.operators)

    @property
    def to_admin(self) -> Notices:
        """Who tells the admin of money and failures, or the next who can be told."""
        others = (*self.settings.admins, *self.settings.operators)
        return Notices(chat=self.chat, bars=self.members.bars, operator=self.admin, others=others)

    @property
    def journals(self) -> tuple[NdjsonJournal, ...]:
        """All of them."""
        return (self.events, self.classified, self.replies, self.labels, self.feedback, self.audit)

    def stop_for(self, problem: TriageError) -> None:
        """What an edge calls, in whichever thread, when the disk can no longer be trusted."""
        _stopper(self.broken)(problem)


async def stand_on(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock,
    redactor: Redactor,
    http: bool,
    workers: Workers | None = None,
) -> Infrastructure:
    """Asks Slack who the bot is, and has code to read. Raises `Misconfigured` when Slack does not know the token or the
    operator, and when a repository was never fetched and cannot be."""
    bot_token, way_in = tokens(environment, http=http)
    client = web_client(bot_token, environment.slack_api_url)
    pacer = Pacer(clock, scale=settings.slack.pace)
    shown = _shown(redactor, settings)
    chat = SlackChat(client, pacer, shown)
    mend = "; install the app again, and give its token of now: docs/install.md"
    identity = await accepted(chat.identity, "SLACK_BOT_TOKEN", clock, mend=mend)
    members = Membership(team_id=identity.team_id, enterprise_id=identity.enterprise_id, people=chat, clock=clock)
    operator = await reachable_operator(chat, members.bars, named_people(settings), settings.where("operators"), clock)
    admins = [user for user in settings.admins if not await patiently(clock, partial(members.bars, user))]
    if queue := settings.approval.queue_channel:
        has_served = queue in await KeptFile(home.access).read()
        where = settings.where("approval", "queue_channel")
        await queue_is_private(chat, queue, where, clock, has_served=has_served)
    fetched = repositories(
        settings.project_list,
        os.environ,
        clock,
        longest_run=timedelta(minutes=settings.investigator.hard_cap_runtime_min),
        source=source_folder,
        forget_index=partial(forget, home.indexes),
    )
    await fetched.begin(partial(log.log, PROGRESS))
    projects = await owned_projects(settings, home.path, KeptFile(home.projects))
    for project in projects.all():
        if project.repository and project not in projects.settings:
            await fetched.add(project)
    projects.unfetched = fetched.missing
    await asyncio.to_thread(keep_only, home.indexes, {project.belongs_to for project in projects.all()})
    active = ActiveProjects(kept=KeptFile(home.active_projects), is_there=lambda name: name in projects.names)
    await active.load()
    broken: asyncio.Future[TriageError] = asyncio.get_running_loop().create_future()
    stop_for = _stopper(broken)
    channel_names = {watched.chat_id: watched.name or watched.chat_id for watched in settings.watched_chats}
    return Infrastructure(
        settings=settings,
        home=home,
        clock=clock,
        redactor=redactor,
        client=client,
        shown=shown,
        chat=chat,
        unhurried=SlackChat(client, pacer.unhurried(), shown),
        at_once=SlackChat(client, pacer.unhurried(waits=False), shown),
        in_passing=SlackChat(client, pacer.unhurried(share=IN_PASSING, waits=False), shown),
        files=SlackFiles(client, pacer.unhurried(), shown),
        repositories=fetched,
        projects=projects,
        active=active,
        looking=Looking(
            projects=projects,
            chosen=active.of,
            channels=channel_names,
            members=members,
            rooms=chat,
            clock=clock,
        ),
        identity=identity,
        members=members,
        channel_names=channel_names,
        away=set(),
        operator=operator,
        admin=(*admins, operator)[0],
        way_in=way_in,
        broken=broken,
        events=NdjsonJournal(home.events, on_broken=stop_for),
        classified=NdjsonJournal(home.classified, on_broken=stop_for, may_refuse=False, gathering=UNHURRIED),
        replies=NdjsonJournal(home.replies, on_broken=stop_for, may_refuse=False),
        audit=NdjsonJournal(home.audit, on_broken=stop_for, may_refuse=False),
        labels=NdjsonJournal(home.labels, on_broken=stop_for, may_refuse=False),
        feedback=NdjsonJournal(home.feedback, on_broken=stop_for, may_refuse=False),
        workers=workers,
        indexing=Indexing(workers, home.indexes, projects.all) if workers else None,
    )


def _shown(redactor: Redactor, settings: Settings) -> Callable[[Any], Any]:
    """The last door of `Infrastructure.shown`."""
    zone = ZoneInfo(settings.timezone)
    return lambda said: with_fallbacks(redactor.value(said), zone)


def _stopper(broken: asyncio.Future[TriageError]) -> Callable[[TriageError], None]:
    """What an edge calls, in whichever thread, when the disk can no longer be trusted."""

    def stop_for(problem: TriageError) -> None:
        def tell() -> None:
            if not broken.done():
                broken.set_result(problem)

        broken.get_loop().call_soon_threadsafe(tell)

    return stop_for
