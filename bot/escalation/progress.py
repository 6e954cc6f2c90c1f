"""Progress of runs of tiers 2 and 3: to their threads and journals; and follow-ups of threads to their runs."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.journal import RunJournal, sanitize_line
from bot.escalation.starter import name_run
from bot.models.thread_event import TierProgress
from bot.triage.speakers import quote_message

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.folder import RunFolder
    from bot.escalation.launcher import Launcher
    from bot.escalation.money import ProcessMoney
    from bot.models.escalation import EscalationTask
    from bot.models.session import Session
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock, TaskFiles

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Watched:
    """A run that its thread waits for."""

    folder: RunFolder
    task: EscalationTask
    started_at: datetime
    heard_at: datetime
    """Time when its transcript was last seen to grow."""
    size: int = -1
    """Size of its transcript then."""
    told: TierProgress | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def listen(self, now: datetime) -> timedelta:
        """Return the time since its transcript grew."""
        size = self.folder.read_size()
        if size != self.size:
            self.size, self.heard_at = size, now
        return now - self.heard_at


@dataclass(frozen=True, kw_only=True)
class ProgressTeller:
    """Teller of progress."""

    threads: ThreadQueue
    tasks: TaskFiles
    launcher: Launcher
    money: ProcessMoney
    redactor: Redactor
    clock: Clock

    async def tell(self, watched: Watched) -> None:
        """Tell a thread and its journal how far its run has come, if that is new."""
        own = await self.money.mirror(watched.folder, watched.task)
        event = await asyncio.to_thread(self._describe, watched, own)
        if own:
            watched.started_at = own.started_at
        if watched.told and _content(event) == _content(watched.told):
            return
        watched.told = event
        self.threads.tell(watched.task.thread_id, event)
        await self._write_journal(watched.task, event)

    async def hand_on(self, watched: Watched, thread: Thread) -> None:
        """Append the messages that came in since to those for the process, each once."""
        for message in thread.question_messages:
            if message.message_id in thread.inbox:
                quoted = quote_message(thread, message, self.redactor)
                await asyncio.to_thread(watched.folder.append_message, message.message_id, quoted.by, quoted.text)

    def _describe(self, watched: Watched, own: Session | None) -> TierProgress:
        folder, task = watched.folder, watched.task
        launched = self.launcher.describe(folder, name_run(task))
        return TierProgress(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            run_id=task.run_id,
            session_id=task.session_id,
            started_at=own.started_at if own else watched.started_at,
            watch_command=launched.watch_command,
            tmux_session=launched.tmux_session,
            transcript_path=str(folder.transcript),
            turns=own.num_turns if own else 0,
            cost_usd=_cost(own) if own else 0.0,
            latest=sanitize_line(self.redactor, folder.read_latest()),
        )

    async def _write_journal(self, task: EscalationTask, event: TierProgress) -> None:
        if not (task.assignment.task and task.assignment.journal):
            return
        journal = RunJournal(
            tasks=self.tasks,
            redactor=self.redactor,
            clock=self.clock,
            task=task.assignment.task,
            name=task.assignment.journal,
            who=f"tier {task.tier}",
        )
        cost = f"at most ${event.cost_usd:.2f}" if event.cost_usd else "no cost reported"
        cost = "cost unknown" if event.cost_usd is None else cost
        await journal.say(f"{event.turns} turns, {cost}: {event.latest or 'no output yet'}")


def _content(event: TierProgress) -> tuple[object, ...]:
    """Return what a reader sees of it."""
    return (event.turns, event.cost_usd, event.latest, event.watch_command, event.started_at, event.session_id)


def _cost(session: Session) -> float | None:
    return None if session.cost_usd is None and not session.unsure_usd else session.spent_usd
