"""A workspace that can also do what Slack rarely does: deliver badly, be down, and carry presses made up by a test."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from typing import Any

from aiohttp import web

from sandbox.delivery import Envelope, Unacknowledged
from sandbox.seed import TEAM_ID
from sandbox.server import Sandbox


class Workspace(Sandbox):
    """A local workspace. With `chance` each event is delivered one to four times, and in no order.

    The bot comes in by a door of its own, so that its Slack can be down while people go on.
    """

    chance: random.Random | None = None
    late: float = 0.3
    """Seconds by which a delivery may be late."""
    later: tuple[float, ...] = ()
    """Seconds by which each delivery may be late as well; it is held until it is released."""
    _held: list[tuple[float, dict[str, Any]]]
    _soon: int = 0
    """How many deliveries go out within `late` seconds."""
    _door: web.SockSite | None = None
    _door_port: int = 0

    def __init__(self, *args: Any, **wishes: Any) -> None:
        super().__init__(*args, **wishes)
        self._held = []

    async def open(self) -> None:
        """Let the bot in, from the first time on by the same port."""
        assert self._runner is not None
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._door_port))
        self._door_port = listening.getsockname()[1]
        self._door = web.SockSite(self._runner, listening)
        await self._door.start()

    async def shut(self) -> None:
        """Refuse each connection of the bot, and end its sockets."""
        assert self._door is not None
        await self._door.stop()
        self._sockets._tickets.clear()
        await self._sockets.drop()

    async def refuse_sockets(self, refuse: bool) -> None:
        """Let no ticket open a socket, or let those that are given from now on; each is good for one try."""
        self._sockets._tickets = _Void() if refuse else set()
        if refuse:
            await self._sockets.drop()

    @property
    def api_url(self) -> str:
        """The address that the bot calls."""
        return f"http://127.0.0.1:{self._door_port}/api/"

    async def press_as(self, user: str, action: str, value: str, *, action_ts: str, channel: str = "D0OPS") -> bool:
        """A press by anybody on any button, as it would arrive; says whether it was acknowledged."""
        payload = {
            "type": "block_actions",
            "team": {"id": TEAM_ID},
            "user": {"id": user},
            "actions": [{**_pressed(action, value), "action_ts": action_ts, "block_id": "b"}],
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
    def last_call(self) -> object:
        """The last call of the bot that came in."""
        return [*self._web.calls][-1:]

    @property
    def unacknowledged(self) -> int:
        """How many events are still on their way; time that passes in one step would use up all their retries."""
        return len(self._sockets._open) + self._soon

    def on_settled(self, told: Callable[[Envelope], None]) -> None:
        """Have `told` called with each envelope that was acknowledged or given up."""
        self._sockets._settled = told

    def _publish(self, payload: dict[str, Any]) -> None:
        if self.chance is None:
            super()._publish(payload)
            return
        for _ in range(self.chance.randint(1, 4)):
            late = self.chance.choice((0.0, *self.later))
            if late:
                self._held.append((late, payload))
            else:
                self._soon += 1
                self._time.call_later(self.chance.uniform(0, self.late), lambda: self._publish_now(payload))

    def _publish_now(self, payload: dict[str, Any]) -> None:
        self._soon -= 1
        super()._publish(payload)

    def release(self, late: float) -> None:
        """Deliver in no order what is so late, or less; after the longest time nothing is late any more."""
        assert self.chance is not None
        due = [payload for seconds, payload in self._held if seconds <= late]
        self._held = [(seconds, payload) for seconds, payload in self._held if seconds > late]
        self.later = tuple(seconds for seconds in self.later if seconds > late)
        self.chance.shuffle(due)
        for payload in due:
            super()._publish(payload)


class _Void(set[str]):
    """Tickets that are worth nothing."""

    def __contains__(self, _: object) -> bool:
        return False


def _pressed(action: str, value: str) -> dict[str, Any]:
    """A button, or what a card's menu holds."""
    if action in ("take_over", "delegate"):
        return {"action_id": "more", "type": "overflow", "selected_option": {"value": f"{action} {value}"}}
    return {"action_id": action, "type": "button", "value": value}
