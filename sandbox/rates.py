"""Slack's rate limits: the tier of each method, and the calls per minute of each tier.

Enabled by `--rate-limits`. Slack guarantees these figures as a minimum; here they are the maximum.
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
"""Calls per minute. For the special tiers Slack only says "hundreds"."""

METHODS = {
    "agents.sessions.setStatus": "Tier3",
    "api.test": "Tier4",
    "apps.connections.open": "Tier1",
    "assistant.threads.setStatus": "SpecialTier_assistant_threads_setStatus",
    "assistant.threads.setSuggestedPrompts": "Tier3",
    "assistant.threads.setTitle": "Tier3",
    "auth.revoke": "Tier3",
    "auth.test": "SpecialTier_auth_test",
    "bookmarks.list": "Tier3",
    "bots.info": "Tier3",
    "chat.appendStream": "Tier4",
    "chat.delete": "Tier3",
    "chat.deleteScheduledMessage": "Tier3",
    "chat.getPermalink": "SpecialTier_chat_getPermalink",
    "chat.meMessage": "Tier3",
    "chat.postEphemeral": "Tier4",
    "chat.postMessage": "SpecialTier_chat_postMessage",
    "chat.scheduledMessages.list": "Tier3",
    "chat.scheduleMessage": "Tier3",
    "chat.startStream": "Tier2",
    "chat.stopStream": "Tier2",
    "chat.unfurl": "Tier3",
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
    "dialog.open": "Tier4",
    "emoji.list": "Tier2",
    "files.completeUploadExternal": "Tier4",
    "files.delete": "Tier3",
    "files.getUploadURLExternal": "Tier4",
    "files.info": "Tier4",
    "files.list": "Tier3",
    "pins.add": "Tier2",
    "pins.list": "Tier2",
    "pins.remove": "Tier2",
    "reactions.add": "Tier3",
    "reactions.get": "Tier3",
    "reactions.remove": "Tier2",
    "team.info": "Tier3",
    "usergroups.list": "Tier2",
    "usergroups.users.list": "Tier2",
    "users.conversations": "Tier2",
    "users.getPresence": "Tier3",
    "users.info": "Tier4",
    "users.list": "Tier2",
    "users.lookupByEmail": "Tier3",
    "users.profile.get": "Tier4",
    "views.open": "Tier4",
    "views.publish": "Tier4",
    "views.push": "Tier4",
    "views.update": "Tier4",
}

POSTS_BURST = 10
"""Burst of messages that a channel accepts; after it one per second."""


@dataclass(slots=True)
class Bucket:
    """Token bucket of a channel's posts, refilled by one per second."""

    room: float
    at: float


class RateLimits:
    """Counters of the app's calls by method, and of its posts by channel."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._calls: defaultdict[str, deque[float]] = defaultdict(deque)
        self._posts: dict[str, Bucket] = {}

    def refuse_for(self, method: str, channel: str | None) -> int | None:
        """Return the seconds until this call is allowed, None if it is allowed now."""
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
