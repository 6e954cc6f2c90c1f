"""Money of processes of tiers 2 and 3: held before the start, mirrored while they run, booked at their end.

What a process may spend is held against the day's cap in the bot's own record, so that the cap holds whatever is
killed. A process without a readable account has spent all that it held.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.agents.ledger import LONGEST_PROCESS
from bot.errors import TriageError, Unreadable
from bot.models.session import Session

if TYPE_CHECKING:
    from datetime import datetime

    from bot.agents.ledger import Ledger
    from bot.config.settings import Settings
    from bot.escalation.folder import RunFolder
    from bot.models.escalation import EscalationTask, HeadlessReturn
    from bot.models.handoff import NextTier
    from bot.ports.outbound import Clock, Sessions

log = logging.getLogger(__name__)

LEAST_SHARE = 0.2
"""Share of a tier's maximum cost below which it is not started: it would end before it has found anything."""
AGENT = "investigator"


@dataclass(frozen=True, kw_only=True)
class ProcessMoney:
    """Account of the processes in the bot's ledger."""

    ledger: Ledger
    sessions: Sessions
    settings: Settings
    clock: Clock

    def find_cap(self, tier: NextTier) -> float:
        """Return the maximum cost of a run in US dollars."""
        return self.settings.tiers.get_tier(tier).max_usd or self.settings.model.max_usd_per_run

    async def hold(self, task: EscalationTask) -> EscalationTask:
        """Hold the money of a run, as far as the day has it; return its task with that sum.

        A repeated call holds it once. Raises `OverCap` if the day has too little left.
        """
        now = self.clock.now()
        before = await self._read(task.session_id)
        session = before or Session(
            session_id=task.session_id,
            agent=AGENT,
            tier=task.tier,
            model=self._find_model(task.tier),
            parent_session_id=task.parent_session_id,
            thread_id=task.thread_id,
            started_at=now,
            saved_at=now,
        )
        cap = self.find_cap(task.tier)
        session = await self.ledger.hold(session, cap, least=LEAST_SHARE * cap)
        return task.evolve(usd=session.held_usd)

    async def mirror(self, folder: RunFolder, task: EscalationTask) -> Session | None:
        """Copy the figures of a process that runs into the bot's record; return its account if it has one."""
        try:
            own, record = folder.read_session(), await self._read(task.session_id)
        except Unreadable:
            return None
        if own is None or record is None or not record.has_process:
            return own
        used = (own.cost_usd or 0.0) + own.unsure_usd
        held = max(own.held_usd, round(record.spent_usd - used, 6), 0.0)
        copy = record.with_account(own).evolve(held_usd=held)
        if copy != record.evolve(saved_at=own.saved_at):
            try:
                await self.ledger.mirror(copy)
            except TriageError as problem:
                log.warning("session %s: %s", task.session_id, problem)
        return own

    async def settle(self, folder: RunFolder, task: EscalationTask, returned: HeadlessReturn) -> bool:
        """Book the cost of an ended run, once, and remember it for its thread; return whether it was open."""
        record = await self._read(task.session_id)
        if record is None:
            return False
        final = self._close(folder, task, record, returned) if record.has_process else record
        await self.ledger.settle(final)
        return record.has_process

    async def drop(self, session_id: str, reason: str) -> None:
        """Close the record of a run of which nothing else is left; all that it held counts as spent."""
        record = await self._read(session_id)
        if record and record.has_process:
            lost = {"cost_usd": None, "unsure_usd": record.spent_usd, "held_usd": 0.0}
            await self.ledger.settle(record.evolve(outcome="died", reason=reason, **lost))

    async def list_open(self) -> list[Session]:
        """Return the records of runs that hold money."""
        since = self.clock.now().date() - LONGEST_PROCESS
        sessions = await self.sessions.list_since(since)
        return [each for each in sessions if each.has_process and each.agent == AGENT and not each.is_job]

    async def find_start(self, task: EscalationTask) -> datetime | None:
        """Return the time at which the money of a run was first held; `None` without a record."""
        record = await self._read(task.session_id)
        return record.started_at if record else None

    def _close(self, folder: RunFolder, task: EscalationTask, record: Session, returned: HeadlessReturn) -> Session:
        """Return the final record of an ended run."""
        now = self.clock.now()
        held = record.spent_usd
        try:
            own = folder.read_session()
        except Unreadable:
            own = None
        cost: dict[str, float | None]
        if not (folder.is_current(task.session_id) and folder.was_begun()):
            cost = {"cost_usd": 0.0, "unsure_usd": 0.0}
        elif returned.cost_usd is not None:  # as a team's own program says
            cost = {"cost_usd": min(max(returned.cost_usd, 0.0), held), "unsure_usd": 0.0}
        elif own is None or self.settings.tiers.get_tier(task.tier).command:
            cost = {"cost_usd": None, "unsure_usd": held}
        else:
            unsure = round(own.unsure_usd + own.held_usd, 6)
            cost = {"cost_usd": own.cost_usd, "unsure_usd": unsure}
        return record.with_account(own or record).evolve(
            **cost,
            held_usd=0.0,
            outcome="died" if returned.outcome == "running" else returned.outcome,
            reason=returned.reason,
            duration_ms=round((now - record.started_at).total_seconds() * 1000),
            saved_at=now,
        )

    async def _read(self, session_id: str) -> Session | None:
        return next(iter(await self.sessions.read([session_id])), None)

    def _find_model(self, tier: NextTier) -> str:
        section = self.settings.tiers.get_tier(tier)
        return Path(section.command[0]).name if section.command else section.model or self.settings.investigator.model
