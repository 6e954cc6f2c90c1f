"""Ends of runs of tiers 2 and 3: the result that a process left, or the reason why there is none."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.escalation.handoffs import Judgement
from bot.models.escalation import HeadlessReturn, TierEnd
from bot.models.fact import Fact
from bot.models.session import Outcome
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from bot.escalation.folder import RunFolder
    from bot.escalation.handoffs import Handoffs
    from bot.escalation.money import ProcessMoney
    from bot.models.escalation import EscalationTask

log = logging.getLogger(__name__)


class KillOrder(Fact):
    """Reason why the bot ended a run: content of `kill.json`."""

    outcome: Outcome
    reason: str


@dataclass(frozen=True, kw_only=True)
class EndReader:
    """Reader of ends; it books the cost of each run once."""

    handoffs: Handoffs
    money: ProcessMoney

    async def conclude(self, folder: RunFolder, task: EscalationTask) -> TierEnd:
        """Return the end of a run whose process is gone, the same at each call."""
        returned = await asyncio.to_thread(read_end, folder, task)
        try:
            judgement = await asyncio.to_thread(self.handoffs.take, folder, task, returned)
        except (OSError, Unreadable) as problem:  # its report counts all the same
            judgement = Judgement(refusal=f"the handoff of tier {task.tier} could not be taken: {problem}")
            record_event("critical", task.session_id, f"Escalation blocked: {judgement.refusal}")
        await self._settle(folder, task, returned)
        return _combine(task, returned, judgement)

    async def settle(self, folder: RunFolder, task: EscalationTask, outcome: Outcome, reason: str) -> None:
        """Book the cost of a run that nothing waits for, with this end unless it left one itself."""
        returned = _without_report(task, outcome, reason)
        if await asyncio.to_thread(folder.is_current, task.session_id):
            own = await asyncio.to_thread(read_end, folder, task)
            returned = returned if own.outcome == "died" else own
        await self._settle(folder, task, returned)

    async def _settle(self, folder: RunFolder, task: EscalationTask, returned: HeadlessReturn) -> None:
        if not await self.money.settle(folder, task, returned):
            return
        ended = f"Tier {task.tier} ended: {returned.outcome.replace('_', ' ')}"
        message = f"{ended}, {returned.reason}" if returned.reason else ended
        record_event("critical" if returned.outcome == "died" else "info", task.session_id, message)


def read_end(folder: RunFolder, task: EscalationTask) -> HeadlessReturn:
    """Return the result of a run whose process is gone; blocking."""
    try:
        returned = folder.read_return()
    except Unreadable as problem:
        returned = _without_report(task, "failed", f"its result could not be read: {problem}")
    if returned and returned.session_id != task.session_id:
        returned = _without_report(task, "failed", f"its result is that of session {returned.session_id}")
    if returned and (returned.report or returned.outcome != "cancelled"):
        return returned
    try:
        order = folder.read_record(folder.kill_order, KillOrder)
    except Unreadable as problem:
        log.warning("%s", problem)
        order = None
    if order:
        ended = returned or _without_report(task, order.outcome, order.reason)
        return ended.evolve(outcome=order.outcome, reason=order.reason)
    if returned:
        return returned
    gone = "its process ended without a result" if folder.was_begun() else "its process did not begin"
    return _without_report(task, "died", f"{gone}; its transcript is {folder.transcript}")


def _without_report(task: EscalationTask, outcome: Outcome, reason: str) -> HeadlessReturn:
    return HeadlessReturn(session_id=task.session_id, outcome=outcome, reason=reason)


def _combine(task: EscalationTask, returned: HeadlessReturn, judgement: Judgement) -> TierEnd:
    return TierEnd(
        returned=returned,
        next_tier=judgement.next_tier,
        next_reason=judgement.next_reason,
        refusal=judgement.refusal,
        assignment=task.assignment,
    )
