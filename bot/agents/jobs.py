"""Jobs of the leader: each of its runs is deferred once, and waited for, whichever replica does it.

Money: before a run is deferred, the leader holds what it may cost against the day's cap, in its ledger and on record.
A worker has that sum for all attempts of the run together, saves the maximal cost of each call of the model before it
makes it, and begins with what earlier attempts saved. At the end the leader books what all attempts cost and frees the
rest. So a kill never resets a cap; the worst case of one is that the call under way counts in full although it was not
billed, and that the next attempt has less money left. A worker that is stopped during a call and wakes up after a
take-over makes no further call: that one call is what it may have cost, and it is counted. What is held for runs under
way is missing from the day, up to a run's cap for each of them; a run that finds too little left waits for those.

A new leader finds the jobs of its runs by their keys and waits for them; it defers none a second time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.ledger import LONGEST_PROCESS
from bot.errors import OverCap, TriageError
from bot.models.session import IN_JOB, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.agents.ledger import Ledger
    from bot.models.job import JobKind, JobOrder, JobOutcome, JobResult, JobState
    from bot.models.session import Outcome
    from bot.ports.jobs import JobQueue
    from bot.ports.outbound import Clock, Sessions
    from bot.runtime.seats import Seats

log = logging.getLogger(__name__)

LEAST_SHARE = 0.1
"""Share of a run's cap that the day must have left: with less it would end before it has found anything."""
TENDED_EVERY = 5.0
"""Seconds between two looks for jobs that nobody waits for."""
CALLED_OFF = "the investigation was called off"


@dataclass(frozen=True, kw_only=True)
class RunCost:
    """What a run may cost, and whom."""

    agent: str
    model: str
    usd: float
    """US dollars at most."""
    parent_session_id: str | None = None


