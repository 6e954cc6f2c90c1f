"""Methods chat.scheduleMessage and related: the bot's scheduled messages."""

import secrets
from contextlib import suppress
from dataclasses import dataclass

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.methods import Method
from sandbox.methods.chat import content_of, metadata_of
from sandbox.methods.paging import paginate
from sandbox.models import Json, Refused
from sandbox.timing import Time, Timer
from sandbox.workspace import Workspace

FURTHEST = 120 * 24 * 60 * 60
"""Maximum of seconds that a message can be scheduled ahead."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """Scheduled message; `timer` posts it."""

    channel: str
    post_at: int
    made_at: int
    text: str
    timer: Timer


class Schedule:
    """Scheduled messages, as methods of the Web API; in memory only, due by the workspace's clock."""

    def __init__(self, *, workspace: Workspace, time: Time) -> None:
        self._workspace = workspace
        self._time = time
        self._waiting: dict[str, Scheduled] = {}

    def methods(self) -> dict[str, Method]:
        return {
            "chat.scheduleMessage": self.schedule,
            "chat.deleteScheduledMessage": self.delete,
            "chat.scheduledMessages.list": self.list_messages,
        }

    def schedule(self, arguments: Arguments) -> Json:
        channel = self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER).id
        post_at, now = arguments.required("post_at"), self._time()
        if not post_at.isdigit():
            raise Refused("invalid_time")
        if int(post_at) <= now:
            raise Refused("time_in_past")
        if int(post_at) > now + FURTHEST:
            raise Refused("time_too_far")
        text, blocks = content_of(arguments)
        thread_ts, metadata = arguments.text("thread_ts"), metadata_of(arguments.structure("metadata"))
        key = f"Q{secrets.token_hex(5).upper()}"

        def post() -> None:
            del self._waiting[key]
            with suppress(Refused):  # the channel may be gone by then; nobody can be told
                self._workspace.post(
                    channel, text or "", user=seed.BOT_USER, blocks=blocks, thread_ts=thread_ts, metadata=metadata
                )

        timer = self._time.call_later(int(post_at) - now, post)
        self._waiting[key] = Scheduled(channel, int(post_at), int(now), text or "", timer)
        message = {"type": "message", "text": text or "", "user": seed.BOT_USER, "bot_id": seed.BOT_ID}
        return {"channel": channel, "scheduled_message_id": key, "post_at": int(post_at), "message": message}

    def delete(self, arguments: Arguments) -> Json:
        key = arguments.required("scheduled_message_id")
        waiting = self._waiting.get(key)
        if waiting is None or waiting.channel != arguments.required("channel"):
            raise Refused("invalid_scheduled_message_id")
        waiting.timer.cancel()
        del self._waiting[key]
        return {}

    def list_messages(self, arguments: Arguments) -> Json:
        channel = arguments.text("channel")
        scheduled = [
            {
                "id": key,
                "channel_id": each.channel,
                "post_at": each.post_at,
                "date_created": each.made_at,
                "text": each.text,
            }
            for key, each in self._waiting.items()
            if channel in (None, each.channel)
        ]
        page, cursor = paginate(scheduled, arguments, default=100)
        return {"scheduled_messages": page, "response_metadata": {"next_cursor": cursor}}
