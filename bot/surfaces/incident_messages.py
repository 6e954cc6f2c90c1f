"""Messages of incidents: each is updated until it shows its thread's document, if Slack has it.

The first post is that of `bot.health`: here no message is ever posted. Changes within a few seconds are shown together.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.incident import build_incident
from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.refusals import ACCESS
from bot.errors import Refused, TriageError
from bot.models.thread_event import IncidentShown
from bot.runtime.background_tasks import cancel_all
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.incident import Incident
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)

EVERY = 3.0
"""Seconds between two updates."""

LATEST = timedelta(days=1)
"""Time after the last change in which an update is tried again although Slack gives no access to the message."""
_RETRY_SECONDS = 20.0
"""Seconds until a failed update is tried again."""


async def render_incident(incident: Incident, redactor: Redactor) -> dict[str, Any]:
    """Return the `text`, `blocks` and `metadata` of an incident's message, without secrets."""
    return await run_offloaded(_render, incident, redactor)


def _render(incident: Incident, redactor: Redactor) -> dict[str, Any]:
    return build_incident(redact_fact(incident, redactor))


@dataclass(kw_only=True)
class IncidentMessages:
    """Updater of messages; an event records the revision that each shows."""

    chat: Chat
    clock: Clock
    threads: ThreadQueue
    redactor: Redactor
    _newest: dict[str, Thread] = field(default_factory=dict)
    _shown: dict[str, int] = field(default_factory=dict)
    """Revision last tried, by incident."""
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Update the message of this thread soon, if it is one of an incident."""
        incident, name = thread.incident, thread.thread_id
        if incident is None or not incident.is_behind:
            return
        if incident.revision <= self._shown.get(incident.incident_id, 0):
            return
        newest = self._newest.get(name)
        if newest is None or newest.version <= thread.version:
            self._newest[name] = thread
        if name not in self._drawing:
            self._drawing[name] = asyncio.create_task(self._draw_all(name), name=f"incident {name}")

    async def stop(self) -> None:
        """Stop; the next start continues."""
        await cancel_all(self._drawing.values())

    async def _draw_all(self, name: str) -> None:
        try:
            while thread := self._newest.pop(name, None):
                try:
                    await self._draw(thread)
                    await self.clock.sleep(EVERY)  # changes in the meantime are shown together
                except TriageError as problem:
                    if isinstance(problem, Refused) and not self._may_return(thread, problem):
                        log.error("thread %s: the message of its incident cannot be updated: %s", name, problem)
                        continue
                    log.warning("thread %s: its incident: %s; again in %.0f s", name, problem, _RETRY_SECONDS)
                    self._newest.setdefault(name, thread)  # unless a newer one came
                    await self.clock.sleep(_RETRY_SECONDS)
        except Exception:
            log.exception("thread %s: the message of its incident failed", name)
        finally:
            del self._drawing[name]

    def _may_return(self, thread: Thread, problem: Refused) -> bool:
        """Return whether access to the message may come back: tried for a day after the last change."""
        changed_at = thread.incident.checked_at if thread.incident else None
        return problem.code in ACCESS and changed_at is not None and self.clock.now() - changed_at < LATEST

    async def _draw(self, thread: Thread) -> None:
        if thread.incident:
            picture = await render_incident(thread.incident, self.redactor)
            revision = thread.incident.revision
            self._shown[thread.incident.incident_id] = revision  # also if Slack refuses: until the next start
            await self.chat.update(channel=thread.chat_id, ts=thread.root_ts, **picture)
            event = IncidentShown(at=self.clock.now(), fresh=self.clock.new_id(), revision=revision)
            self.threads.tell(thread.thread_id, event)
