"""Agent loop: ask the model, run the tools that it calls, return their results to it, until it answers.

The history only grows, and tools are only added, so that its beginning stays cached. Each turn is planned within all
limits in one place; a call of the last turn is answered with the request for an answer. A tool's failure is an
observation for the model; a model that goes in circles is warned, asked for its answer, then stopped. While its server
fails for the moment, the run waits.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.answers import Form, InvalidAnswer, choose_rival, correction, is_prose, parse_answer
from bot.agents.last_turn import begin_last_turn, note, stop_circle, warn_of_circle
from bot.agents.patience import build_failure, describe_turns, wait_for_server
from bot.agents.run import Run, Task
from bot.agents.run_state import ANSWER_NOW, RESULT_FRAMING, End, RunState, broken_off, not_run, start_run
from bot.agents.unchecked_notes import clip_notes
from bot.decide.limits import Reached, Spent
from bot.decide.loopguard import Circle, find_circle, find_same_error, sign_call, sign_failure
from bot.decide.turn_plan import Money, TurnPlan, find_result_room, plan_turn
from bot.errors import NoKey, OverCap, Stalled, TriageError, Unreachable
from bot.models.turn import CodeMessage, Results, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.key_notice import KeyNotice
    from bot.agents.ledger import Ledger
    from bot.agents.run import Continued
    from bot.models.turn import Call, Turn
    from bot.ports.outbound import Clock, Model

log = logging.getLogger(__name__)

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
    key_notice: KeyNotice | None = None
    continued: Continued | None = None
    """What earlier processes left of the one run of this loop."""

    async def run(self, task: Task[Form]) -> Run[Form]:
        """Run a task within its limits. Raises `Unreachable`, `OverCap`, `NoKey` and other errors of the model's
        adapter.

        The session and the run are saved, however it ends.
        """
        if self.continued:
            task = replace(task, session_id=self.continued.session_id, spent=task.spent.plus(self.continued.spent))
        state = start_run(task, model=self.model, now=self.clock.now(), new_id=self.clock.new_id())
        try:
            async with asyncio.timeout(max(0.0, task.limits.seconds - task.spent.seconds) + _GRACE):
                end = await self._run_turns(state)
        except TimeoutError:
            state.session = self.ledger.write_off(state.session, billed=True)
            end = End("limit", f"it took longer than {task.limits.seconds:g} s", why="limit")
        except (Exception, asyncio.CancelledError) as problem:
            ours = isinstance(problem, TriageError)
            if isinstance(problem, NoKey) and self.key_notice:
                self.key_notice.report(problem)
            state.session = self.ledger.write_off(
                state.session,
                billed=getattr(problem, "billed", not ours),
                at_most=getattr(problem, "at_most", None),
            )
            if state.held is None or not isinstance(problem, Exception):
                run = await self._close_run(state, broken_off(problem))
                if isinstance(problem, TriageError):
                    broken = max([problem.unchecked_notes, *state.broken_texts], key=len)
                    problem.unchecked_notes = max(run.unchecked_notes, clip_notes(broken), key=len)
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
            broken_texts=tuple(state.broken_texts),
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
        while True:
            for text in await state.task.before_turn(state.session) if state.task.before_turn else ():
                state.add_entry(CodeMessage(text))
            plan = self._plan_turn(state)
            if isinstance(plan, Reached):
                return self._end_at_limit(state, plan)
            if plan.last and not state.last_limit:
                await begin_last_turn(state, plan.last)
                continue
            turn = await self._request_turn(state, plan)
            if turn and (end := await self._handle_turn(state, turn)):
                return end

    def _plan_turn(self, state: RunState[Form]) -> TurnPlan | Reached:
        since = (self.clock.now() - state.requested_at).total_seconds()
        return plan_turn(
            state.task.limits,
            self._sum_spent(state),
            replace(state.conversation, seconds=since),
            self._count_money(state),
            begins=bool(state.forms) and not state.session.num_turns and not state.task.goes_on,
            more_turns=1 if state.last_limit and state.held is None else 0,
        )

    def _find_room(self, state: RunState[Form], calls: int) -> int:
        """Return the bytes for which the results of so many calls have room."""
        limits, spent = state.task.limits, self._sum_spent(state)
        money, framing = self._count_money(state), calls * RESULT_FRAMING
        room = find_result_room(limits, spent, state.conversation, money, framing=framing)
        return min(limits.tool_bytes - spent.tool_bytes, room)

    def _count_money(self, state: RunState[Form]) -> Money:
        return Money(
            price=lambda usage: self.ledger.price(self.model.name, usage),
            of_run=state.task.limits.usd,
            of_day=self.ledger.money_left(state.session),
        )

    def _end_at_limit(self, state: RunState[Form], limit: Reached) -> End[Form]:
        """Return the end of a run without room for a turn. Raises `OverCap` where another engine may answer."""
        if state.failures:
            raise build_failure(state, limit.reason)
        if state.circle:
            return state.end_without_answer()
        if limit.of_day:
            raise self.ledger.refuse(state.session, limit.of_day)
        if state.last_limit:
            return state.end_without_answer()
        if limit.outcome == "over_cap":
            raise OverCap(limit.reason, limit="run")
        return End(limit.outcome, limit.reason, why=limit.outcome)

    async def _request_turn(self, state: RunState[Form], plan: TurnPlan) -> Turn | None:
        """Return the model's turn; `None` after a wait for its server."""
        limits, usage, now = state.task.limits, plan.max_usage, self.clock.now()
        state.session = await self.ledger.reserve(state.session, usage, keep_usd=plan.keep_usd)
        try:
            seconds = limits.seconds - self._sum_spent(state).seconds
            turn = await self.model.reply(state.to_request(seconds=seconds, max_output=usage.output_tokens))
        except Unreachable as problem:
            state.session = self.ledger.write_off(state.session, billed=problem.billed, at_most=problem.at_most)
            seconds_left = limits.seconds - self._sum_spent(state).seconds
            await wait_for_server(self.clock, state, problem, seconds_left=seconds_left)
            return None
        except TriageError as problem:
            problem.args = (f"{problem}{describe_turns(state)}",)
            raise
        state.session = self.ledger.book(state.session, turn)
        state.add_turn(turn, usage, now)
        if state.task.on_calls:
            state.task.on_calls(turn.calls)
        if state.task.journal:
            await state.task.journal.record_turn(turn)
        return turn

    def _sum_spent(self, state: RunState[Form]) -> Spent:
        session = state.session
        has_price = self.ledger.price(self.model.name, Usage()) is not None
        return state.task.spent.plus(
            Spent(
                turns=session.num_turns,
                seconds=(self.clock.now() - session.started_at).total_seconds(),
                tokens=session.usage.total + state.uncounted_tokens,
                usd=session.spent_usd if has_price else None,
                tool_bytes=state.tool_bytes,
            )
        )

    async def _handle_turn(self, state: RunState[Form], turn: Turn) -> End[Form] | None:
        """Handle a turn: return the end of the run, or `None` for another turn."""
        match turn.stop:
            case "refused":
                return End("refused", "the model refused to answer")
            case "full":
                return End("limit", "the conversation no longer fits into the model's context window", why="limit")
            case "paused":
                return None
            case "calls":
                state.hold_answer_beside_calls(turn)
                if state.has_refused_calls and not any(state.may_run(call) for call in turn.calls):
                    return state.end_without_answer()
                return await self._run_calls(state, turn.calls)
            case "cut":
                if turn.calls:  # each call needs a result; the last call's input may be cut
                    state.add_entry(Results(tuple(not_run(call, CUT_CALL) for call in turn.calls)))
                elif not is_prose(state.task.form):  # the answer may be whole, and only what follows it cut
                    return await self._take_answer(state, turn.text, is_cut=True)
                return await self._request_correction(state, CUT, CUT_REASON)
            case "answered":
                return await self._take_answer(state, turn.text)

    async def _take_answer(self, state: RunState[Form], text: str, *, is_cut: bool = False) -> End[Form] | None:
        """Return the end of the run with the answer in `text`, or `None` after it was sent back."""
        task = state.task
        try:
            parsed = parse_answer(task.form, text, task.shorten)
        except InvalidAnswer as problem:
            if is_cut:
                return await self._request_correction(state, CUT, CUT_REASON)
            return await self._request_correction(state, correction(task.form, problem), f"cannot be used: {problem}")
        if parsed.rivals and state.corrections < task.limits.corrections:
            state.held = parsed
            return await self._request_correction(state, RIVALS, "has several JSON objects of the form")
        state.held = parsed = choose_rival(parsed, task.choose)
        if task.check and not state.is_checked:
            state.is_checked = True
            if faults := await task.check(parsed.answer, parsed.changes):
                await note(state, f"The answer goes back: {faults}")
                state.add_entry(CodeMessage(faults))
                return None
        return End("answered", answer=parsed.answer)

    async def _request_correction(self, state: RunState[Form], ask: str, wrong: str) -> End[Form] | None:
        """Ask for a corrected answer, up to the limit."""
        state.corrections += 1
        if state.corrections > state.task.limits.corrections:
            return End("unusable", f"the model's answer {wrong} (attempt {state.corrections})")
        await note(state, f"The answer goes back: it {wrong}")
        state.add_entry(CodeMessage(ask))
        return None

    async def _run_calls(self, state: RunState[Form], turn_calls: Sequence[Call]) -> End[Form] | None:
        """Run the calls of a turn; in the last turn only those that answer.

        A model that goes in a circle is told that its next turn is the last; the next circle ends the run.
        """
        calls = [call for call in turn_calls if state.may_run(call)]
        wanted = [sign_call(call.tool, call.input) for call in calls]
        circles: list[Circle] = []
        for call in dict.fromkeys(wanted[: state.task.limits.calls_per_turn]):  # the others are not run
            state.calls.append(call)  # a call that is made twice in one turn is no circle: its answer was not read yet
            if noticed := find_circle(state.calls):
                circles.append(noticed)
        if stop := next((noticed for noticed in circles if noticed.must_stop), None):
            return await stop_circle(state, stop, turn_calls)
        idle = state.task.limits.idle_seconds
        try:
            async with asyncio.timeout(idle):
                results = await state.tool_runner.run(calls, room=self._find_room(state, len(turn_calls)))
        except TimeoutError:
            silent = " and ".join(dict.fromkeys(call.tool for call in calls))
            return End("stalled", str(Stalled(f"{silent} did not come back", seconds=idle)), why="stalled")
        runner = state.tool_runner
        state.session = state.session.with_calls(runner.count_run(calls, results), runner.failed(calls, results))
        state.tool_bytes += sum(len(result.text.encode()) for result in results)
        in_order = iter(results)
        told = [next(in_order) if state.may_run(call) else not_run(call, ANSWER_NOW) for call in turn_calls]
        state.has_refused_calls = len(calls) < len(turn_calls)
        if state.task.journal:
            await state.task.journal.record_results(turn_calls, told)
        state.add_entry(Results(tuple(told)))
        state.add_loaded_tools()
        failures = (sign_failure(call, r.text) for call, r in zip(wanted, results, strict=True) if r.failed)
        for failure in dict.fromkeys(failures):
            state.errors.append(failure)
            if noticed := find_same_error(state.errors):
                return await stop_circle(state, noticed)
        if circles:
            await warn_of_circle(state, circles[-1])
        is_done = state.task.is_closed() and all(result.was_run and not result.failed for result in results)
        return End("answered") if is_done else None
