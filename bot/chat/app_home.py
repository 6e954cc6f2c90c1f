"""App Home: published when a user opens it, after each press on it, and after changes.

Pause and Resume are executed as commands, with the same permissions and audit. A user who has not viewed the Home for a
while gets no updates, and nobody gets more than one within a few seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks import home as drawn
from blocks.queue import SHOW_CARD
from blocks.system_events import order_events
from bot.commands.queue import HOME_ROOM, PAGE, UNDECIDED
from bot.commands.renewals import Renewals
from bot.decide.press_debounce import Standing, has_just_come, stood_since
from bot.errors import Refused, TriageError
from bot.models.home import HomeView
from bot.models.interaction import Asker, draft_named
from bot.models.queue import QueueView, read_view
from bot.models.status import BEFORE_A_DRAFT
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question
from bot.surfaces.service_states import order_visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.approval.show_card import CardViewer
    from bot.commands.handler import CommandHandler
    from bot.commands.queue import Queue
    from bot.models.home import HomeOpened, HomePress, Today
    from bot.models.interaction import Press
    from bot.models.status import Status
    from bot.models.system_event import SystemEvent
    from bot.models.thread import Thread
    from bot.ports.access import CurrentLosses
    from bot.ports.health import ServiceHealth
    from bot.ports.outbound import Clock, SystemEvents
    from bot.ports.slack import SlackConnection
    from bot.reports.today import DayFigures
    from bot.triage.controls import Controls

log = logging.getLogger(__name__)

REFRESH_AFTER_VIEW = timedelta(minutes=10)
"""Time after a visit or press during which an App Home is kept up to date."""

REFRESH_SECONDS = 5.0
"""Seconds from a change to the next publishing, which includes all changes in between."""

FIGURES_LIFE = timedelta(seconds=60)
"""Time during which the day's figures are reused."""

EVENTS_LIFE = timedelta(days=1)
"""Time during which an event of an escalation is shown."""
_EVENTS_READ = 100

_SHORTER_WORK: tuple[Status, ...] = tuple(status for status in BEFORE_A_DRAFT if status != "escalated")

_COMMANDS = {drawn.PAUSE: "pause", drawn.RESUME: "resume"}


