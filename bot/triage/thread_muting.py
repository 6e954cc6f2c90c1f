"""Muting a thread: what goes on there ends, and Triage stays silent.

One way for the commands `mute` and `unmute`, and for words and emoji (`chat/mute_requests`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.thread_event import Mute

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class Muting:
    """Keeps the mute first, so that nothing opens the thread while its work ends."""

    controls: Controls
    orchestrator: Orchestrator
    clock: Clock
    new_id: Callable[[], str]

    async def mute(self, thread_id: str, *, since: datetime | None = None, emoji: str | None = None) -> bool:
        """Be silent there; says whether something went on that has ended.

        Mentions from after `since` (now, when left out) bring Triage back. `emoji` names the one that says so.
        """
        await self.controls.mute(thread_id, since or self.clock.now(), emoji=emoji)
        return (await self.orchestrator.submit(thread_id, Mute(at=self.clock.now(), fresh=self.new_id()))).accepted

    async def unmute(self, thread_id: str) -> bool:
        """Listen again; says whether the thread was muted."""
        return await self.controls.unmute(thread_id)
