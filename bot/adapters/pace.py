"""Pacing of Web API calls: every call waits here for its turn, so that Slack's rate limits are rarely hit.

Slack counts the calls of each method in any minute, and the posts into each channel; the limits are independent. Calls
that a person waits for come first: others leave them a share of each method's minute (`RESERVED`). A `Retry-After` from
Slack holds all calls of one method, and the waiting calls do not burst out when the hold ends. Waiting calls are not
saved, since after a crash the documents tell which cards and posts are missing.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from typing import TYPE_CHECKING

from bot.errors import Crowded

if TYPE_CHECKING:
    from bot.ports.outbound import Clock
    from bot.ports.slack import CallPacing

log = logging.getLogger(__name__)

TIER_1, TIER_2, TIER_3, TIER_4 = 1, 20, 50, 100
"""Calls per minute of Slack's tiers."""

PER_MINUTE = {
    "agents.sessions.setStatus": TIER_3,
    "apps.connections.open": TIER_1,
    "assistant.threads.setStatus": TIER_4,
    "assistant.threads.setSuggestedPrompts": TIER_3,
    "auth.test": 200,
    "chat.delete": TIER_3,
    "chat.getPermalink": 200,
    "chat.postEphemeral": TIER_4,
    "chat.postMessage": 300,
    "chat.update": TIER_3,
    "conversations.archive": TIER_2,
    "conversations.create": TIER_2,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.invite": TIER_3,
    "conversations.list": TIER_2,
    "conversations.open": TIER_3,
    "conversations.replies": TIER_3,
    "files.info": TIER_4,
    "reactions.add": TIER_3,
    "reactions.remove": TIER_2,
    "response_url": TIER_4,
    "url_private": TIER_4,
    "usergroups.users.list": TIER_2,
    "users.conversations": TIER_2,
    "users.getPresence": TIER_3,
    "users.info": TIER_4,
    "users.list": TIER_2,
    "views.open": TIER_4,
    "views.publish": TIER_4,
}
"""The methods that `adapters/slack` calls. For limits that Slack documents as *special* and "several hundred", an
assumed number."""

POSTS_AT_ONCE, POSTS_WITHIN = 5, 5.0
"""Limit of `chat.postMessage` for one channel: number and seconds."""

RESERVED = {
    "chat.postEphemeral": 0.5,
    "chat.postMessage": 0.2,
    "chat.update": 0.5,
    "conversations.info": 0.5,
    "conversations.open": 0.5,
    "conversations.replies": 0.5,
    "users.info": 0.5,
    "views.publish": 0.5,
}
"""Share of a method's calls that is reserved for calls a person waits for; `_SPARE` for other methods."""

_SPARE = 0.1
_MINUTE = 60.0
_JITTER = 2.0
"""Seconds of difference in latency between two calls; Slack counts them on arrival."""
_NOTICEABLE = 0.001
"""Seconds below which a wait is skipped."""


class Pacer:
    """The calls of one workspace. `scale` multiplies all rates, for a Slack that grants more or less than
    documented."""

    def __init__(self, clock: Clock, *, scale: float = 1.0) -> None:
        self._clock = clock
        self._scale = scale
        self._began = clock.now()
        self._windows: dict[tuple[str, str], _Window] = {}

    async def wait_turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when this call may be made, earlier calls first.

        With `now_or_never` raise `Crowded` instead of waiting. A post waits for its channel before it waits for the
        method, so that a busy channel does not delay others.
        """
        for window in self.windows_for(method, channel):
            async with window.order:
                await self.enter(window, method, now_or_never=now_or_never)

    def in_background(self, *, share: float = 1.0, waits: bool = True) -> CallPacing:
        """Return a variant for background work, which leaves the reserved share to presses.

        `share` is the part it may use of the rest; with `waits=False` a call that would have to wait raises `Crowded`.
        """
        return _BackgroundPacer(self, share, waits=waits)

    def hold(self, method: str, seconds: float) -> None:
        """Hold all calls of this method for a while: Slack has asked for it."""
        log.warning("%s: Slack asks for a pause of %.0f s", method, seconds)
        self._window(method).hold(self._now(), seconds)

    def windows_for(self, method: str, channel: str) -> list[_Window]:
        """Return the windows that a call passes, one after the other."""
        windows = [self._window(method)]
        return [self._window(method, channel), *windows] if method == "chat.postMessage" else windows

    async def enter(self, window: _Window, method: str, *, share: float = 1.0, now_or_never: bool = False) -> None:
        """Pass one window as soon as `share` of it has room."""
        while (wait := window.wait(self._now(), share)) > _NOTICEABLE:
            if now_or_never:
                raise Crowded(f"{method}: too many calls for now", after=wait)
            await self._clock.sleep(wait)
        window.take(self._now())

    def _window(self, method: str, channel: str = "") -> _Window:
        key = (method, channel)
        if key not in self._windows:
            count, seconds = (
                (POSTS_AT_ONCE, POSTS_WITHIN) if channel else (PER_MINUTE.get(method, TIER_2), _MINUTE + _JITTER)
            )
            self._windows[key] = _Window(max(1, int(count * self._scale)), seconds)
        return self._windows[key]

    def _now(self) -> float:
        return (self._clock.now() - self._began).total_seconds()


class _BackgroundPacer:
    """Calls of background work: in order, as far as other calls leave room."""

    def __init__(self, pacer: Pacer, share: float, *, waits: bool) -> None:
        self._pacer = pacer
        self._share = share
        self._waits = waits
        self._lines: dict[_Window, asyncio.Lock] = {}
        self.hold = pacer.hold

    async def wait_turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when this call may be made; only the first of the waiting calls looks for room."""
        share = self._share * (1 - RESERVED.get(method, _SPARE))
        for window in self._pacer.windows_for(method, channel):
            async with self._lines.setdefault(window, asyncio.Lock()):
                is_impatient = now_or_never or not self._waits
                await self._pacer.enter(window, method, share=share, now_or_never=is_impatient)


class _Window:
    """Sliding window of at most `count` calls within any `seconds`. Times are seconds since the pacer started."""

    def __init__(self, count: int, seconds: float) -> None:
        self.order = asyncio.Lock()
        """Held by the call whose turn is next; those behind it wait in order."""
        self._count = count
        self._seconds = seconds
        self._went: deque[float] = deque(maxlen=count)
        self._held = -math.inf
        """End of a hold; for a window's length after it calls go one at a time, at an even pace."""
        self._seen = 0.0

    def wait(self, now: float, share: float = 1.0) -> float:
        """Return the seconds until the next call with this share may be made."""
        if now < self._seen:  # the clock was set back: waiting calls keep their remaining time
            back = self._seen - now
            self._went, self._held = deque((went - back for went in self._went), self._count), self._held - back
        self._seen = now
        allowed = max(1, int(self._count * share))
        free = self._went[-allowed] + self._seconds if len(self._went) >= allowed else now
        if self._held <= now < self._held + self._seconds and self._went:
            free = max(free, self._went[-1] + self._seconds / self._count)
        return max(0.0, free - now, self._held - now)

    def take(self, now: float) -> None:
        """Count one call."""
        self._went.append(now)

    def hold(self, now: float, seconds: float) -> None:
        """Stop all calls until then; afterwards they go one at a time, at an even pace."""
        self.wait(now)
        self._held = max(self._held, now + seconds)
