"""Where threads are seen, put together: cards, nudges, reactions, reminders, Home, tasks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.control_socket import ControlSocket
from bot.adapters.json_file import KeptFile
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.approval.show_card import Showing
from bot.chat.app_home import Homes
from bot.commands.queue import Queue, QueueAnswers
from bot.commands.terminal import TerminalDesk
from bot.reports.today import today
from bot.runtime.acks import Acks
from bot.surfaces.asker_lines import AskerLines
from bot.surfaces.asker_status import AskerStatus
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.card_view import Pictures
from bot.surfaces.cards import Cards
from bot.surfaces.ephemeral_cards import Nudges
from bot.surfaces.long_runs import LongRuns
from bot.surfaces.reactions import Reactions
from bot.surfaces.reminders import Reminders
from bot.surfaces.task_files import TaskPictures
from bot.wiring.workflow import naming_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.commands.confirmation_buttons import ConfirmationDesk
    from bot.commands.entry import CommandDesk
    from bot.models.home import Today
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening
    from bot.ports.outbound import Store
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


_EARLY = ("collecting", "investigating", "awaiting-validation")
"""The statuses in which nobody waits for a picture but to know that something goes on."""


@dataclass(kw_only=True)
class Surfaces:
    """All of them; the Home comes last, since it takes commands."""

    cards: Cards
    long_runs: LongRuns
    nudges: Nudges
    reactions: Reactions
    asker_lines: AskerLines
    asker_status: AskerStatus
    reminders: Reminders
    tasks: TaskPictures
    pictures: Pictures
    acks: Acks = field(default_factory=Acks)
    """The acks that Slack waits for."""
    problems: Callable[[], Sequence[str]] = tuple
    """What Slack keeps from the bot, with what to do about it, as mrkdwn."""
    _later: dict[str, Thread] = field(default_factory=dict)
    """The newest document of each thread whose signs wait for the acks."""
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)
    homes: Homes = field(init=False)
    """Put in by `show_home`, before anything is drawn; those below too."""
    answers: QueueAnswers = field(init=False)
    confirming: ConfirmationDesk = field(init=False)
    control: ControlSocket = field(init=False)
    """Where the command line comes in."""

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring everything that shows this thread up to the document, some time soon.

        The signs that a question is looked up let the acks go first that Slack waits for.
        """
        name = thread.thread_id
        is_later = thread.status in _EARLY and not look_up and (self.acks.are_due or name in self._later)
        if not is_later:
            self._later.pop(name, None)
            self._redraw(thread, look_up=look_up)
        elif name in self._later:
            self._later[name] = thread
        else:
            self._later[name] = thread
            task = asyncio.create_task(self._redraw_later(name), name=f"signs {name}")
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _redraw_later(self, name: str) -> None:
        await self.acks.given()
        if thread := self._later.pop(name, None):
            self._redraw(thread)

    def _redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        self.tasks.redraw(thread)
        self.cards.redraw(thread, look_up=look_up)
        self.long_runs.redraw(thread, look_up=look_up)
        self.nudges.redraw(thread)
        self.reactions.redraw(thread)
        self.asker_lines.redraw(thread)
        self.asker_status.redraw(thread)
        self.reminders.changed()
        self.homes.redraw(thread)
        self.answers.redraw(thread)

    def pressed(self, press: CardPress) -> None:
        """Remember where what was pressed can be changed."""
        (self.nudges if press.is_ephemeral else self.cards).pressed(press)

    async def stop(self) -> None:
        """Show nothing new; what is not drawn is drawn at the next start."""
        for task in self._waiting:
            task.cancel()
        await self.homes.stop()
        await self.answers.stop()
        await self.reactions.stop()
        await self.asker_lines.stop()
        await self.asker_status.stop()
        await self.nudges.stop()
        await self.long_runs.stop()
        await self.cards.stop()
        await self.tasks.stop()


