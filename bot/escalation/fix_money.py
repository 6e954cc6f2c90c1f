"""Money of processes that draft fixes: held before the start against the day's cap, booked at their end, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.ledger import LONGEST_PROCESS
from bot.errors import Unreadable
from bot.escalation.money import LEAST_SHARE
from bot.models.session import Session

if TYPE_CHECKING:
    from bot.agents.ledger import Ledger
    from bot.escalation.folder import RunFolder
    from bot.models.fix_task import FixTask
    from bot.models.session import Outcome
    from bot.ports.outbound import Clock, Sessions

AGENT = "fixer"


@dataclass(frozen=True, kw_only=True)
class FixMoney:
    """Account of these processes in the bot's ledger. `cap` is the maximum cost of one, in US dollars."""

    ledger: Ledger
    sessions: Sessions
    cap: float
    model: str
    clock: Clock

    async def hold(self, task: FixTask) -> FixTask:
        """Hold the money of a run, as far as the day has it; return its task with that sum.

        A repeated call holds it once. Raises `OverCap` if the day has too little left, and `RetryLater`.
        """
        now = self.clock.now()
        session = await self._read(task.session_id) or Session(
            session_id=task.session_id,
            agent=AGENT,
            tier=2,
            model=self.model,
            thread_id=task.thread_id,
            started_at=now,
            saved_at=now,
        )
        session = await self.ledger.hold(session, self.cap, least=LEAST_SHARE * self.cap)
        return task.evolve(usd=session.held_usd)

    async def settle(self, folder: RunFolder, task: FixTask, outcome: Outcome, reason: str) -> Session | None:
        """Book the cost of an ended run, once; return its final record, `None` if nothing was held for it."""
        record = await self._read(task.session_id)
        if record is None or not record.has_process:
            return record
        try:
            own = folder.read_session()
        except Unreadable:
            own = None
        cost: dict[str, float | None] = {"cost_usd": None, "unsure_usd": record.spent_usd}
        if not folder.was_begun():
            cost = {"cost_usd": 0.0, "unsure_usd": 0.0}
        elif own:
            cost = {"cost_usd": own.cost_usd, "unsure_usd": round(own.unsure_usd + own.held_usd, 6)}
        elif folder.done.exists():  # it ended before it asked a model
            cost = {"cost_usd": 0.0, "unsure_usd": 0.0}
        now = self.clock.now()
        final = record.with_account(own or record).evolve(
            **cost,
            held_usd=0.0,
            outcome="died" if outcome == "running" else outcome,
            reason=reason,
            duration_ms=round((now - record.started_at).total_seconds() * 1000),
            saved_at=now,
        )
        await self.ledger.settle(final)
        return final

    async def list_open(self) -> list[Session]:
        """Return the records of runs that hold money."""
        since = self.clock.now().date() - LONGEST_PROCESS
        return [each for each in await self.sessions.list_since(since) if each.has_process and each.agent == AGENT]

    async def drop(self, session: Session) -> None:
        """Close the record of a run of which nothing else is left; all that it held counts as spent."""
        lost = {"cost_usd": None, "unsure_usd": session.spent_usd, "held_usd": 0.0}
        await self.ledger.settle(session.evolve(outcome="died", reason="its folder is gone", **lost))

    async def _read(self, session_id: str) -> Session | None:
        return next(iter(await self.sessions.read([session_id])), None)
