"""Freshness: checks for changes since a draft was made, before it is shown and again when it is approved.

The thread is read for missed messages, which go to the watcher, and the cited lines are opened again. A change makes
the draft stale in the document, so that a press on the earlier card has no effect.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.agents.citations import CitationOpener
from bot.agents.evidence import EvidenceChecker
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, TriageError
from bot.models.external import widened
from bot.models.staleness import EvidenceChanged, HintsWithdrawn, ReadersChanged, SpokenMeanwhile, ThreadUnread
from bot.tools.trees import pinned
from bot.triage.readable_projects import is_kept_back

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.findings import EvidenceCheck
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening
    from bot.ports.outbound import Clock
    from bot.triage.externals import Externals
    from bot.triage.ground_truth import GroundTruth
    from bot.triage.hints import Hints

log = logging.getLogger(__name__)

_WAITS = (0.2, 0.8)
"""Seconds between attempts to read a thread while an operator waits."""


@dataclass(frozen=True, kw_only=True)
class Freshness:
    """Freshness checker. `read_thread` hands a thread's missed messages to the watcher; `settle` submits an event.

    `truth` finds the bot's own messages, which the watcher ignores.
    """

    projects: Callable[[], tuple[Project, ...]]
    read_thread: Callable[[Thread], Awaitable[list[dict[str, Any]]]]
    truth: GroundTruth
    settle: Callable[[str, Happening], Awaitable[object]]
    clock: Clock
    new_id: Callable[[], str]
    redactor: Redactor = field(default_factory=Redactor)
    hints: Hints | None = None
    """Hints of other questions; `None` if they are off."""
    externals: Externals | None = None
    """Lookup of external people; `None` in tests that need none."""

    async def look_again(self, thread: Thread) -> None:
        """Update the document to the thread and the cited files as they are now.

        A thread that cannot be read makes the draft stale too; the operator may post anyway.
        """
        await self._look_at_evidence(thread)
        await self._look_at_readers(thread)
        if self.hints and (gone := await self.hints.withdrawn(thread)):
            withdrawn = HintsWithdrawn(at=self.clock.now(), fresh=self.new_id(), thread_ids=gone)
            await self.settle(thread.thread_id, withdrawn)
        for wait in (*_WAITS, None):
            try:
                messages = await self.read_thread(thread)
            except TriageError as problem:
                log.warning("thread %s cannot be read: %s", thread.thread_id, problem)
                if wait is None or isinstance(problem, Refused):
                    await self.settle(thread.thread_id, ThreadUnread(at=self.clock.now(), fresh=self.new_id()))
                    return
                await self.clock.sleep(wait)
            else:
                await self._look_for_own(thread, messages)
                return

    async def _look_for_own(self, thread: Thread, messages: list[dict[str, Any]]) -> None:
        """Report a reply that the bot has posted here since, for another question, once."""
        since = max(thread.own_ts or "0", *(message.message_id for message in thread.messages), key=float)
        newest = self.truth.newest(messages, since, thread_id=thread.thread_id)
        if newest is not None and newest != thread.own_ts:
            own = SpokenMeanwhile(at=self.clock.now(), fresh=self.new_id(), ts=newest)
            await self.settle(thread.thread_id, own)

    async def _look_at_evidence(self, thread: Thread) -> None:
        checks = await self.check(thread)
        before = {check.ref: check.result for check in thread.evidence_checks}
        changed = [c for c in checks if c.result == "failed" and before.get(c.ref) == "ok"]
        if changed:
            why = "; ".join(f"{check.ref}: {check.reason}" for check in changed)
            happening = EvidenceChanged(at=self.clock.now(), fresh=self.new_id(), checks=checks, why=why)
            await self.settle(thread.thread_id, happening)

    async def _look_at_readers(self, thread: Thread) -> None:
        """Report a channel that is newly shared with external people, or a project that they may no longer see."""
        external = await self.externals.of_thread(thread) if self.externals else None
        if external is None:
            return
        is_kept = is_kept_back(thread, self.projects())
        if is_kept or widened(thread.external, external):
            changed = ReadersChanged(at=self.clock.now(), fresh=self.new_id(), external=external, is_kept_back=is_kept)
            await self.settle(thread.thread_id, changed)

    async def check(self, thread: Thread, project: Project | None = None) -> tuple[EvidenceCheck, ...]:
        """Open every reference of the thread's draft, in `project` if given; return the checks.

        References fail if the project is gone, or if the investigator had not opened them itself.
        """
        found = (pinned(project) for project in self.projects() if project.name == thread.project)
        project = project or next(found, None)
        if thread.investigator_return is None:
            return ()
        if project is None:
            gone = f"its project {thread.project} no longer exists"
            before = thread.evidence_checks
            return tuple(c.evolve(result="failed", reason=gone) if c.result == "ok" else c for c in before)
        if thread.cited is not None:
            opener = CitationOpener(project, self.redactor)
            checks = [await opener.recheck(reference) for reference in thread.cited]
        else:
            route = thread.route
            bounded = route is not None and route.project in (project.name, project.belongs_to)
            folder = route.folder if route and bounded else "."
            checker = EvidenceChecker(project.root, self.redactor, project, folder)
            declared = [await checker.check(reference) for reference in thread.references]
            checks = [_unopened(check) if check.ref in thread.unopened else check for check in declared]
        recorded = {check.ref: check for check in thread.recorded}
        return tuple(recorded.get(c.ref, c) if c.result == "not_checkable" else c for c in checks)


def _unopened(check: EvidenceCheck) -> EvidenceCheck:
    if check.result == "failed":
        return check
    return check.evolve(result="failed", reason="the investigator did not open it in its run")
