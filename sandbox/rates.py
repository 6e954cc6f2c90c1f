"""Slack's rate limits: which tier each method is in, and how many calls a minute a tier allows.

Switched on by `--rate-limits`. Slack promises the figures of the tiers as a floor; here they are the ceiling.
"""

import math
from collections import defaultdict, deque
from dataclasses import dataclass

from sandbox.timing import Time

WINDOW = 60.0

TIERS = {
    "Tier1": 1,
    "Tier2": 20,
    "Tier3": 50,
    "Tier4": 100,
    "SpecialTier_assistant_threads_setStatus": 600,
    "SpecialTier_auth_test": 300,
    "SpecialTier_chat_getPermalink": 300,
    "SpecialTier_chat_postMessage": 300,
}
"""Calls a minute. Of the special tiers Slack only says "hundreds"."""

METHODS = {
    "apps.connections.open": "Tier1",
    "assistant.threads.setStatus": "SpecialTier_assistant_threads_setStatus",
    "assistant.threads.setSuggestedPrompts": "Tier3",
    "assistant.threads.setTitle": "Tier3",
    "auth.test": "SpecialTier_auth_test",
    "auth.revoke": "Tier3",
    "bots.info": "Tier3",
    "chat.delete": "Tier3",
    "chat.getPermalink": "SpecialTier_chat_getPermalink",
    "chat.postEphemeral": "Tier4",
    "chat.postMessage": "SpecialTier_chat_postMessage",
    "chat.update": "Tier3",
    "conversations.archive": "Tier2",
    "conversations.create": "Tier2",
    "conversations.history": "Tier3",
    "conversations.info": "Tier3",
    "conversations.invite": "Tier3",
    "conversations.join": "Tier3",
    "conversations.kick": "Tier3",
    "conversations.leave": "Tier3",
    "conversations.list": "Tier2",
    "conversations.mark": "Tier3",
    "conversations.members": "Tier4",
    "conversations.open": "Tier3",
    "conversations.rename": "Tier2",
    "conversations.replies": "Tier3",
    "conversations.setPurpose": "Tier2",
    "conversations.setTopic": "Tier2",
    "conversations.unarchive": "Tier2",
    "reactions.add": "Tier3",
    "reactions.get": "Tier3",
    "reactions.remove": "Tier2",
    "team.info": "Tier3",
    "usergroups.users.list": "Tier2",
    "users.getPresence": "Tier3",
    "users.info": "Tier4",
    "users.list": "Tier2",
    "views.open": "Tier4",
    "views.publish": "Tier4",
    "views.push": "Tier4",
    "views.update": "Tier4",
}

POSTS_BURST = 10
"""Messages that a channel takes at once; after them one a second."""


@dataclass(slots=True)
class Bucket:
    """A channel's room for posts, refilled by one a second."""

    room: float
    at: float


class RateLimits:
    """Counts the calls of the one app, by method, and its posts by channel."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._calls: defaultdict[str, deque[float]] = defaultdict(deque)
        self._posts: dict[str, Bucket] = {}

    def refuse_for(self, method: str, channel: str | None) -> int | None:
        """Whole seconds until this call may come again, None when it may pass."""
        now = self._time()
        calls = self._calls[method]
        while calls and calls[0] <= now - WINDOW:
            calls.popleft()
        tier = METHODS.get(method)
        if tier and len(calls) >= TIERS[tier]:
            return math.ceil(calls[0] + WINDOW - now)
        if method == "chat.postMessage" and channel and not self._takes_post(channel, now):
            return 1
        calls.append(now)
        return None

    def _takes_post(self, channel: str, now: float) -> bool:
        bucket = self._posts.setdefault(channel, Bucket(POSTS_BURST, now))
        bucket.room = min(POSTS_BURST, bucket.room + now - bucket.at)
        bucket.at = now
        if bucket.room < 1:
            return False
        bucket.room -= 1
        return True
