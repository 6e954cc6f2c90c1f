"""Surfaces: cards and the other views of threads, the App Home, answers in Slack and on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.json_file import DiskJsonFile
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
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
from bot.surfaces.long_runs import LongRuns
from bot.surfaces.reactions import Reactions
from bot.surfaces.reminders import Reminders
from bot.surfaces.task_files import TaskFileWriter
from bot.surfaces.thread_views import ThreadViews
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from bot.commands.entry import TypedCommandHandler
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


@dataclass(frozen=True, kw_only=True)
class CardViews:
    """Cards and the queue, which commands show too."""

    view: CardRenderer
    tasks: TaskFileWriter
    cards: Cards
    queue: Queue


def build_cards(infra: Infrastructure, orchestrator: Orchestrator, intake: Intake) -> CardViews:
    """Build the cards of operators, and the queue of them."""
    view = CardRenderer(
        chat=infra.chat,
        redactor=infra.redactor,
        why_held=orchestrator.why_held,
        may_delegate=infra.operators.may_delegate,
        lacks_second=infra.operators.lacks_second,
        unreachable_reason=intake.losses.card_line,
    )
    tasks = TaskFileWriter(tasks=TaskFolders(infra.home.tasks), clock=infra.clock)
    cards = Cards(
        tasks=tasks,
        chat=infra.unhurried,
        at_once=infra.at_once,
        clock=infra.clock,
        new_id=new_id,
        threads=orchestrator,
        pictures=view,
        shared=intake.card_channel,
        undelivered=intake.access.unreachable,
    )
    queue = Queue(
        orchestrator=orchestrator, pictures=view, url=infra.identity.url, now=infra.clock.now, redactor=infra.redactor
    )
    return CardViews(view=view, tasks=tasks, cards=cards, queue=queue)


@dataclass(frozen=True, kw_only=True)
class Surfaces:
    """Everything that shows threads."""

    views: ThreadViews
    homes: AppHome
    answers: QueueAnswers
    showing: CardViewer


def build_surfaces(
    infra: Infrastructure, orchestrator: Orchestrator, intake: Intake, cards: CardViews, commands: TypedCommandHandler
) -> Surfaces:
    """Build the views of threads."""
    slack, clock = infra.unhurried, infra.clock
    nudges = EphemeralCards(
        chat=infra.chat, history=infra.chat, presence=infra.chat, pictures=cards.view, clock=clock, new_id=new_id
    )
    showing = CardViewer(
        store=infra.store,
        cards=cards.cards,
        nudges=nudges,
        chat=infra.chat,
        threads=orchestrator,
        clock=clock,
        new_id=new_id,
        refusal=infra.operators.refusal,
    )
    homes = _build_homes(infra, orchestrator, intake, commands, showing, cards.queue)
    answers = QueueAnswers(queue=cards.queue, chat=infra.chat, permission=infra.permission, clock=clock)
    long_runs = LongRuns(
        chat=slack,
        clock=clock,
        pictures=cards.view,
        new_id=new_id,
        threads=orchestrator,
        queue_of=intake.card_channel.open_for,
    )
    reactions = Reactions(writer=slack, clock=clock, new_id=new_id, threads=orchestrator, may=intake.losses.may_react)
    asker_lines = AskerLines(
        chat=slack, history=slack, clock=clock, new_id=new_id, submit=orchestrator.submit, redactor=infra.redactor
    )
    asker_status = AskerStatus(assistant_status=slack, clock=clock, threads=orchestrator)
    views = ThreadViews(
        acks=infra.acks,
        tasks=cards.tasks,
        cards=cards.cards,
        long_runs=long_runs,
        nudges=nudges,
        reminders=_build_reminders(infra, orchestrator),
        others=(reactions, asker_lines, asker_status, homes, answers),
    )
    return Surfaces(views=views, homes=homes, answers=answers, showing=showing)


def _build_homes(
    infra: Infrastructure,
    orchestrator: Orchestrator,
    intake: Intake,
    commands: TypedCommandHandler,
    showing: CardViewer,
    queue: Queue,
) -> AppHome:
    figures = DayFigures(
        audit=infra.audit,
        store=infra.store,
        sessions=SessionFiles(infra.home.sessions),
        clock=infra.clock,
        zone=infra.settings.timezone,
    )
    return AppHome(
        queue=queue,
        chat=infra.chat,
        clock=infra.clock,
        orchestrator=orchestrator,
        controls=infra.controls,
        handler=commands.handler,
        permission=infra.permission,
        showing=showing,
        url=infra.identity.url,
        zone=infra.settings.timezone,
        connected=infra.listeners.connected,
        count_today=figures.count,
        redactor=infra.redactor,
        problems=intake.losses.lines,
    )


def _build_reminders(infra: Infrastructure, orchestrator: Orchestrator) -> Reminders:
    return Reminders(
        chat=infra.chat,
        store=infra.store,
        clock=infra.clock,
        open_threads=orchestrator.open_threads,
        url=infra.identity.url,
        interval=timedelta(minutes=infra.settings.approval.remind_min),
        state_file=DiskJsonFile(infra.home.reminders),
        redactor=infra.redactor,
    )


def build_terminal(infra: Infrastructure, commands: TypedCommandHandler) -> TerminalCommands:
    """Build the handler of commands from the terminal."""
    return TerminalCommands(
        handler=commands.handler,
        naming=infra.naming,
        channel_names=infra.channel_names,
        admins=infra.settings.admins,
        team_id=infra.identity.team_id,
        zone=ZoneInfo(infra.settings.timezone),
        new_id=new_id,
    )
