"""Surfaces: cards and the other views of threads, the App Home, answers in Slack and on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.approval.show_card import CardViewer
from bot.chat.app_home import AppHome
from bot.commands.queue import Queue, QueueAnswers
from bot.commands.terminal import TerminalCommands
from bot.reports.today import DayFigures
from bot.surfaces.asker_lines import AskerLines
from bot.surfaces.asker_status import AskerStatus
from bot.surfaces.card_view import CardRenderer
from bot.surfaces.cards import Cards
from bot.surfaces.ephemeral_cards import EphemeralCards
from bot.surfaces.fix_messages import FixMessages
from bot.surfaces.incident_messages import IncidentMessages
from bot.surfaces.long_runs import LongRuns
from bot.surfaces.reactions import Reactions
from bot.surfaces.recovery_lines import RecoveryLines
from bot.surfaces.reminders import Reminders
from bot.surfaces.request_links import RequestLinks
from bot.surfaces.task_files import TaskFileWriter
from bot.surfaces.thread_views import ThreadViews

if TYPE_CHECKING:
    from bot.commands.entry import TypedCommandHandler
    from bot.ports.fixes import FixDrafter
    from bot.ports.health import ServiceHealth
    from bot.wiring.core import Core
    from bot.wiring.tasks import CreatedTasks


@dataclass(frozen=True, kw_only=True)
class CardViews:
    """Cards and the queue, which commands show too."""

    tasks: TaskFileWriter
    cards: Cards
    queue: Queue


def build_cards(core: Core, fixes: FixDrafter | None = None) -> CardViews:
    """Build the cards of operators, and the queue of them."""
    view = CardRenderer(
        chat=core.chat,
        redactor=core.redactor,
        threads=core.orchestrator,
        operators=core.operators,
        losses=core.losses,
        escalation=core.orchestrator.limits.escalation,
        fixes=fixes,
    )
    tasks = TaskFileWriter(tasks=core.storage.task_files, clock=core.clock)
    cards = Cards(
        tasks=tasks,
        chat=core.unhurried,
        at_once=core.at_once,
        clock=core.clock,
        threads=core.orchestrator,
        pictures=view,
        shared=core.card_channel,
        access=core.access,
    )
    queue = Queue(
        orchestrator=core.orchestrator, pictures=view, url=core.identity.url, clock=core.clock, redactor=core.redactor
    )
    return CardViews(tasks=tasks, cards=cards, queue=queue)


@dataclass(frozen=True, kw_only=True)
class Surfaces:
    """Everything that shows threads."""

    views: ThreadViews
    homes: AppHome
    answers: QueueAnswers
    showing: CardViewer


def build_surfaces(
    core: Core, cards: CardViews, commands: TypedCommandHandler, services: ServiceHealth, tasks: CreatedTasks
) -> Surfaces:
    """Build the views of threads."""
    slack, clock, threads = core.unhurried, core.clock, core.orchestrator
    nudges = EphemeralCards(
        chat=core.chat, history=core.chat, presence=core.chat, pictures=cards.queue.pictures, clock=clock
    )
    showing = CardViewer(
        store=core.store, cards=cards.cards, nudges=nudges, threads=threads, clock=clock, operators=core.operators
    )
    homes = _build_homes(core, commands, showing, cards.queue, services)
    answers = QueueAnswers(queue=cards.queue, chat=core.chat, permission=core.permission, clock=clock)
    long_runs = LongRuns(
        chat=slack, clock=clock, pictures=cards.queue.pictures, threads=threads, shared=core.card_channel
    )
    fixes = FixMessages(
        chat=slack, clock=clock, pictures=cards.queue.pictures, threads=threads, shared=core.card_channel
    )
    links = RequestLinks(clock=clock, threads=threads, redactor=core.redactor)
    reactions = Reactions(writer=slack, clock=clock, threads=threads, losses=core.losses)
    asker_lines = AskerLines(chat=slack, history=slack, clock=clock, threads=core.orchestrator, redactor=core.redactor)
    asker_status = AskerStatus(assistant_status=slack, clock=clock, threads=threads)
    incidents = IncidentMessages(chat=slack, clock=clock, threads=threads, redactor=core.redactor)
    recoveries = RecoveryLines(
        chat=slack,
        clock=clock,
        threads=core.orchestrator,
        is_stopped=lambda: core.controls.state == "stopped",
        is_silent=lambda thread: (
            thread.thread_id in core.controls.muted or core.controls.modes.get(thread.chat_id) != "live"
        ),
        redactor=core.redactor,
    )
    views = ThreadViews(
        acks=core.acks,
        tasks=cards.tasks,
        cards=cards.cards,
        long_runs=long_runs,
        fixes=fixes,
        nudges=nudges,
        reminders=Reminders(
            chat=core.chat,
            store=core.store,
            clock=core.clock,
            open_threads=core.orchestrator.open_threads,
            url=core.identity.url,
            interval=timedelta(minutes=core.settings.approval.remind_min),
            state_file=core.storage.json_file("reminders"),
            redactor=core.redactor,
        ),
        others=(reactions, incidents, tasks.messages, recoveries, links, asker_lines, asker_status, homes, answers),
    )
    return Surfaces(views=views, homes=homes, answers=answers, showing=showing)


def _build_homes(
    core: Core, commands: TypedCommandHandler, showing: CardViewer, queue: Queue, services: ServiceHealth
) -> AppHome:
    figures = DayFigures(sources=core.sources, clock=core.clock, zone=core.settings.timezone)
    return AppHome(
        queue=queue,
        clock=core.clock,
        controls=core.controls,
        handler=commands.handler,
        showing=showing,
        zone=core.settings.timezone,
        connection=core.listeners,
        figures=figures,
        losses=core.losses,
        events=core.system_events,
        services=services,
    )


def build_terminal(core: Core, commands: TypedCommandHandler) -> TerminalCommands:
    """Build the handler of commands from the terminal."""
    return TerminalCommands(
        handler=commands.handler,
        naming=core.naming,
        channel_names=core.channel_names,
        admins=core.settings.admins,
        team_id=core.identity.team_id,
        zone=ZoneInfo(core.settings.timezone),
    )