@dataclass(kw_only=True)
class AppHome:
    """App Homes of all users. `figures` count from midnight in `zone`."""

    clock: Clock
    controls: Controls
    handler: CommandHandler
    showing: CardViewer
    queue: Queue
    zone: str
    connection: SlackConnection
    figures: DayFigures
    losses: CurrentLosses
    events: SystemEvents
    services: ServiceHealth
    _viewers: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    """Users who viewed their Home, with the last time and their team."""
    _views: dict[str, QueueView] = field(default_factory=dict)
    """Queue view of each user; lost with the process."""
    _notices: dict[str, str] = field(default_factory=dict)
    """Outcome of each user's last press, until something else is shown."""
    _standing: dict[str, Standing] = field(default_factory=dict)
    """Time since which each button has been in its place, by user."""
    _figures: tuple[datetime, Today] | None = None
    _renewing: asyncio.Task[None] | None = None
    _renewals: Renewals = field(init=False)
    _publishing: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def __post_init__(self) -> None:
        """Render for one person at a time."""
        self._renewals = Renewals(self)

    async def handle_opened(self, event: HomeOpened) -> None:
        """Show a user their App Home."""
        self._standing[event.user_id] = {}
        await self.show(event.user_id, event.team_id)

    async def handle_press(self, press: HomePress) -> None:
        """Execute a button's action, and show the outcome."""
        notice = ""
        if command := _COMMANDS.get(press.action):
            asker = Asker(
                interaction_id=press.interaction_id,
                team_id=press.team_id,
                user_id=press.user_id,
                channel_id=press.user_id,
                via="home",
            )
            notice = (await self.handler.execute(command, {}, asker)).text
        elif view := read_view(press.value):
            self._views[press.user_id] = await self.queue.update_position(
                view, press.user_id, is_chosen=True, with_held=True
            )
        elif press.action == SHOW_CARD and (thread_id := draft_named(press.value)):
            notice = await self.showing.show(thread_id, user=press.user_id, team=press.team_id)
        await self.show(press.user_id, press.team_id, notice)

    def note_change(self) -> None:
        """Schedule an update of the Homes being viewed after a change."""
        if self._viewers and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.create_task(self._renew(), name="homes")

    def renew_soon(self, user: str) -> None:
        """Update the Home of a viewer after their action elsewhere."""
        if viewer := self._viewers.get(user):
            self._viewers[user] = (self.clock.now(), viewer[1])
            self._notices.pop(user, None)
            self._renewals.schedule(user)

    def redraw(self, thread: Thread) -> None:
        """Update all Homes after a change of this question, first those that show its card."""
        self.note_change()
        since = self.clock.now() - REFRESH_AFTER_VIEW
        for user, (at, _) in self._viewers.items():
            if at > since and self._views.get(user, QueueView()).thread == thread.thread_id:
                self._renewals.schedule(user)

    def has_just_come(self, press: Press) -> bool:
        """Return whether the pressed button appeared only a moment before the press."""
        return has_just_come(self._standing.get(press.user_id, {}), press, self.clock.now())

    async def stop(self) -> None:
        """Stop all updates."""
        await self._renewals.stop()
        if self._renewing:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)

    async def _renew(self) -> None:
        await self.clock.sleep(REFRESH_SECONDS)
        since = self.clock.now() - REFRESH_AFTER_VIEW
        self._viewers = {user: viewer for user, viewer in self._viewers.items() if viewer[0] > since}
        for user, (at, team) in [*self._viewers.items()]:
            await self._publish(user, team)
            self._viewers[user] = (at, team)

    async def renew(self, user: str) -> None:
        """Render the view of a user again."""
        if viewer := self._viewers.get(user):
            await self._publish(user, viewer[1], notice=self._notices.get(user, ""))

    async def show(self, user: str, team: str, notice: str = "") -> None:
        """Publish a user's Home, with the outcome of their press."""
        self._notices[user] = notice
        if await self._publish(user, team, notice=notice):
            self._viewers[user] = (self.clock.now(), team)

    async def _publish(self, user: str, team: str, *, notice: str = "") -> bool:
        """Publish one Home; return whether it is one that changes."""
        asker = Asker(interaction_id="home", team_id=team, user_id=user, channel_id=user, via="home")
        try:
            async with self._publishing[user]:
                is_operator = await self.handler.permission.refusal(asker, "operator") is None
                view = (
                    drawn.build_operator_home(await self._build_picture(asker, notice))
                    if is_operator
                    else await self._welcome(asker)
                )
                before = self._standing.get(user)
                self._standing[user] = stood_since(before, view["blocks"], self.clock.now())
                await self.handler.chat.publish_home(user=user, view=view)
                self._standing[user] = stood_since(before, view["blocks"], self.clock.now())
        except Refused as problem:
            log.error("the Home of %s cannot be shown: %s", user, problem)
            return False
        except TriageError as problem:
            log.warning("the Home of %s is not up to date: %s", user, problem)
            return True
        return is_operator

    async def _welcome(self, asker: Asker) -> dict[str, Any]:
        """Build the Home of everybody else; only members see the list of channels."""
        is_member = await self.handler.permission.refusal(asker, "member") is None
        return drawn.welcome(self.controls.asking_channels() if is_member else (), is_member=is_member)

    async def _build_picture(self, asker: Asker, notice: str) -> HomeView:
        threads = self.queue.orchestrator.open_threads
        long_runs = threads.with_status("escalated")
        running = threads.with_status(*_SHORTER_WORK)
        escalated = await self._read(long_runs[: drawn.ESCALATED], ("escalated",))
        shown = await self._read(running[: drawn.RUNNING - len(escalated)], _SHORTER_WORK)
        reasons = {thread.thread_id: self.queue.orchestrator.why_held(thread) for thread in shown}
        return HomeView(
            at=self.clock.now(),
            url=self.queue.url,
            state=self.controls.state,
            since=self.controls.since,
            connected=await self.connection.connected(),
            waiting=await self._waiting(asker.user_id),
            waiting_in_all=len(threads.queue(*UNDECIDED, with_held=True)),
            running=shown,
            running_in_all=len(running),
            escalated=escalated,
            escalated_in_all=len(long_runs),
            events=await self._newest_events(),
            services=await order_visible(self.services.list_states(), self.queue.redactor, drawn.SERVICES),
            held_reasons={name: reason for name, reason in reasons.items() if reason},
            held_count=len(self.queue.orchestrator.waiting),
            in_line=threads.waiting,
            today=await self._today_figures(),
            zone=self.zone,
            may_control=await self.handler.permission.refusal(asker, "admin") is None,
            message=notice,
            problems=self.losses.lines(),
        )

    async def _newest_events(self) -> list[SystemEvent]:
        """Return the events of the last day, critical ones first."""
        since = self.clock.now() - EVENTS_LIFE
        try:
            newest = await self.events.newest(_EVENTS_READ)
        except TriageError as problem:
            log.warning("events of escalations: %s", problem)
            return []
        return order_events(event for event in newest if event.at >= since)[: drawn.EVENTS]

    async def _waiting(self, user: str) -> list[dict[str, Any]]:
        saved_view = self._views.get(user, QueueView())
        current_view = await self.queue.update_position(saved_view, user, with_held=True)
        if self._views.get(user, saved_view) is saved_view:  # else a button has changed the view meanwhile
            self._views[user] = current_view
        return await self.queue.blocks(current_view, page=PAGE, room=HOME_ROOM, with_held=True, reader=user)

    async def _read(self, names: Sequence[str], statuses: tuple[Status, ...]) -> tuple[Thread, ...]:
        threads = []
        for name in names:
            try:
                thread = await self.queue.orchestrator.store.load(name)
            except TriageError:
                continue  # its next event rebuilds it
            if thread and thread.status in statuses:
                threads.append(await run_offloaded(redact_question, thread, self.queue.redactor))
        return tuple(threads)

    async def _today_figures(self) -> Today | None:
        now = self.clock.now()
        if self._figures is None or not timedelta() <= now - self._figures[0] < FIGURES_LIFE:
            try:
                self._figures = (now, await self.figures.count())
            except TriageError as problem:
                log.warning("the day's figures: %s", problem)
                return None
        return self._figures[1]
