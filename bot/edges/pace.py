"""Pace (`Pace`): every Web API call waits here until its turn, so that Slack seldom has to say no.

Slack counts the calls of each method, and the posts into each channel; one method's limit holds no other one up. A lane
lets a burst go at once and then keeps the rate, in the order in which the calls came. What Slack asks for with
`Retry-After` holds one lane, for every call that waits in it, and nothing bursts out when the hold ends. `edges/slack`
is handed a pacer; nothing that waits here is kept, since the documents say what to draw and post again after a crash.
"""

from __future__ import annotations

import asyncio
import logging
import math
from typing import TYPE_CHECKING

from bot.errors import RetryLater

if TYPE_CHECKING:
    from bot.ports import Clock
    from bot.slack_ports import Pace

log = logging.getLogger(__name__)

TIER_1, TIER_2, TIER_3, TIER_4 = 1, 20, 50, 100
"""Calls a minute of Slack's tiers."""

PER_MINUTE = {
    "apps.connections.open": TIER_1,
    "assistant.threads.setStatus": TIER_4,
    "assistant.threads.setSuggestedPrompts": TIER_3,
    "auth.test": 200,
    "chat.delete": TIER_3,
    "chat.getPermalink": 200,
    "chat.postEphemeral": TIER_4,
    "chat.postMessage": 300,
    "chat.update": TIER_3,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.open": TIER_3,
    "conversations.replies": TIER_3,
    "reactions.add": TIER_3,
    "reactions.remove": TIER_2,
    "response_url": TIER_4,
    "usergroups.users.list": TIER_2,
    "users.getPresence": TIER_3,
    "users.info": TIER_4,
    "views.open": TIER_4,
    "views.publish": TIER_4,
}
"""The methods that `edges/slack` calls. Where Slack says *special* and "several hundred", this says how many."""

POSTS_PER_MINUTE, POSTS_AT_ONCE = 60, 5
"""What one channel takes of `chat.postMessage`: one a second, and a few more at once."""

_NOTICEABLE = 0.001
"""Seconds below which nothing is waited for."""


class Pacer:
    """One workspace's lanes. `scale` multiplies all rates, for a Slack that grants more or less than it publishes."""

    def __init__(self, clock: Clock, *, scale: float = 1.0) -> None:
        self._clock = clock
        self._scale = scale
        self._began = clock.now()
        self._lanes: dict[tuple[str, str], _Lane] = {}

    async def turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when this call may go out, earlier calls first.

        With `now_or_never` raise `RetryLater` instead of waiting. A post waits for its channel before it waits for the
        method, so that a busy channel holds up no other one.
        """
        for lane in self._way(method, channel):
            if now_or_never and (wait := lane.wait(self._now())) > _NOTICEABLE:
                raise RetryLater(f"{method}: Slack has asked for a pause", after=wait)
            async with lane.order:
                while (wait := lane.wait(self._now())) > _NOTICEABLE:
                    await self._clock.sleep(wait)
                lane.take(self._now())

    def unhurried(self) -> Pace:
        """The same lanes for work that can wait: a press never stands behind more than one call of it."""
        return _Unhurried(self)

    def hold(self, method: str, seconds: float) -> None:
        """Let no call of this method go out for so long: Slack has asked for it."""
        log.warning("%s: Slack asks for a pause of %.0f s", method, seconds)
        self._lane(method).hold(self._now(), seconds)

    def _way(self, method: str, channel: str) -> list[_Lane]:
        lanes = [self._lane(method)]
        return [self._lane(method, channel), *lanes] if method == "chat.postMessage" else lanes

    def _lane(self, method: str, channel: str = "") -> _Lane:
        key = (method, channel)
        if key not in self._lanes:
            per_minute = POSTS_PER_MINUTE if channel else PER_MINUTE.get(method, TIER_2)
            at_once = POSTS_AT_ONCE if channel else per_minute / 2
            self._lanes[key] = _Lane(per_minute * self._scale, at_once=max(1.0, at_once * self._scale))
        return self._lanes[key]

    def _now(self) -> float:
        return (self._clock.now() - self._began).total_seconds()


class _Unhurried:
    """A pacer's lanes, with a line of its own before each of them (`Pace`)."""

    def __init__(self, pacer: Pacer) -> None:
        self._pacer = pacer
        self._lines: dict[str, asyncio.Lock] = {}
        self.hold = pacer.hold

    async def turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when this call may go out; only the first of those that wait here stands in the lane."""
        async with self._lines.setdefault(method, asyncio.Lock()):
            await self._pacer.turn(method, channel=channel, now_or_never=now_or_never)


class _Lane:
    """A bucket that `at_once` calls empty and that fills at `per_minute`. Times are seconds since the pacer began."""

    def __init__(self, per_minute: float, *, at_once: float) -> None:
        self.order = asyncio.Lock()
        """Held by the call whose turn is next; those behind it wait in their order."""
        self._interval = 60 / per_minute
        self._lead = self._interval * (at_once - 1)
        self._full = -math.inf
        """When the bucket is full again; a call may go while that is at most `_lead` away."""
        self._seen = -math.inf

    def wait(self, now: float) -> float:
        """Seconds until the next call may go."""
        if now < self._seen:  # the clock was set back: what was to wait waits as long as before, not an hour more
            self._full -= self._seen - now
        self._seen = now
        return max(0.0, self._full - self._lead - now)

    def take(self, now: float) -> None:
        """One call goes."""
        self._full = max(self._full, now) + self._interval

    def hold(self, now: float, seconds: float) -> None:
        """The bucket is empty until then, and has room for one call at that moment."""
        self.wait(now)
        self._full = max(self._full, now + seconds + self._lead)
