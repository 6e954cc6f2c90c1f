"""Creation of projects with a channel, exactly once: the order is saved before Slack is called.

After any doubt the channel is looked for among those that the bot is in. One that the bot created under the ordered
name, and not before the order, is the order's own; any other channel of that name is somebody else's.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from blocks.text import clip, escape
from bot.decide.refusals import administration_refusal
from bot.errors import Misconfigured, Refused, RetryLater, TriageError, Uncertain
from bot.models.created_channel import ChannelOrder
from bot.runtime.retry import sleep_unless

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.models.created_channel import SlackChannel
    from bot.models.loss import Loss
    from bot.models.project import Project, ProjectRecords
    from bot.ports.outbound import Clock
    from bot.ports.slack import ChannelAdministration
    from bot.surfaces.notices import PersonalNotices
    from bot.triage.channel_watch import ChannelWatch
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until what could not be settled is tried again."""


class Failed(TriageError):
    """A project with a channel that cannot be created; the message says why, as mrkdwn."""


class CreationObserver(Protocol):
    """Observer of projects that were created later than their command was answered."""

    async def begin_code(self, parts: Sequence[Project]) -> str:
        """Fetch a new project's code if it has to be fetched; return a sentence on when it counts."""


@dataclass(frozen=True)
class NewChannelProject:
    """A project that was created with its channel."""

    parts: tuple[Project, ...]
    channel_id: str


