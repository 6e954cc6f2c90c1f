"""Muting of threads: Triage ends its work in a thread and stays silent there.

Shared by the commands `mute` and `unmute`, and by mute requests in words and emoji (`chat/mute_requests`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.thread_event import Mute

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class ThreadMuter:
    """Muter of threads. The mute is saved first, so that nothing reopens the thread while its work ends."""

    controls: Controls
    orchestrator: Orchestrator
    clock: Clock

    async def mute(self, thread_id: str, *, since: datetime | None = None, emoji: str | None = None) -> bool:
        """Mute a thread; return whether that ended any work.

        Mentions after `since` (default: now) end the mute. `emoji` identifies the reaction that mutes it.
        """
        await self.controls.mute(thread_id, since or self.clock.now(), emoji=emoji)
        return (
            await self.orchestrator.submit(thread_id, Mute(at=self.clock.now(), fresh=self.clock.new_id()))
        ).accepted

    async def unmute(self, thread_id: str) -> bool:
        """Unmute a thread; return whether it was muted."""
        return await self.controls.unmute(thread_id)
