"""Freshness: events for what has changed since a draft was made, read again when the draft is approved.

The thread is read from Slack, which takes missed messages in, and the cited lines are opened again. Each change makes
the draft stale in the document, so that the press on the card as it was settles nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.errors import Refused, TriageError
from bot.models.external import has_widened
from bot.models.staleness import EvidenceChanged, HintsWithdrawn, ReadersChanged, SpokenMeanwhile, ThreadUnread
from bot.triage.readable_projects import uses_withheld_project

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.intake.catch_up import CatchUp
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock
    from bot.triage.evidence_recheck import EvidenceRecheck
    from bot.triage.externals import Externals
    from bot.triage.ground_truth import GroundTruth
    from bot.triage.hints import Hints

log = logging.getLogger(__name__)

_WAITS = (0.2, 0.8)
"""Seconds between the tries to read a thread while an operator waits."""


@dataclass(frozen=True, kw_only=True)
class Freshness:
    """Compares a draft with its thread and its evidence as they are now.

    `catch_up` takes missed messages of people in; `ground_truth` finds the bot's own, which intake ignores.
    """

    evidence: EvidenceRecheck
    catch_up: CatchUp
    ground_truth: GroundTruth
    clock: Clock
    externals: Externals | None = None
    """People of other companies; `None` in tests."""
    hints: Hints | None = None
    """Hints from other questions; `None` where the settings switch them off."""

    async def changes(self, thread: Thread) -> AsyncIterator[ThreadEvent]:
        """Yield an event for each change; submit one before the next is asked for, since messages come in between.

        A thread that cannot be read is a change too: the operator looks, and posts anyway.
        """
        if event := await self._changed_evidence(thread):
            yield event
        if event := await self._changed_readers(thread):
            yield event
        if self.hints and (gone := await self.hints.list_withdrawn(thread)):
            yield HintsWithdrawn(at=self.clock.now(), fresh=self.clock.new_id(), thread_ids=gone)
        if event := await self._read_thread(thread):
            yield event

    async def _read_thread(self, thread: Thread) -> ThreadEvent | None:
        for wait in (*_WAITS, None):
            try:
                return self._own_reply(thread, await self.catch_up.thread(thread))
            except TriageError as problem:
                log.warning("thread %s cannot be read: %s", thread.thread_id, problem)
                if wait is None or isinstance(problem, Refused):
                    break
                await self.clock.sleep(wait)
        return ThreadUnread(at=self.clock.now(), fresh=self.clock.new_id())

    def _own_reply(self, thread: Thread, messages: list[dict[str, Any]]) -> ThreadEvent | None:
        """Return an event, once, for a reply of the bot itself to another question here, after this draft."""
        since = max(thread.own_ts or "0", *(message.message_id for message in thread.messages), key=float)
        newest = self.ground_truth.newest_ts(messages, since, thread_id=thread.thread_id)
        if newest is None or newest == thread.own_ts:
            return None
        return SpokenMeanwhile(at=self.clock.now(), fresh=self.clock.new_id(), ts=newest)

    async def _changed_evidence(self, thread: Thread) -> ThreadEvent | None:
        checks = await self.evidence.check(thread)
        before = {check.ref: check.result for check in thread.evidence_checks}
        changed = [check for check in checks if check.result == "failed" and before.get(check.ref) == "ok"]
        if not changed:
            return None
        why = "; ".join(f"{check.ref}: {check.reason}" for check in changed)
        return EvidenceChanged(at=self.clock.now(), fresh=self.clock.new_id(), checks=checks, why=why)

    async def _changed_readers(self, thread: Thread) -> ThreadEvent | None:
        """Return an event where the channel is shared with another company by now, or its people lost the project."""
        external = await self.externals.of_thread(thread) if self.externals else None
        if external is None:
            return None
        is_kept = uses_withheld_project(thread, self.evidence.projects.list_all())
        if not is_kept and not has_widened(thread.external, external):
            return None
        return ReadersChanged(at=self.clock.now(), fresh=self.clock.new_id(), external=external, is_kept_back=is_kept)
