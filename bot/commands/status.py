"""State and queue: `status`, `queue`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.question import name_source, own_words
from blocks.queue import question_link
from blocks.services import summarise
from blocks.text import clip, escape, moment, name_channel, section
from bot.commands.command import CommandAnswer
from bot.commands.inputs import EmptyInput
from bot.commands.registry import command
from bot.commands.state import count
from bot.commands.task_data import build_waiting
from bot.commands.work_counts import describe_work
from bot.errors import TriageError
from bot.models.command_data.cost import CostData
from bot.models.command_data.status import ChannelData, StatusData
from bot.models.command_data.tasks import QueueData, WaitingTaskData
from bot.models.plain_lines import to_plain_text
from bot.models.queue import QueueView
from bot.models.queue_order import waits_since
from bot.models.status_words import STATUS_WORDS
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.search_state import SearchState
    from bot.commands.queue import Queue
    from bot.commands.work_counts import WorkCounts
    from bot.models.command_data.status import WorkData
    from bot.models.interaction import Asker
    from bot.models.service_state import ServiceState
    from bot.models.status import Status
    from bot.models.thread import Thread
    from bot.ports.access import CurrentLosses
    from bot.ports.health import ServiceHealth
    from bot.ports.slack import SlackConnection
    from bot.reports.today import Spending
    from bot.triage.controls import Controls

MAX_LISTED = 15
"""Number of threads that `queue` lists."""

_DECIDING: tuple[Status, ...] = ("pending-user", "in-doubt")


@dataclass(frozen=True, kw_only=True)
class StatusCommands:
    """The commands `status` and `queue`."""

    controls: Controls
    waiting: Queue
    engine: str
    connection: SlackConnection
    spending: Spending
    losses: CurrentLosses
    searches: SearchState
    services: ServiceHealth
    work: WorkCounts

    @command(
        "status",
        "shows the state of Triage: agents, tasks, questions, the engine and today's cost",
        input=EmptyInput,
        role="operator",
        tier="read",
        also=("get_status",),
        result=StatusData,
    )
    async def status(self, _: EmptyInput, __: Asker) -> CommandAnswer:
        """Show the state from memory: no thread or run is read from disk."""
        state, threads = self.controls.state, self.waiting.orchestrator.open_threads
        since = f" since {moment(self.controls.since)}" if self.controls.since and state != "running" else ""
        is_connected = await self.connection.connected()
        health = "connected to Slack" if is_connected else "*not connected to Slack*"
        counts = threads.counts()
        deciding, work_counts = sum(counts[status] for status in _DECIDING), await self.work.count()
        work = (
            f"{count(deciding, 'question')} for a decision, {count(self.waiting.orchestrator.running, 'run')}, "
            f"{len(self.waiting.orchestrator.waiting)} held, {threads.waiting} waiting for their turn"
        )
        modes = ", ".join(f"<#{channel}> {mode}" for channel, mode in self.controls.modes.items())
        of = f"; today's limit is ${self.spending.ledger.cap:,.2f}" if self.spending.ledger else ""
        cost = f"engine {escape(self.engine)}, cost today {format_cost(self.spending.today)}{of}"
        rows = [
            f"Channels: {modes or 'none'}.",
            f"Open: {_format_counts(counts)}. Muted threads: {len(self.controls.muted)}.",
            describe_work(work_counts),
        ]
        states = self.services.list_states()
        if states:
            rows.append(f"Health: {summarise(states)} `/triage services` shows them.")
        searches = self.searches.describe()
        if searches:
            rows.append(f"Searching: {escape(searches)}.")
        rows += self.losses.lines()
        data = self._build_data(work_counts, counts, states, is_connected=is_connected)
        line = f"*{state.capitalize()}*{since}, {health}; {work}; {cost}."
        return CommandAnswer(line=line, rows=tuple(rows), data=data)

    def _build_data(
        self, work: WorkData, counts: Counter[Status], services: Sequence[ServiceState], *, is_connected: bool
    ) -> StatusData:
        orchestrator, is_running = self.waiting.orchestrator, self.controls.state == "running"
        return StatusData(
            state=self.controls.state,
            since=None if is_running else self.controls.since,
            is_connected=is_connected,
            work=work,
            questions=dict(counts),
            decisions=sum(counts[status] for status in _DECIDING),
            runs=orchestrator.running,
            held=len(orchestrator.waiting),
            waiting_turns=orchestrator.open_threads.waiting,
            channels=tuple(ChannelData(channel=each, mode=mode) for each, mode in self.controls.modes.items()),
            muted_threads=len(self.controls.muted),
            engine=self.engine,
            cost_today=CostData.of(self.spending.today),
            limit_today_usd=self.spending.ledger.cap if self.spending.ledger else None,
            services=dict(Counter(each.status or "unchecked" for each in services)),
            searching=self.searches.describe() or None,
            losses=tuple(to_plain_text(each, UTC) for each in self.losses.lines()),
        )

    @command(
        "queue",
        "lists the questions that wait for a decision, the oldest first",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
        result=QueueData,
    )
    async def queue(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """List the questions that wait, the oldest first, with links, a button that opens the card, and Approve if the
        draft passed; then those in work."""
        waiting = self.waiting.orchestrator.open_threads.queue(*_DECIDING)
        line = f"{count(len(waiting), 'question')} {'waits' if len(waiting) == 1 else 'wait'} for a decision."
        rows: list[str] = []
        questions: list[WaitingTaskData] = []
        for name in waiting[:MAX_LISTED]:
            try:
                thread = await self.waiting.orchestrator.store.load(name)
            except TriageError:
                rows.append(f"`{name}` cannot be read; its next event rebuilds it.")
                continue
            if thread and thread.status in _DECIDING:
                safe_thread = await run_offloaded(redact_question, thread, self.waiting.redactor)
                rows.append(self._row(safe_thread))
                questions.append(build_waiting(safe_thread, self.waiting.url))
        if len(waiting) > MAX_LISTED:
            rows.append(f"… and {len(waiting) - MAX_LISTED} more.")
        data = QueueData(waiting=len(waiting), questions=tuple(questions), omitted=len(waiting) - len(questions))
        blocks = await self.waiting.message(QueueView(), asker.user_id)
        return CommandAnswer(line=line, rows=tuple(rows), blocks=(section(line), *blocks), data=data)

    def _row(self, thread: Thread) -> str:
        question = escape(clip(own_words(thread), 80))
        since = moment(waits_since(thread))
        who = f"<{question_link(thread, self.waiting.url)}|{name_source(thread)}>"
        return f"{who} in {name_channel(thread.chat_id)}, {since}: {question}"


def _format_counts(counts: dict[Status, int]) -> str:
    return ", ".join(f"{number} {STATUS_WORDS[status]}" for status, number in counts.items()) or "none"
