"""Muting of threads: Triage ends its work in a thread and stays silent there.

Shared by the commands `mute` and `unmute`, and by mute requests in words and emoji (`chat/mute_requests`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.thread_event import Mute

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class MuteResult:
    """Result of a mute."""

    is_new: bool
    """True if the thread was not muted before."""
    has_ended_work: bool
    thread: Thread | None
    """The thread after it; `None` if no question was asked there."""


@dataclass(frozen=True, kw_only=True)
class ThreadMuter:
    """Muter of threads. The mute is saved first, so that nothing reopens the thread while its work ends."""

    controls: Controls
    orchestrator: Orchestrator
    clock: Clock

    async def mute(
        self, thread_id: str, *, since: datetime | None = None, emoji: str | None = None, by_operator: bool = True
    ) -> MuteResult:
        """Mute a thread. Mentions after `since` (default: now) end the mute; `emoji` identifies the reaction that mutes
        it. `by_operator` is false for somebody who is neither operator nor admin."""
        is_new = await self.controls.mute(thread_id, since or self.clock.now(), emoji=emoji)
        event = Mute(at=self.clock.now(), fresh=self.clock.new_id(), by_operator=by_operator)
        step = await self.orchestrator.submit(thread_id, event)
        return MuteResult(is_new=is_new, has_ended_work=step.accepted, thread=step.thread)

    async def unmute(self, thread_id: str) -> bool:
        """Unmute a thread; return whether it was muted."""
        return await self.controls.unmute(thread_id)