@dataclass(kw_only=True)
class ChannelCreation:
    """Creates projects with a channel, invites their creators, and finishes after a restart what was begun before."""

    projects: Projects
    slack: ChannelAdministration
    watch: ChannelWatch
    notices: PersonalNotices
    clock: Clock
    bot_user: str
    observer: CreationObserver | None = None
    """Set once it is built."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    _unsent: set[str] = field(default_factory=set)
    """Orders for which Slack was surely not called: nothing has to be looked up."""
    _settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def create(self, name: str, keys: Mapping[str, str], *, channel: str, by: str) -> NewChannelProject | None:
        """Create a project with a channel; return `None` while Slack does not answer: its creator is told later.

        Raises `Misconfigured` as `Projects.create` does, `Failed` if Slack refuses, and `RetryLater` if nothing is
        saved.
        """
        order = ChannelOrder(project=name, given=dict(keys), by=by, at=self.clock.now())

        def add(records: ProjectRecords) -> ProjectRecords:
            self.check(name, keys, channel)
            return records.evolve(channel_orders={**records.channel_orders, channel: order})

        async with self._settling:
            await self.projects.update(add)
            self._unsent.add(channel)
            try:
                return await self._settle_order(channel)
            except (RetryLater, Uncertain) as problem:
                log.warning("the channel #%s: %s; it is tried again", channel, problem)
                return None
            finally:
                self.news.set()

    def check(self, name: str, keys: Mapping[str, str], channel: str) -> tuple[Project, ...]:
        """Check a project and the name of its channel; return the project's roots. Raises `Misconfigured`."""
        parts = self.projects.plan(name, keys)
        if channel in self._records.channel_orders:
            raise Misconfigured(f"the channel #{channel} is being created already")
        if channel in self.watch.names.values():
            mend = f"create the project without it, then `set_project_channel {name} {channel}`"
            raise Misconfigured(f"the channel #{channel} is watched already: {mend}")
        return parts

    async def invite_creator(self, channel_id: str) -> str:
        """Invite the creator of a channel once; return the reason if Slack refuses, else nothing. Raises
        `RetryLater`."""
        created = self._records.created_channels[channel_id]
        problem = ""
        try:
            await self.slack.invite(channel=channel_id, user=created.by)
        except Refused as refusal:
            problem = administration_refusal(refusal)

        def settle(records: ProjectRecords) -> ProjectRecords:
            channels = records.created_channels
            change = {channel_id: channels[channel_id].evolve(is_settled=True)} if channel_id in channels else {}
            return records.evolve(created_channels={**channels, **change})

        await self.projects.update(settle)
        return problem

    async def note_change(self, loss: Loss) -> None:
        """Forget a created channel that was deleted, or archived without a project (`LossObserver`)."""
        is_over = loss.kind == "deleted" or (loss.kind == "archived" and loss.subject not in self.projects.channels)
        if is_over and loss.subject in self._records.created_channels:
            await self.projects.update(lambda records: records.without_channel(loss.subject))
            await self.watch.stop(loss.subject)

    async def run(self) -> None:
        """Finish what was begun, at every change and again after a failure, until cancelled."""
        while True:
            self.news.clear()
            if await self._finish_all():
                await self.news.wait()
            else:
                await sleep_unless(self.clock, EVERY, unless=self.news)

    async def _finish_all(self) -> bool:
        """Bring each order and each new channel forward; return whether nothing is left to do."""
        for channel in [*self._records.channel_orders]:
            await self._try(channel, self._finish_order)
        for channel_id in [*self._unsettled]:
            await self._try(channel_id, self.invite_creator)
        return not self._records.channel_orders and not self._unsettled

    async def _try(self, subject: str, work: Callable[[str], Awaitable[object]]) -> None:
        try:
            await work(subject)
        except TriageError as problem:
            log.warning("the channel %s: %s; it is tried again", subject, problem)
        except Exception:  # one channel must not hold up the others
            log.exception("the channel %s failed; it is tried again", subject)

    async def _finish_order(self, channel: str) -> None:
        """Settle an order whose command was answered before, and tell the person who gave it."""
        async with self._settling:
            order = self._records.channel_orders.get(channel)
            if order is None:
                return
            try:
                new = await self._settle_order(channel)
            except Failed as problem:
                text = f"The project `{order.project}` was not created: {problem}"
            else:
                when = await self.observer.begin_code(new.parts) if self.observer else ""
                text = f"Created `{order.project}` with its channel <#{new.channel_id}>, which is watched, live. {when}"
        await self.notices.tell(order.by, text)

    async def _settle_order(self, channel: str) -> NewChannelProject:
        """Create the channel unless it is there, then the project. Raises `Failed`, after which the order is gone."""
        order = self._records.channel_orders[channel]
        try:
            self.projects.plan(order.project, order.given, of_order=channel)
            if order.channel is None:
                order = order.evolve(channel=await self._obtain_channel(channel, order))
                await self.projects.update(lambda records: _with_order(records, channel, order))
            now = self.clock.now()
            parts = await self.projects.create(order.project, order.given, at=now, notify=order.by, of_order=channel)
        except (Misconfigured, Refused) as problem:
            why = administration_refusal(problem) if isinstance(problem, Refused) else str(problem)
            raise Failed(await self._give_up(channel, order, why)) from problem
        return NewChannelProject(parts, await self._start_watching(order))

    async def _obtain_channel(self, name: str, order: ChannelOrder) -> SlackChannel:
        """Return the order's own channel; create it unless an earlier call did. Raises as the port does."""
        is_in_doubt = name not in self._unsent
        if is_in_doubt and (own := await self._find_own(name, order)):
            return own
        self._unsent.discard(name)
        try:
            return await self.slack.create_channel(name)
        except RetryLater:
            self._unsent.add(name)
            raise
        except Refused as problem:
            if problem.code == "name_taken" and (own := await self._find_own(name, order)):
                return own
            raise

    async def _find_own(self, name: str, order: ChannelOrder) -> SlackChannel | None:
        channel = await self.slack.find_joined(name)
        return channel if channel and order.is_own(channel, self.bot_user) else None

    async def _give_up(self, channel: str, order: ChannelOrder, why: str) -> str:
        """Drop an order; a channel that is there is watched all the same. Return the reason, with the next step."""
        await self.projects.update(lambda records: records.end_order(channel, links=False))
        reason = escape(clip(why, 300).rstrip("."))
        if order.channel is None:
            return f"{reason}. Nothing was created."
        channel_id = await self._start_watching(order)
        mend = f"create the project without `channel`, then `set_project_channel {order.project} {channel}`"
        return f"{reason}. Its channel <#{channel_id}> is there and watched: {mend}."

    async def _start_watching(self, order: ChannelOrder) -> str:
        channel_id = order.channel.channel_id if order.channel else ""
        created = self._records.created_channels[channel_id]
        await self.watch.start(channel_id, created.name, since=created.created_at)
        return channel_id

    @property
    def _records(self) -> ProjectRecords:
        return self.projects.settings_by_command

    @property
    def _unsettled(self) -> list[str]:
        return [channel for channel, created in self._records.created_channels.items() if not created.is_settled]


def _with_order(records: ProjectRecords, channel: str, order: ChannelOrder) -> ProjectRecords:
    return records.evolve(channel_orders={**records.channel_orders, channel: order})
