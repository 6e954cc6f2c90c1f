"""The App Home: published when somebody opens it, after what they press there, and when something changes meanwhile.

Called by `intake/front` and, of changes, by the orchestrator. Pause and Resume go the way of the commands, so that
permission and audit are theirs. Whoever has not looked for a while is not told of changes, and nobody more than once in
a few seconds.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from blocks import home as drawn
from blocks.queue import SHOW_CARD
from bot.assistant.queue import HOME_ROOM, PAGE, UNDECIDED, WORKING
from bot.decide.redact import Redactor
from bot.errors import Refused, TriageError
from bot.models.home import HomePicture
from bot.models.interaction import Asker, draft_named
from bot.models.queue import QueueView, read_view
from bot.triage.drafts import with_safe_question

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.assistant.commands.handler import CommandHandler
    from bot.assistant.commands.permission import Permission
    from bot.assistant.queue import Queue
    from bot.models.home import HomeOpened, HomePress, Today
    from bot.models.thread import Status, Thread
    from bot.ports import Clock
    from bot.slack_ports import Chat
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.showing import Showing

log = logging.getLogger(__name__)

LOOKED_AT = timedelta(minutes=10)
"""How long after it was opened or pressed a Home is kept up to date."""

EVERY = 5.0
"""Seconds from a change to the next publishing; what changes in between is shown with it."""

COUNTED_AGAIN = timedelta(seconds=60)
"""How long the day's figures are taken for what they would be now."""

_COMMANDS = {drawn.PAUSE: "pause", drawn.RESUME: "resume"}


@dataclass(kw_only=True)
class Homes:
    """All Homes. `url` is the workspace's address, `count_today` counts from midnight in `zone`."""

    chat: Chat
    clock: Clock
    orchestrator: Orchestrator
    controls: Controls
    handler: CommandHandler
    permission: Permission
    showing: Showing
    queue: Queue
    channels: Sequence[str]
    url: str
    zone: str
    connected: Callable[[], Awaitable[bool]]
    count_today: Callable[[], Awaitable[Today]]
    redactor: Redactor = field(default_factory=Redactor)
    _looking: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    """Who has looked at theirs, when last, and their team."""
    _views: dict[str, QueueView] = field(default_factory=dict)
    """How each looks at the queue; forgotten with the process."""
    _counted: tuple[datetime, Today] | None = None
    _renewing: asyncio.Task[None] | None = None
    _showing: set[asyncio.Task[None]] = field(default_factory=set)

    async def opened(self, opened: HomeOpened) -> None:
        """Show somebody theirs."""
        await self.show(opened.user_id, opened.team_id)

    async def pressed(self, press: HomePress) -> None:
        """Do what a button says, and show what came of it."""
        said = ""
        if command := _COMMANDS.get(press.action):
            asker = Asker(
                interaction_id=press.interaction_id,
                team_id=press.team_id,
                user_id=press.user_id,
                channel_id=press.user_id,
                via="home",
            )
            said = (await self.handler.execute(command, {}, asker)).text
        elif view := read_view(press.value):
            self._views[press.user_id] = view
        elif press.action == SHOW_CARD and (thread_id := draft_named(press.value)):
            said = await self.showing.show(thread_id, user=press.user_id, team=press.team_id)
        await self.show(press.user_id, press.team_id, said)

    def changed(self) -> None:
        """Something that Homes show is different now: bring those that are looked at up to it, soon."""
        if self._looking and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.create_task(self._renew(), name="homes")

    def renew_soon(self, user: str) -> None:
        """Bring the Home of somebody who looks at it up to what they have just done elsewhere."""
        if known := self._looking.get(user):
            task = asyncio.create_task(self.show(user, known[1]), name="home")
            self._showing.add(task)
            task.add_done_callback(self._showing.discard)

    async def stop(self) -> None:
        """Publish nothing any more."""
        tasks = [*self._showing, *([self._renewing] if self._renewing else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _renew(self) -> None:
        await self.clock.sleep(EVERY)
        since = self.clock.now() - LOOKED_AT
        self._looking = {user: known for user, known in self._looking.items() if known[0] > since}
        for user, (at, team) in [*self._looking.items()]:
            await self._publish(user, team)
            self._looking[user] = (at, team)

    async def show(self, user: str, team: str, said: str = "") -> None:
        """Publish somebody's, with what came of what they pressed."""
        if await self._publish(user, team, said=said):
            self._looking[user] = (self.clock.now(), team)

    async def _publish(self, user: str, team: str, *, said: str = "") -> bool:
        """Publish one Home; says whether it is one that changes."""
        asker = Asker(interaction_id="home", team_id=team, user_id=user, channel_id=user, via="home")
        try:
            is_desk = await self.permission.refusal(asker, "operator") is None
            view = drawn.desk(await self._picture(asker, said)) if is_desk else drawn.welcome(self.channels)
            await self.chat.publish_home(user=user, view=view)
        except Refused as problem:
            log.error("the Home of %s cannot be shown: %s", user, problem)
            return False
        except TriageError as problem:
            log.warning("the Home of %s is not up to date: %s", user, problem)
            return True
        return is_desk

    async def _picture(self, asker: Asker, said: str) -> HomePicture:
        threads = self.orchestrator.open_threads
        running = threads.with_status(*WORKING)
        return HomePicture(
            at=self.clock.now(),
            url=self.url,
            state=self.controls.state,
            since=self.controls.since,
            connected=await self.connected(),
            waiting=await self.queue.blocks(
                self._views.get(asker.user_id, QueueView()),
                page=PAGE,
                room=HOME_ROOM,
                with_held=True,
                reader=asker.user_id,
            ),
            waiting_in_all=len(threads.queue(*UNDECIDED, with_held=True)),
            running=await self._read(running[: drawn.RUNNING], WORKING),
            running_in_all=len(running),
            why_held=self.orchestrator.why_held,
            held=len(self.orchestrator.held),
            in_line=threads.waiting,
            today=await self._today(),
            zone=self.zone,
            may_control=await self.permission.refusal(asker, "admin") is None,
            said=said,
        )

    async def _read(self, names: Sequence[str], statuses: tuple[Status, ...]) -> tuple[Thread, ...]:
        found = []
        for name in names:
            try:
                thread = await self.orchestrator.store.load(name)
            except TriageError:
                continue  # its next happening makes it anew
            if thread and thread.status in statuses:
                found.append(with_safe_question(thread, self.redactor))
        return tuple(found)

    async def _today(self) -> Today | None:
        now = self.clock.now()
        if self._counted is None or not timedelta() <= now - self._counted[0] < COUNTED_AGAIN:
            try:
                self._counted = (now, await self.count_today())
            except TriageError as problem:
                log.warning("the day's figures: %s", problem)
                return None
        return self._counted[1]
