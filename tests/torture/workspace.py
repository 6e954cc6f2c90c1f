"""A workspace that can also do what Slack rarely does: deliver badly, and carry presses made up by a test."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from sandbox.seed import TEAM_ID
from sandbox.server import Sandbox
from sandbox.sockets import Envelope, Unacknowledged


class Workspace(Sandbox):
    """A local workspace. With `chance` each event is delivered one to four times, and in no order."""

    chance: random.Random | None = None
    late: float = 0.3
    """Seconds by which a delivery may be late."""

    async def press_as(self, user: str, action: str, value: str, *, action_ts: str, channel: str = "D0OPS") -> bool:
        """A press by anybody on any button, as it would arrive; says whether it was acknowledged."""
        payload = {
            "type": "block_actions",
            "team": {"id": TEAM_ID},
            "user": {"id": user},
            "actions": [
                {"action_id": action, "value": value, "action_ts": action_ts, "type": "button", "block_id": "b"}
            ],
            "channel": {"id": channel},
            "trigger_id": "1.1.made-up",
        }
        try:
            await self._sockets.ask("interactive", payload)
        except Unacknowledged:
            return False
        return True

    def chat(self, text: str) -> None:
        """Ana says something in #general, without the cost of her own call."""
        self._workspace.post("C0GENERAL", text, user="U0ANA")

    @property
    def unacknowledged(self) -> int:
        """How many events are still on their way."""
        return len(self._sockets._open)

    def on_settled(self, told: Callable[[Envelope], None]) -> None:
        """Have `told` called with each envelope that was acknowledged or given up."""
        self._sockets._settled = told

    def _publish(self, payload: dict[str, Any]) -> None:
        if self.chance is None:
            super()._publish(payload)
            return
        for _ in range(self.chance.randint(1, 4)):
            late = self.chance.uniform(0, self.late)
            asyncio.get_running_loop().call_later(late, super()._publish, payload)
