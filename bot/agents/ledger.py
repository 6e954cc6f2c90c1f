"""Ledger: a record of each agent run, and the spending caps. One instance for the whole bot.

Before each model call its maximum cost is reserved and saved, so that spent and reserved money together never pass the
day's cap, even with concurrent runs and after a crash. A run also holds the money for its answer until it ends. Days
are in UTC. An admin's extra allowance is saved, too, and ends with its day. Ended runs are kept until their thread's
document has them.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.text import moment
from bot.agents.allowance import read_allowance
from bot.agents.cost_counter import CostCounter
from bot.agents.ended_runs import EndedRuns
from bot.errors import OverCap, TriageError
from bot.models.cost import sum_sessions
from bot.models.session import CHECKS_AGENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from bot.models.cost import Cost
    from bot.models.run_figures import RunFigures
    from bot.models.session import Outcome, Session
    from bot.models.turn import Turn, Usage
    from bot.ports.outbound import Clock, JsonFile, Prices, SessionStore

log = logging.getLogger(__name__)

TELL_AT = 0.8
"""Share of the day's cap from which the admin is told."""

LONGEST_PROCESS = timedelta(days=2)
"""Time before which a process that holds money today was started at the earliest."""

_ALLOW_MORE = "`/triage allow &lt;usd&gt;`, by an admin, allows more for today."
_ALLOW = "an admin's `/triage allow <usd>` allows more, and then"


