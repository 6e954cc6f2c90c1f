"""Execution of a turn's tool calls: concurrent where all of them only read; each failure is a result.

The model is not trusted: unknown tools, invalid inputs, too many calls and too long results all return an error text.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import ToolError
from bot.models.turn import Call, Result
from bot.tools.guard import explain_budget, limit_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.decide.limits import RunLimits
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

_MAX_NAME_SHOWN = 80
_ASK_FOR_LESS = "ask for less per call to see the rest, such as a range of lines, a narrower search or one file"


@dataclass(frozen=True, kw_only=True)
class ToolRunner:
    """Tools of one run, by name."""

    tools: Mapping[str, Tool]
    limits: RunLimits

    async def run(self, calls: Sequence[Call], *, room: int) -> tuple[Result, ...]:
        """Return a result for each call, in order; results of executed calls have at most `room` bytes together.

        A call is run only when a useful part of its result fits, and its tool is told how much, so that everything
        opened is shown to the model. A call that closes the run needs no room: nothing reads its result.
        """
        limits = self.limits
        fitting = room // limits.least_result
        taken = [
            at
            for at, call in enumerate(calls[: limits.calls_per_turn])
            if at < fitting or ((tool := self.tools.get(call.tool)) and tool.is_closing)
        ]
        share = max(limits.least_result, min(limits.result_bytes, room // max(1, len(taken))))
        accepted = [calls[at] for at in taken]
        tools = [tool for call in accepted if (tool := self.tools.get(call.tool))]
        is_budget = share < limits.result_bytes
        with limit_answers(share, is_budget=is_budget):
            if all(tool.is_read_only for tool in tools):
                done: Sequence[Result] = await asyncio.gather(*(self._run_call(call) for call in accepted))
            else:
                done = await self._in_turn(accepted)
        hint = "" if is_budget else _ASK_FOR_LESS
        short = (replace(result, text=cut(result.text, share, hint)) for result in done)
        results = dict(zip(taken, short, strict=True))
        reason = f"not run: at most {limits.calls_per_turn} calls are taken in one turn"
        if fitting < limits.calls_per_turn:
            reason = "not run: there is no room for more results in this run"
        return tuple(
            results.get(at) or Result(call_id=call.call_id, text=reason, was_run=False) for at, call in enumerate(calls)
        )

    async def _in_turn(self, calls: Sequence[Call]) -> list[Result]:
        """Run calls in sequence; a call that closes the run is executed last, in whatever position it is."""
        closing = {tool.name for tool in self.tools.values() if tool.is_closing}
        order = sorted(range(len(calls)), key=lambda at: calls[at].tool in closing)
        done = {at: await self._run_call(calls[at]) for at in order}
        return [done[at] for at in range(len(calls))]

    def count_run(self, calls: Sequence[Call], results: Sequence[Result]) -> int:
        """Return the number of calls that were run; a call of a tool that is not there never is."""
        return sum(result.was_run and call.tool in self.tools for call, result in zip(calls, results, strict=True))

    def failed(self, calls: Sequence[Call], results: Sequence[Result]) -> tuple[str, ...]:
        """Return the names of tools that ran and failed, once per call; unknown names do not count."""
        return tuple(
            call.tool for call, result in zip(calls, results, strict=True) if result.failed and call.tool in self.tools
        )

    async def _run_call(self, call: Call) -> Result:
        tool = self.tools.get(call.tool)
        if tool is None:
            names = ", ".join(sorted(self.tools)) or "none"
            return _build_failure(call, f"there is no tool {call.tool[:_MAX_NAME_SHOWN]!r}; the tools are: {names}")
        try:
            arguments = tool.input.model_validate(call.input)
        except ValidationError as problem:
            errors = problem.errors(include_input=False, include_url=False)[:3]
            messages = "; ".join(f"{'.'.join(map(str, error['loc'])) or 'input'}: {error['msg']}" for error in errors)
            return _build_failure(call, f"the input does not fit: {messages}")
        try:
            return Result(call_id=call.call_id, text=await tool.run(arguments))
        except ToolError as problem:
            return _build_failure(call, str(problem))
        except Exception:  # a broken tool never ends the run; the log has the cause
            log.exception("the tool %s failed", tool.name)
            return _build_failure(call, "the tool failed; try another way")


def cut(text: str, limit: int, hint: str = _ASK_FOR_LESS) -> str:
    """Return `text`, or its first whole lines of at most `limit` bytes with a hint on how to see more.

    Without a `hint` it was the run's budget that cut it.
    """
    content = text.encode()
    if len(content) <= limit:
        return text
    head = content[:limit].decode(errors="ignore")
    head = head[: head.rfind("\n") + 1] or head
    if not hint:
        return f"{head}\n[{explain_budget(len(head))}]"
    return f"{head}\n[cut: {len(head.encode()):,} of {len(content):,} bytes are shown; {hint}]"


def _build_failure(call: Call, reason: str) -> Result:
    return Result(call_id=call.call_id, text=reason, failed=True)
