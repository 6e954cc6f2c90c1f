"""Ends of runs that draft fixes: the process's report, the commit, the cost; the same at each call."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.drafted_changes import describe_links
from bot.errors import RetryLater, TriageError, Unreadable
from bot.escalation.ends import KillOrder
from bot.models.fix import FixResult
from bot.models.fix_task import FixReturn
from bot.runtime.removed_folder import remove_folder
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from bot.escalation.fix_commit import FixCommitter
    from bot.escalation.fix_money import FixMoney
    from bot.escalation.folder import RunFolder
    from bot.models.fix import FixOrder, FixProposal
    from bot.models.fix_task import FixDraft, FixTask
    from bot.models.session import Session
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.work_repositories import WorkRepositories

log = logging.getLogger(__name__)

COPIES = "check"
"""Folder of the copies of the workspace, in that of the run."""
_RESULT = "result.json"
_TRIES = 3
_PAUSE = 10.0
"""Seconds before git is tried again."""


@dataclass(frozen=True, kw_only=True)
class FixEnds:
    """Reader of ends; it books the cost of each run once."""

    committer: FixCommitter
    repositories: WorkRepositories
    money: FixMoney
    clock: Clock

    async def conclude(self, folder: RunFolder, task: FixTask, thread: Thread, order: FixOrder) -> FixResult:
        """Return the end of a run whose process is gone."""
        path = folder.path / _RESULT
        try:
            if result := await asyncio.to_thread(folder.read_record, path, FixResult):
                return result
        except Unreadable as unread:
            log.warning("%s", unread)
        returned = await asyncio.to_thread(read_end, folder, task)
        proposal, problem = None, returned.result.problem
        if returned.draft:
            proposal, problem = await self._propose(task, thread, order, returned.draft)
        else:
            await self.drop_workspace(task, order)
            problem = f"{problem} {describe_links(task.links, returned.result.rounds)}".rstrip()
        session = await self._settle(folder, task, returned)
        result = returned.result.evolve(
            proposal=proposal,
            problem=problem,
            cost_usd=session.cost_usd if session else 0.0,
            unsure_usd=session.unsure_usd if session else 0.0,
            duration_ms=max(0, round((self.clock.now() - task.at).total_seconds() * 1_000)),
            session_ids=(task.session_id,),
        )
        try:
            await asyncio.to_thread(folder.write, path, result.model_dump(mode="json"))
        except OSError as failure:
            log.warning("%s could not be written: %s", path, failure.strerror)
        return result

    async def settle(self, folder: RunFolder, task: FixTask) -> None:
        """Book the cost of a run that nothing waits for."""
        await self._settle(folder, task, await asyncio.to_thread(read_end, folder, task))

    async def _settle(self, folder: RunFolder, task: FixTask, returned: FixReturn) -> Session | None:
        await asyncio.to_thread(remove_folder, folder.path / COPIES)
        before = await self.money.settle(folder, task, returned.outcome, returned.result.problem)
        record_event("info", task.session_id, f"Fix {task.run_id} ended: {returned.outcome.replace('_', ' ')}")
        return before

    async def drop_workspace(self, task: FixTask, order: FixOrder) -> None:
        """Remove the branch of a run without a change, unless somebody has committed to it."""
        try:
            repository = await self.repositories.get(order.repository)
            await self.committer.workspaces.drop(repository, order.slug, head=task.base)
        except (TriageError, OSError) as problem:
            log.warning("the workspace of fix %s stays: %s", task.run_id, problem)

    async def _propose(
        self, task: FixTask, thread: Thread, order: FixOrder, draft: FixDraft
    ) -> tuple[FixProposal | None, str]:
        """Return the committed change, or the reason why there is none, in a plain sentence."""
        reason = ""
        for number in range(_TRIES):
            try:
                repository = await self.repositories.get(order.repository)
                return await self.committer.propose(thread, order, repository, task, draft), ""
            except RetryLater as problem:
                reason = str(problem)
                if number + 1 < _TRIES:
                    await self.clock.sleep(_PAUSE)
            except TriageError as problem:
                reason = str(problem)
                break
        return None, f"The change was not committed: {reason.rstrip('.')}."


def read_end(folder: RunFolder, task: FixTask) -> FixReturn:
    """Return the result of a run whose process is gone; blocking."""
    try:
        returned = folder.read_record(folder.returned, FixReturn)
    except Unreadable as problem:
        return _without_draft(task, "failed", f"Its result could not be read: {problem}.")
    if returned and returned.session_id == task.session_id and returned.outcome != "cancelled":
        return returned
    try:
        order = folder.read_record(folder.kill_order, KillOrder)
    except Unreadable:
        order = None
    if returned and returned.session_id == task.session_id:
        reason = f"{order.reason}." if order else returned.result.problem
        return returned.evolve(result=returned.result.evolve(problem=reason))
    if order:
        return _without_draft(task, order.outcome, f"{order.reason}.")
    return _without_draft(task, "died", "Its process ended without a result.")


def _without_draft(task: FixTask, outcome: str, problem: str) -> FixReturn:
    return FixReturn.model_validate(
        {"session_id": task.session_id, "outcome": outcome, "result": FixResult(problem=problem)}
    )