@dataclass(kw_only=True)
class JobRuns:
    """Runs of the leader. `is_ending` is true once this process ends: then jobs are left to the next leader."""

    queue: JobQueue
    sessions: Sessions
    clock: Clock
    ledger: Ledger | None
    """`None` where nothing asks a model."""
    is_ending: Callable[[], bool]
    seats: Seats
    """Investigations that are deferred at the same time: as many as all workers have seats, for one that waits has no
    deadline before."""
    ended: Counter[tuple[JobKind, JobOutcome]] = field(default_factory=Counter)
    """Jobs whose end this process saw."""
    _waiting: dict[int, asyncio.Event] = field(default_factory=dict)
    _holding: set[str] = field(default_factory=set)
    """Sessions that hold money."""
    _freed: asyncio.Event = field(default_factory=asyncio.Event)
    _has_workers: bool = True
    _is_left: bool = False

    async def begin(self) -> None:
        """Free the money of runs that the last leader held and did not defer."""
        await self._count_seats()
        since = self.clock.now().date() - LONGEST_PROCESS
        for session in await self.sessions.list_since(since):
            if session.is_job and session.has_process and not await self.queue.has_session(session.session_id):
                await self._book(session, [], "died", "the leader ended before it")

    async def run(self, order: JobOrder, cost: RunCost | None) -> JobResult:
        """Return the result of a run. Raises `OverCap` where a validation has no money, and `TriageError`."""
        state = await self.queue.find(order.run_key)
        job_id = state.job_id if state else await self._defer(order, cost)
        changed = self._waiting.setdefault(job_id, asyncio.Event())
        try:
            while True:
                changed.clear()
                state = await self.queue.read(job_id)
                if state is None:
                    raise TriageError(CALLED_OFF)
                if state.outcome:
                    break
                await self._mirror(state)
                self._leave_if_asked()
                await changed.wait()
            await self._settle(state)
        except asyncio.CancelledError:
            await self._call_off(job_id)
            raise
        finally:
            self._waiting.pop(job_id, None)
        if state.result is None:
            raise TriageError(CALLED_OFF)
        return state.result

    def leave(self) -> None:
        """End each run here as if cancelled: this process ends, its job goes on, and the next leader waits for it."""
        self._is_left = True
        self.wake("")
        self._freed.set()

    def _leave_if_asked(self) -> None:
        if self._is_left:
            raise asyncio.CancelledError("this process ends; the job goes on")

    async def watch(self) -> None:
        """Wake those who wait for jobs, until cancelled."""
        async for word in self.queue.changes():
            self.wake(word)

    def wake(self, word: str) -> None:
        """Wake who waits for the job with this id, or for an empty text all."""
        for event in (self._waiting.get(int(word)),) if word else tuple(self._waiting.values()):
            if event:
                event.set()

    async def tend(self) -> None:
        """Call off what nobody waits for, book what it cost, and remove what is old, until cancelled."""
        while True:
            await self.clock.sleep(TENDED_EVERY)
            try:
                await self.tend_once()
            except TriageError as problem:
                log.warning("jobs are not tended: %s", problem)

    async def tend_once(self) -> None:
        """Do it once. Raises `TriageError`."""
        await self._count_seats()
        await self.queue.abort_orphans()
        for state in await self.queue.list_unsettled(besides=[*self._waiting]):
            await self._settle(state)
        await self.queue.remove_old()

    async def _count_seats(self) -> None:
        seats = await self.queue.count_seats()
        if not seats and self._has_workers:
            log.warning("no replica investigates: questions wait for one with workers (docs/replicas.md)")
        elif seats and not self._has_workers:
            log.warning("replicas investigate again, up to %d questions at a time", seats)
        self._has_workers = seats > 0
        self.seats.set_limit(max(1, seats))

    async def _defer(self, order: JobOrder, cost: RunCost | None) -> int:
        """Hold the money and defer the job, also if the run is called off meanwhile: it is called off then."""
        if cost and self.ledger:
            await self._wait_for_money(cost.usd, self.ledger)
        deferring = asyncio.ensure_future(self._hold_and_defer(order, cost))
        try:
            return await asyncio.shield(deferring)
        except asyncio.CancelledError:
            await self._call_off(await deferring)
            raise

    async def _hold_and_defer(self, order: JobOrder, cost: RunCost | None) -> int:
        if cost and self.ledger:
            try:
                order = await self._hold(order, cost, self.ledger)
            except OverCap as problem:
                if order.kind == "validation":
                    raise
                order = order.evolve(refusal=str(problem))
        return await self.queue.defer(order)

    async def _wait_for_money(self, usd: float, ledger: Ledger) -> None:
        """Wait until the day has enough for a run, or no run is under way that may free some."""
        while self._holding and round(ledger.cap - ledger.spent, 6) < LEAST_SHARE * usd:
            self._leave_if_asked()
            self._freed.clear()
            await self._freed.wait()

    async def _hold(self, order: JobOrder, cost: RunCost, ledger: Ledger) -> JobOrder:
        now = self.clock.now()
        session = Session(
            session_id=f"{now:%Y%m%dT%H%M%S}{IN_JOB}{self.clock.new_id()}",
            agent=cost.agent,
            model=cost.model,
            parent_session_id=cost.parent_session_id,
            thread_id=order.thread_id or None,
            started_at=now,
            saved_at=now,
        )
        session = await ledger.hold(session, cost.usd, least=LEAST_SHARE * cost.usd)
        self._holding.add(session.session_id)
        return order.evolve(session_id=session.session_id, usd=session.held_usd)

    async def _call_off(self, job_id: int) -> None:
        if self.is_ending():
            return
        try:
            await asyncio.shield(self.queue.abort(job_id))
        except TriageError as problem:
            log.warning("job %d is not called off yet: %s", job_id, problem)

    async def _mirror(self, state: JobState) -> None:
        """Copy the figures of a run into its record; all that it holds stays held."""
        record = await self._read(state)
        if record is None or self.ledger is None or not state.sessions:
            return
        own = add_up(state.sessions)
        held = max(0.0, round(state.order.usd - (own.cost_usd or 0.0) - own.unsure_usd, 6))
        copy = record.with_account(own).evolve(held_usd=held)
        if copy != record:
            await self.ledger.mirror(copy)

    async def _settle(self, state: JobState) -> None:
        """Book an ended run, once."""
        if state.is_settled:
            return
        if (record := await self._read(state)) and record.has_process:
            problem = state.result.problem if state.result else None
            reason = problem.text if problem else "" if state.result else CALLED_OFF
            outcome: Outcome = state.sessions[-1].outcome if state.sessions else "running"
            if outcome == "running":
                outcome = "died" if state.result else "cancelled"
            await self._book(record, state.sessions, outcome, state.sessions[-1].reason if state.sessions else reason)
        await self.queue.settle(state.job_id)
        if state.outcome:
            self.ended[state.order.kind, state.outcome] += 1

    async def _book(self, record: Session, accounts: Sequence[Session], outcome: Outcome, reason: str) -> None:
        now = self.clock.now()
        free = {"cost_usd": 0.0, "unsure_usd": 0.0}
        final = record.with_account(add_up(accounts)) if accounts else record.evolve(**free)
        final = final.evolve(
            held_usd=0.0,
            outcome=outcome,
            reason=reason,
            duration_ms=round((now - record.started_at).total_seconds() * 1000),
            saved_at=now,
        )
        if self.ledger:
            await self.ledger.settle(final)
        self._holding.discard(final.session_id)
        self._freed.set()

    async def _read(self, state: JobState) -> Session | None:
        if not state.order.session_id:
            return None
        return next(iter(await self.sessions.read([state.order.session_id])), None)


def add_up(accounts: Sequence[Session]) -> Session:
    """Return the sum of the accounts of a run's attempts; what a dead one held counts as spent."""
    total = accounts[0].with_figures(accounts[1:])
    return total.evolve(unsure_usd=round(total.unsure_usd + total.held_usd, 6), held_usd=0.0)
