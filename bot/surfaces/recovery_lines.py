"""Recovery lines: one message in the thread of an incident for each recovery, exactly once.

The document records a line as begun before Slack is asked to post it. After a restart or a lost answer the line is
looked up in the thread by its metadata, and posted only if it is missing. Nothing is posted while Triage is stopped.
Where Slack gives no access, as to an archived channel, it is tried again for a day.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from blocks.recovery import build_recovery
from blocks.text import section
from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.refusals import ACCESS
from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.thread_event import RecoveryShown
from bot.runtime.background_tasks import cancel_all
from bot.runtime.offload import run_offloaded
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.decide.redaction.redactor import Redactor
    from bot.models.incident import RecoveryLine
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.asker_lines import ThreadTransitions

log = logging.getLogger(__name__)

LATEST = timedelta(days=1)
"""Age up to which a line is still posted."""
_STOPPED_SECONDS = 30.0
_ARRIVES = 5.0
"""Seconds in which a request of a dead process, or one without an answer, may still arrive."""
_LONGEST_WAIT = 60.0


@dataclass(kw_only=True)
class RecoveryLines:
    """Sender of lines. Events record that one is begun, and that it is done."""

    chat: Chat
    clock: Clock
    threads: ThreadTransitions
    is_stopped: Callable[[], bool]
    """Return whether an admin has stopped Triage."""
    is_silent: Callable[[Thread], bool]
    """Return whether nothing is posted in a thread: it is muted, or its channel is not live."""
    redactor: Redactor
    _newest: dict[str, Thread] = field(default_factory=dict)
    _done: dict[str, int] = field(default_factory=dict)
    """Failures of the last line that is done, by thread."""
    _doubtful: set[str] = field(default_factory=set)
    """Nonces of lines that Slack may have."""
    _posting: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Post the line of this document soon."""
        line, name = thread.incident.recovery if thread.incident else None, thread.thread_id
        if line is None or line.is_done or line.failures <= self._done.get(name, 0):
            return
        self._newest[name] = thread
        if name not in self._posting:
            self._posting[name] = asyncio.create_task(self._post_all(name), name=f"recovery {name}")

    async def stop(self) -> None:
        """Stop; lines that are not done are posted, or looked up, after the next start."""
        await cancel_all(self._posting.values())

    async def _post_all(self, name: str) -> None:
        try:
            while thread := self._newest.pop(name, None):
                line = thread.incident.recovery if thread.incident else None
                if line and line.failures > self._done.get(name, 0):
                    await self._post(thread, line)
        except TriageError as problem:
            log.warning("thread %s: its recovery was not said: %s", name, problem)
        except Exception:
            log.exception("thread %s: the line about its recovery failed", name)
        finally:
            del self._posting[name]

    async def _post(self, thread: Thread, line: RecoveryLine) -> None:
        """Post a line unless it is in the thread, until Slack takes it or never will; record that it is done."""
        wait = 0.5
        if line.is_begun:
            self._doubtful.add(_nonce(thread, line))
        while True:
            while self.is_stopped():
                await self.clock.sleep(_STOPPED_SECONDS)
            try:
                if await self._begin(thread, line):
                    await self._say(thread, line)
                    await self.threads.submit(thread.thread_id, self._build_event(line, is_done=True))
                self._done[thread.thread_id] = line.failures
                self._doubtful.discard(_nonce(thread, line))
                return
            except (RetryLater, Uncertain, Refused) as problem:
                log.warning("thread %s: its recovery: %s; it is tried again", thread.thread_id, problem)
                pause = problem.after if isinstance(problem, RetryLater) else 0
                wait = _LONGEST_WAIT if isinstance(problem, Refused) else max(pause, min(_LONGEST_WAIT, wait * 2))
            await self.clock.sleep(wait)

    async def _begin(self, thread: Thread, line: RecoveryLine) -> bool:
        """Record that the line is begun; return whether it is still to be said: not after the next failure."""
        step = await self.threads.submit(thread.thread_id, self._build_event(line, is_done=False))
        incident = step.thread.incident if step.thread else None
        saved = incident.recovery if incident else None
        if incident is None or saved is None or not incident.is_over:
            return False
        return incident.failures == saved.failures == line.failures and not saved.is_done

    def _build_event(self, line: RecoveryLine, *, is_done: bool) -> RecoveryShown:
        return RecoveryShown(at=self.clock.now(), fresh=self.clock.new_id(), failures=line.failures, is_done=is_done)

    async def _say(self, thread: Thread, line: RecoveryLine) -> None:
        """Post the line unless it is there, too old, not wanted, or refused for good."""
        if self.clock.now() - line.at > LATEST or self.is_silent(thread):
            return
        nonce = _nonce(thread, line)
        try:
            if nonce not in self._doubtful or not await self._find(thread, nonce):
                await self._send(thread, nonce)
        except Refused as problem:
            if problem.code in ACCESS:
                raise
            log.warning("thread %s: its recovery was not said: %s", thread.thread_id, problem)

    async def _find(self, thread: Thread, nonce: str) -> bool:
        """Return whether the line is in its thread."""
        look = partial(
            self.chat.find_in_thread,
            channel=thread.chat_id,
            thread_ts=thread.root_ts,
            event_type=NOTICE,
            nonce=nonce,
        )
        if await look():
            return True
        await self.clock.sleep(_ARRIVES)
        return await look() is not None

    async def _send(self, thread: Thread, nonce: str) -> None:
        text = await run_offloaded(self._render, thread)
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": nonce}}
        place = {"channel": thread.chat_id, "thread_ts": thread.root_ts}
        self._doubtful.add(nonce)  # until the answer is on record
        try:
            await self.chat.post(text=text, blocks=[section(text)], metadata=metadata, **place)
        except (RetryLater, Refused):
            self._doubtful.discard(nonce)
            raise

    def _render(self, thread: Thread) -> str:
        assert thread.incident is not None  # noqa: S101  # it has a line; narrows the type
        return build_recovery(redact_fact(thread.incident, self.redactor))


def _nonce(thread: Thread, line: RecoveryLine) -> str:
    return f"{thread.incident.incident_id}-{line.failures}" if thread.incident else ""