class Ledger:
    """Account of the cost of runs. `tell` takes a line for the admin, as mrkdwn, and must not block.

    The extra allowance is stored in its own file; `redact` removes secrets from saved reasons.
    """

    def __init__(
        self,
        *,
        sessions: SessionStore,
        allowance_file: JsonFile,
        prices: Prices,
        clock: Clock,
        usd_per_day: float,
        tell: Callable[[str], None],
        redact: Callable[[str], str] = str,
    ) -> None:
        self._sessions = sessions
        self._allowance_file = allowance_file
        self._prices = prices
        self._clock = clock
        self._cap = usd_per_day
        self._tell = tell
        self.redact = redact
        self._day: date = clock.now().date()
        self._today, self._total = CostCounter(), CostCounter()
        self._reserved: dict[str, float] = {}
        self._allowed = 0.0
        self._warned: set[str] = set()
        self._allowing = asyncio.Lock()
        self._ended = EndedRuns()

    async def start(self, *, owns_home: bool = True) -> None:
        """Count today's spending, and close the runs that a crash ended: their reserved money counts as spent.

        Processes of tiers 2 and 3 may live on; what they hold stays reserved until `settle`. Without `owns_home` a bot
        may be running the others, so their records stay as they are.
        """
        self._start_day()
        self._allowed = min(read_allowance(self._day, await self._allowance_file.read()), self.most_allowed)
        for session in await self._sessions.list_since(self._day - LONGEST_PROCESS):
            if session.has_process:
                self._reserved[session.session_id] = session.spent_usd
                continue
            if session.outcome == "running" and session.agent != CHECKS_AGENT:
                ended = {"outcome": "died", "reason": "the bot ended before it", "held_usd": 0.0}
                session = session.evolve(**ended, unsure_usd=session.unsure_usd + session.held_usd)
                if owns_home:
                    await self._sessions.save(session)
                    self._ended.add(session)
            if session.saved_at.date() >= self._day:  # a run past midnight counts in full
                self._today.add_session(session)

    @property
    def spent(self) -> float:
        """Return the US dollars spent or reserved today."""
        return self.cost_today.usd

    @property
    def cost_today(self) -> Cost:
        """Return the cost of today with its parts; money that is reserved is a maximum."""
        self._start_day()
        return self._today.read(held_usd=sum(self._reserved.values()))

    @property
    def usd_by_agent(self) -> dict[str, float]:
        """Return the US dollars booked today by agent."""
        self._start_day()
        return self._today.by_agent

    @property
    def total(self) -> Cost:
        """Return the cost booked since the start of this process, on any day."""
        return self._total.read()

    @property
    def cap(self) -> float:
        """Return the US dollars that today may cost, including an admin's extra allowance."""
        return self._cap + self.allowed

    @property
    def allowed(self) -> float:
        """Return the US dollars that an admin allowed today beyond the settings."""
        self._start_day()
        return self._allowed

    @property
    def most_allowed(self) -> float:
        """Return the US dollars that an admin may allow in a day: as much as the cap of the settings."""
        return self._cap

    @property
    def day_ends(self) -> datetime:
        """Return the beginning of the next day, with nothing spent and no extra allowance."""
        self._start_day()
        return datetime.combine(self._day + timedelta(days=1), time(), UTC)

    async def allow(self, usd: float) -> bool:
        """Add to today's allowance; 0 takes it back.

        Return whether it was accepted: together at most `most_allowed` a day. It counts once it is on disk. Raises
        `RetryLater` when it cannot be saved.
        """
        async with self._allowing:
            day, total = self.day_ends, round(self.allowed + usd, 2) if usd else 0.0
            if total > self.most_allowed:
                return False
            await self._allowance_file.write({"day": self._day.isoformat(), "usd": total})
            if day == self.day_ends:
                self._allowed = total
                self._warned.clear()
            return True

    def runs_of(self, thread_id: str, since: datetime) -> tuple[RunFigures, ...]:
        """Return the runs of a thread that began after `since` and ended since the last call, in order; each once."""
        return self._ended.take(thread_id, since)

    def price(self, model: str, usage: Usage) -> float | None:
        """Return the cost in US dollars, or `None` for an unknown price."""
        return self._prices.cost(model, usage)

    def money_left(self, session: Session) -> float:
        """Return the US dollars of today that a run may use: all that is not spent, or held by others."""
        return max(0.0, round(self.cap - self.spent + self._reserved.get(session.session_id, 0.0), 6))

    def refuse(self, session: Session, usd: float) -> OverCap:
        """Return the error of a call that does not fit into the day's cap, and tell the admin."""
        spent = f"${self.cap - self.money_left(session):.2f} are spent or held"
        instead = f"The keyword engine answers until {moment(self.day_ends)}. {_ALLOW_MORE}"
        self._say("full", f"The agents' money for today is used up: {spent} of ${self.cap:.2f}. {instead}")
        self._warned.add("near")
        begins = "a run needs" if not session.num_turns else "the next turn may take"
        spending = f"{spent}, and {begins} ${usd:.2f}"
        step = "Propose a Fix begins again" if session.agent == "fixer" else "Redraft asks the model"
        return OverCap(f"the agents may cost ${self.cap:.2f} today: {spending}; {_ALLOW} {step}", limit="day")

    async def reserve(self, session: Session, max_usage: Usage, *, keep_usd: float = 0.0) -> Session:
        """Reserve the maximum cost of the next call, and save it. Raises `OverCap` when it exceeds the day's cap.

        The run holds at least `keep_usd`, as far as the day has it, until it ends.
        """
        usd, left = self.price(session.model, max_usage) or 0.0, self.money_left(session)
        if round(usd, 6) > left:
            raise self.refuse(session, usd)
        before = self._reserved.get(session.session_id)
        self._reserved[session.session_id] = max(usd, min(keep_usd, left))
        session = session.evolve(held_usd=usd, saved_at=self._clock.now())
        return await self._save_reserved(session, before)

    async def hold(self, session: Session, usd: float, *, least: float) -> Session:
        """Hold up to `usd` for a process until `settle`, as far as the day has it, and save that.

        Raises `OverCap` when the day has less than `least`, `RetryLater` when it cannot be saved.
        """
        held, before = min(usd, self.money_left(session)), self._reserved.get(session.session_id)
        if held < least:
            raise self.refuse(session, least)
        self._reserved[session.session_id] = held
        session = session.evolve(held_usd=held, saved_at=self._clock.now())
        return await self._save_reserved(session, before)

    async def mirror(self, session: Session) -> None:
        """Save the figures of a process that runs; all that it holds stays reserved. Raises `RetryLater`."""
        before = self._reserved.get(session.session_id, 0.0)
        self._reserved[session.session_id] = max(before, session.spent_usd)
        await self._sessions.save(session)

    async def settle(self, session: Session) -> None:
        """Book the final record of a process in place of what it held, once, and remember it for its thread."""
        if self._reserved.pop(session.session_id, None) is not None:
            self._record_cost(session, session.spent_usd, unsure_usd=sum_sessions([session]).unsure_usd)
        await self._save_end(session)

    def book(self, session: Session, turn: Turn) -> Session:
        """Book the actual cost of a turn, in place of the reserved one, or all of that for a turn without counts."""
        usd = self.price(session.model, turn.usage)
        known = usd if turn.has_usage else None
        unsure_usd = session.held_usd if usd is not None and known is None else 0.0
        self._record_cost(session, unsure_usd or usd or 0.0, unsure_usd=unsure_usd)
        session = session.evolve(num_turns=session.num_turns + 1, usage=session.usage + turn.usage)
        if known is not None and session.cost_usd is not None:
            return session.evolve(cost_usd=round(session.cost_usd + known, 6), held_usd=0.0)
        unsure = session.spent_usd if known is None else session.unsure_usd + known
        return session.evolve(cost_usd=None, unsure_usd=round(unsure, 6), held_usd=0.0)

    def write_off(self, session: Session, *, billed: bool, at_most: Usage | None = None) -> Session:
        """Book a call that returned no turn.

        Where it may have been billed, its cost is at most that of `at_most`, its known maximum use, or else the
        reserved money. Nothing is reserved after it, so that a second write-off costs nothing.
        """
        known = self.price(session.model, at_most) if at_most else None
        usd = (session.held_usd if known is None else known) if billed and session.held_usd else 0.0
        self._record_cost(session, usd, unsure_usd=usd)
        return session.evolve(unsure_usd=round(session.unsure_usd + usd, 6), held_usd=0.0)

    async def close(self, session: Session, outcome: Outcome, reason: str = "") -> Session:
        """Save the final record, and remember it for its thread.

        A failing disk loses no answer: the state saved before remains.
        """
        now = self._clock.now()
        duration = round((now - session.started_at).total_seconds() * 1000)
        reason = self.redact(reason)
        self._reserved.pop(session.session_id, None)
        session = session.evolve(outcome=outcome, reason=reason, duration_ms=duration, saved_at=now)
        await self._save_end(session)
        say = log.info if outcome == "answered" else log.warning
        cost = "cost unknown" if session.cost_usd is None else format_cost(sum_sessions([session]), places=4)
        say("session %s: %s, %s; %s", session.session_id, outcome, cost, reason or "no complaint")
        return session

    def _record_cost(self, session: Session, usd: float, *, unsure_usd: float) -> None:
        if (held := self._reserved.get(session.session_id)) is not None:
            self._reserved[session.session_id] = max(0.0, round(held - usd, 6))  # the rest keeps the answer possible
        self._start_day()
        for counter in (self._today, self._total):
            counter.add(session, usd, unsure_usd=unsure_usd)
        if self._today.usd >= round(TELL_AT * self.cap, 6):
            cost = format_cost(self._today.read())
            self._say("near", f"The agents have cost {cost}; today's limit is ${self.cap:.2f}. {_ALLOW_MORE}")

    async def _save_reserved(self, session: Session, before: float | None) -> Session:
        """Save what a session reserves, and return it; if that fails, it reserves as much as before."""
        try:
            await self._sessions.save(session)
            return session
        except BaseException:
            del self._reserved[session.session_id]
            if before is not None:
                self._reserved[session.session_id] = before
            raise

    async def _save_end(self, session: Session) -> None:
        try:
            await self._sessions.save(session)
        except TriageError as problem:
            log.warning("session %s: %s", session.session_id, problem)
        self._ended.add(session)
        self._start_day()
        for counter in (self._today, self._total) if sum_sessions([session]).unknown_runs else ():
            counter.add_unknown(session)

    def _say(self, what: str, line: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            self._tell(line)

    def _start_day(self) -> None:
        today = self._clock.now().date()
        if today != self._day:
            self._day, self._today, self._allowed = today, CostCounter(), 0.0
            self._warned.clear()
