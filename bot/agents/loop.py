"""Agent loop: ask the model, run the tools that it calls, return their results to it, until it answers.

The history only grows, so that its beginning stays cached. All limits are checked in one place before each turn. A
tool's failure is an observation for the model; a model that goes in circles is warned, then stopped.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.answers import Form, InvalidAnswer, correction, is_prose, parse_answer, response_form
from bot.agents.run import Run, Task
from bot.agents.run_state import End, RunState, broken_off, not_run, start_run
from bot.agents.unchecked_notes import clip_notes
from bot.decide.limits import Spent, estimate_next_usage, is_last, reached
from bot.decide.loopguard import Circle, find_circle, find_same_error, sign_call, sign_failure
from bot.errors import OverCap, Stalled, TriageError
from bot.models.turn import CodeMessage, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.ledger import Ledger
    from bot.models.turn import Call, Turn
    from bot.ports.outbound import Clock, Model

log = logging.getLogger(__name__)

LAST_TURN = "This is your last turn. Call no more tools: give your answer now, with what you have."
CUT = "Your answer was cut at the length limit. Give the whole answer again, shorter."

CUT_REASON = "was cut at the length limit"
RIVALS = "Your answer has several JSON objects of the form, and they differ. Answer again with the one that counts."

CUT_CALL = "the turn was cut at the length limit"

_GRACE = 1.0
"""Seconds that a run may exceed its limit, since its last call has its own timeout."""


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Runner of tasks on one model, any number concurrently."""

    model: Model
    ledger: Ledger
    clock: Clock

    async def run(self, task: Task[Form]) -> Run[Form]:
        """Run a task within its limits. Raises `Unreachable`, `OverCap`, `NoKey` and other errors of the model's
        adapter.

        The session and the run are saved, however it ends.
        """
        state = start_run(task, model=self.model.name, now=self.clock.now(), new_id=self.clock.new_id())
        try:
            async with asyncio.timeout(max(0.0, task.limits.seconds - task.spent.seconds) + _GRACE):
                end = await self._run_turns(state)
        except TimeoutError:
            state.session = self.ledger.write_off(state.session, billed=True)
            end = End("limit", f"it took longer than {task.limits.seconds:g} s", why="limit")
        except (Exception, asyncio.CancelledError) as problem:
            ours = isinstance(problem, TriageError)
            state.session = self.ledger.write_off(
                state.session,
                billed=getattr(problem, "billed", not ours),
                at_most=getattr(problem, "at_most", None),
            )
            if state.held is None or not isinstance(problem, Exception):
                run = await self._close_run(state, broken_off(problem))
                if isinstance(problem, TriageError):
                    problem.unchecked_notes = max(run.unchecked_notes, clip_notes(problem.unchecked_notes), key=len)
                raise
            if not ours:
                log.exception("session %s: its last answer counts", state.session.session_id)
            end = broken_off(problem)
        return await self._close_run(state, state.settle(end))

    async def _close_run(self, state: RunState[Form], end: End[Form]) -> Run[Form]:
        session = await self.ledger.close(state.session, end.outcome, end.reason)
        run = Run(
            answer=end.answer,
            session=session,
            history=tuple(state.history),
            changes=state.held.changes if state.held and end.answer is not None else (),
            why=end.why,
            spent=self._sum_spent(state),
        )
        if state.task.journal and end.outcome != "cancelled":  # the task's status shows that
            await state.task.journal.record_end(session.outcome, session.reason)
        if state.task.keep:
            await state.task.keep(run)
        return run

    async def _run_turns(self, state: RunState[Form]) -> End[Form]:
        limits = state.task.limits
        while True:
            spent = self._sum_spent(state)
            ahead = estimate_next_usage(
                state.last.usage if state.last else None, state.new_bytes, self.model.max_output
            )
            price = self.ledger.price(self.model.name, ahead)
            if full := reached(limits, spent, ahead, price):
                if full.outcome == "over_cap":
                    raise OverCap(full.reason, limit="run")
                return End(full.outcome, full.reason, why=full.outcome)
            last = is_last(limits, spent, ahead, price)
            if last:
                state.add_entry(CodeMessage(LAST_TURN))
            state.session = await self.ledger.reserve(state.session, ahead)
            turn = await self.model.reply(
                tuple(state.history),
                state.forms,
                response_form(state.task.form),
                limits.seconds - spent.seconds,
                limits.idle_seconds,
            )
            state.session = self.ledger.book(state.session, turn)
            state.add_turn(turn)
            if state.task.on_calls:
                state.task.on_calls(turn.calls)
            if state.task.journal:
                await state.task.journal.record_turn(turn)
            if end := await self._handle_turn(state, turn, last=last):
                return end
            if last:
                return End("limit", "it gave no answer in the last turn within its limits", why="limit")

    def _sum_spent(self, state: RunState[Form]) -> Spent:
        session = state.session
        return state.task.spent.plus(
            Spent(
                turns=session.num_turns,
                seconds=(self.clock.now() - session.started_at).total_seconds(),
                tokens=session.usage.total,
                usd=session.cost_usd,
                tool_bytes=state.tool_bytes,
            )
        )

    async def _handle_turn(self, state: RunState[Form], turn: Turn, *, last: bool) -> End[Form] | None:
        """Handle a turn: return the end of the run, or `None` for another turn."""
        match turn.stop:
            case "refused":
                return End("refused", "the model refused to answer")
            case "full":
                return End("limit", "the conversation no longer fits into the model's context window", why="limit")
            case "paused":
                return None
            case "calls":
                return None if last else await self._run_calls(state, turn.calls)
            case "cut":
                if turn.calls:  # each call needs a result; the last call's input may be cut
                    state.add_entry(Results(tuple(not_run(call, CUT_CALL) for call in turn.calls)))
                elif not is_prose(state.task.form):  # the answer may be whole, and only what follows it cut
                    return await self._take_answer(state, turn.text, is_cut=True)
                return self._request_correction(state, CUT, CUT_REASON)
            case "answered":
                return await self._take_answer(state, turn.text)

    async def _take_answer(self, state: RunState[Form], text: str, *, is_cut: bool = False) -> End[Form] | None:
        """Return the end of the run with the answer in `text`, or `None` after it was sent back."""
        task = state.task
        try:
            parsed = parse_answer(task.form, text, task.shorten)
        except InvalidAnswer as problem:
            if is_cut:
                return self._request_correction(state, CUT, CUT_REASON)
            return self._request_correction(state, correction(task.form, problem), f"cannot be used: {problem}")
        state.held = parsed
        if parsed.rivals and state.corrections < task.limits.corrections:
            return self._request_correction(state, RIVALS, "has several JSON objects of the form")
        if task.check and not state.is_checked:
            state.is_checked = True
            if faults := await task.check(parsed.answer, parsed.changes):
                if task.journal:
                    await task.journal.say(f"The answer goes back: {faults}")
                state.add_entry(CodeMessage(faults))
                return None
        return End("answered", answer=parsed.answer)

    def _request_correction(self, state: RunState[Form], ask: str, wrong: str) -> End[Form] | None:
        """Ask for a corrected answer, up to the limit."""
        state.corrections += 1
        if state.corrections > state.task.limits.corrections:
            return End("unusable", f"the model's answer {wrong} (attempt {state.corrections})")
        state.add_entry(CodeMessage(ask))
        return None

    async def _run_calls(self, state: RunState[Form], calls: Sequence[Call]) -> End[Form] | None:
        """Run the calls of a turn, unless the model goes in a circle."""
        wanted = [sign_call(call.tool, call.input) for call in calls]
        circles: list[Circle] = []
        for call in wanted[: state.task.limits.calls_per_turn]:  # the others are not run
            state.calls.append(call)
            if noticed := find_circle(state.calls):
                circles.append(noticed)
        if stop := next((noticed for noticed in circles if noticed.must_stop), None):
            return End("loop", f"the model went in a circle: {stop.reason}", why=stop.why)
        idle = state.task.limits.idle_seconds
        try:
            async with asyncio.timeout(idle):
                results = await state.tool_runner.run(
                    calls, bytes_left=state.task.limits.tool_bytes - self._sum_spent(state).tool_bytes
                )
        except TimeoutError:
            silent = " and ".join(dict.fromkeys(call.tool for call in calls))
            return End("stalled", str(Stalled(f"{silent} did not come back", seconds=idle)), why="stalled")
        if state.task.journal:
            await state.task.journal.record_results(calls, results)
        state.session = state.session.with_calls(len(calls), state.tool_runner.failed(calls, results))
        state.tool_bytes += sum(len(result.text.encode()) for result in results)
        state.add_entry(Results(results))
        for call, result in zip(wanted, results, strict=True):
            if result.failed:
                state.errors.append(sign_failure(call, result.text))
                if noticed := find_same_error(state.errors):
                    return End("loop", f"the model went in a circle: {noticed.reason}", why=noticed.why)
        if circles:
            state.add_entry(
                CodeMessage(f"You are going in a circle: {circles[-1].reason}. Try something else, or answer.")
            )
        is_done = state.task.is_closed() and all(result.was_run and not result.failed for result in results)
        return End("answered") if is_done else None