def surfaces(
    ground: Infrastructure,
    store: Store,
    operators: Operators,
    *,
    new_id: Callable[[], str],
    orchestrator: Callable[[], Orchestrator],
) -> Surfaces:
    """All but the Home."""
    settings, chat, later, clock = ground.settings, ground.chat, ground.unhurried, ground.clock

    def tell(thread_id: str, what: Happening) -> None:
        orchestrator().tell(thread_id, what)

    pictures = _pictures(ground, operators, orchestrator)
    tasks = TaskPictures(tasks=TaskFolders(ground.home.tasks), clock=clock)
    cards = Cards(
        tasks=tasks,
        chat=later,
        at_once=ground.at_once,
        clock=clock,
        new_id=new_id,
        tell=tell,
        pictures=pictures,
        shared=CardChannel(channel=settings.approval.queue_channel, places=settings.card_places),
    )
    return Surfaces(
        acks=ground.acks,
        pictures=pictures,
        tasks=tasks,
        cards=cards,
        long_runs=LongRuns(
            chat=later, clock=clock, pictures=pictures, new_id=new_id, tell=tell, queue_of=cards.shared.open_for
        ),
        nudges=Nudges(chat=chat, history=chat, presence=chat, pictures=pictures, clock=clock, new_id=new_id),
        asker_status=AskerStatus(signs=later, clock=clock, why_held=lambda thread: orchestrator().why_held(thread)),
        asker_lines=AskerLines(
            chat=later,
            history=later,
            clock=clock,
            new_id=new_id,
            submit=lambda thread_id, happening: orchestrator().submit(thread_id, happening),
            redactor=ground.redactor,
        ),
        reactions=Reactions(marks=later, clock=clock, new_id=new_id, tell=tell),
        reminders=_reminders(ground, store, orchestrator),
    )


def _pictures(ground: Infrastructure, operators: Operators, orchestrator: Callable[[], Orchestrator]) -> Pictures:
    def lacks_second(thread: Thread) -> bool:
        first = thread.approved_first
        return first is not None and not operators.seconds(thread, first.by)

    return Pictures(
        chat=ground.chat,
        redactor=ground.redactor,
        why_held=lambda thread: orchestrator().why_held(thread),
        may_delegate=lambda thread: bool(operators.others(thread)),
        lacks_second=lacks_second,
    )


def _reminders(ground: Infrastructure, store: Store, orchestrator: Callable[[], Orchestrator]) -> Reminders:
    return Reminders(
        chat=ground.chat,
        store=store,
        clock=ground.clock,
        open_threads=lambda: orchestrator().open_threads,
        url=ground.identity.url,
        interval=timedelta(minutes=ground.settings.approval.remind_min),
        kept=KeptFile(ground.home.reminders),
        redactor=ground.redactor,
    )


def queue_of(ground: Infrastructure, shown: Surfaces, orchestrator: Orchestrator) -> Queue:
    """Build what reads the queue."""
    return Queue(
        orchestrator=orchestrator,
        pictures=shown.pictures,
        url=ground.identity.url,
        now=ground.clock.now,
        redactor=ground.redactor,
    )


def show_home(
    ground: Infrastructure,
    shown: Surfaces,
    orchestrator: Orchestrator,
    *,
    controls: Controls,
    commands: CommandDesk,
    operators: Operators,
    connected: Callable[[], Awaitable[bool]],
) -> Showing:
    """The Home too, and the terminal; the answer is Show Card, which the Home shares with other places."""
    settings = ground.settings
    shown.confirming = commands.confirming
    shown.control = ControlSocket(ground.home.control, _terminal(ground, shown, commands).answer)
    showing = Showing(
        store=orchestrator.store,
        chat=ground.chat,
        cards=shown.cards,
        nudges=shown.nudges,
        tell=orchestrator.tell,
        clock=ground.clock,
        new_id=shown.cards.new_id,
        refusal=operators.refusal,
    )
    queue = queue_of(ground, shown, orchestrator)
    permission = commands.handler.permission
    shown.answers = QueueAnswers(queue=queue, chat=ground.chat, permission=permission, clock=ground.clock)
    shown.homes = Homes(
        queue=queue,
        chat=ground.chat,
        clock=ground.clock,
        orchestrator=orchestrator,
        controls=controls,
        handler=commands.handler,
        permission=permission,
        showing=showing,
        channels=lambda: [
            channel for channel, mode in controls.modes.items() if mode != "silent" and channel not in ground.away
        ],
        url=ground.identity.url,
        zone=settings.timezone,
        connected=connected,
        count_today=lambda: _count_today(ground, orchestrator),
        redactor=ground.redactor,
        problems=lambda: shown.problems(),
    )
    return showing


def _terminal(ground: Infrastructure, shown: Surfaces, commands: CommandDesk) -> TerminalDesk:
    """What answers the command line."""
    return TerminalDesk(
        handler=commands.handler,
        naming=naming_of(ground),
        channel_names=ground.channel_names,
        admins=ground.settings.admins,
        team_id=ground.identity.team_id,
        zone=ZoneInfo(ground.settings.timezone),
        new_id=shown.cards.new_id,
    )


async def _count_today(ground: Infrastructure, orchestrator: Orchestrator) -> Today:
    """What has happened today, by the team's clock."""
    return await today(
        audit=ground.audit,
        store=orchestrator.store,
        sessions=SessionFiles(ground.home.sessions),
        now=ground.clock.now(),
        zone=ground.settings.timezone,
    )
