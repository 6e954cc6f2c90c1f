"""Changes of the workspace as the events the app is subscribed to, in Slack's full wrapper.

Stands between the workspace, which it listens to, and Socket Mode, which carries the envelopes.
"""

import base64
import json
import secrets
from collections.abc import Callable

from sandbox import seed, shapes
from sandbox.conversation import Conversation
from sandbox.manifest import Manifest
from sandbox.models import Archived, Change, Created, Deleted, Edited, Joined, Json, Message, Posted, Reacted
from sandbox.workspace import Workspace

_ONLY_OF_LISTS = ("reactions", "reply_users")
"""What Slack's events leave out of a message."""

_LEFT_OUT_OF_BROADCASTS = ("team", "parent_user_id")
"""It is the root, which such an event carries, that has them."""


class Events:
    """A listener of the workspace; `publish` takes each event's whole payload.

    With a manifest only what it subscribes to is sent. An app hears of nothing in a channel that its bot is not in.
    """

    def __init__(self, workspace: Workspace, *, manifest: Manifest | None, publish: Callable[[Json], None]) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._publish = publish

    def __call__(self, change: Change) -> None:
        match change:
            case Posted(message):
                self._posted(message)
            case Edited(before, after):
                self._changed("message_changed", after, {"message": after, "previous_message": before})
            case Deleted(message):
                self._changed("message_deleted", message, {"previous_message": message})
            case Reacted():
                self._reacted(change)
            case Created(channel):
                self._created(channel)
            case Joined():
                self._joined(change)
            case Archived(channel, user):
                self._send("channel_archive", {"channel": channel, "user": user, "event_ts": self._now()}, channel)

    def home_opened(self, user: str, tab: str, view: Json | None) -> None:
        channel = seed.direct_channel(user)
        event = {"user": user, "channel": channel, "tab": tab, "event_ts": self._now()}
        self._send("app_home_opened", event if view is None else {**event, "view": view}, channel)

    def _now(self) -> str:
        return self._workspace.next_ts()

    def _posted(self, message: Message) -> None:
        conversation = self._workspace.conversations[message.channel]
        shape = _version(message, conversation) | {"channel": message.channel, "event_ts": message.ts}
        left_out = _LEFT_OUT_OF_BROADCASTS if message.is_broadcast else ()
        told = {key: value for key, value in shape.items() if key not in left_out}
        self._send("message", told | {"channel_type": conversation.kind}, message.channel)
        mentions = f"<@{seed.BOT_USER}>" in message.text or f"<@{seed.BOT_USER}|" in message.text
        is_line = message.subtype in ("channel_join", "channel_archive")
        if mentions and message.user != seed.BOT_USER and not conversation.is_im and not is_line:
            for key in ("root", "parent_user_id"):
                shape.pop(key, None)  # an app_mention has neither
            self._send("app_mention", shape, message.channel)

    def _changed(self, subtype: str, subject: Message, versions: dict[str, Message]) -> None:
        conversation = self._workspace.conversations[subject.channel]
        now = self._now()
        event: Json = {
            "subtype": subtype,
            "hidden": True,
            "channel": subject.channel,
            "channel_type": conversation.kind,
            "ts": now,
            "event_ts": now,
            **{key: _version(message, conversation) for key, message in versions.items()},
        }
        if subtype == "message_deleted":
            event["deleted_ts"] = subject.ts
        self._send("message", event, subject.channel)

    def _reacted(self, change: Reacted) -> None:
        if self._workspace.conversations[change.after.channel].is_im:
            return
        event = {
            "user": change.user,
            "reaction": change.name,
            "item": {"type": "message", "channel": change.after.channel, "ts": change.after.ts},
            "item_user": change.after.user,
            "event_ts": self._now(),
        }
        self._send("reaction_added" if change.added else "reaction_removed", event, change.after.channel)

    def _created(self, channel: str) -> None:
        room = self._workspace.conversations[channel]
        if room.is_private:
            return
        left_out = ("is_member", "num_members")
        shape = {key: value for key, value in shapes.conversation(room).items() if key not in left_out}
        self._send("channel_created", {"channel": shape, "event_ts": self._now()}, None)

    def _joined(self, change: Joined) -> None:
        room = self._workspace.conversations[change.channel]
        event: Json = {
            "user": change.user,
            "channel": change.channel,
            "channel_type": "G" if room.is_private else "C",
            "team": seed.TEAM_ID,
            "event_ts": self._now(),
        }
        if change.inviter:
            event["inviter"] = change.inviter
        self._send("member_joined_channel", event, change.channel)

    def _send(self, kind: str, event: Json, channel: str | None) -> None:
        """`channel` is where it happened, None for what the whole team hears of."""
        if channel is not None and seed.BOT_USER not in self._workspace.conversations[channel].members:
            return
        if self._manifest and not self._manifest.hears(_subscription(kind, event)):
            return
        authorization = {
            "enterprise_id": None,
            "team_id": seed.TEAM_ID,
            "user_id": seed.BOT_USER,
            "is_bot": True,
            "is_enterprise_install": False,
        }
        self._publish(
            {
                "token": seed.VERIFICATION_TOKEN,
                "team_id": seed.TEAM_ID,
                "api_app_id": seed.APP_ID,
                "event": {**event, "type": kind},
                "type": "event_callback",
                "event_id": f"Ev{secrets.token_hex(5).upper()}",
                "event_time": int(self._workspace.clock()),
                "authorizations": [authorization],
                "is_ext_shared_channel": False,
                "event_context": _context(kind, channel or ""),
            }
        )


def _version(message: Message, conversation: Conversation) -> Json:
    """A message inside an event."""
    shape = shapes.message(message, conversation)
    return {key: value for key, value in shape.items() if key not in _ONLY_OF_LISTS}


def _subscription(kind: str, event: Json) -> str:
    """What the manifest calls it: messages are subscribed to by the kind of their conversation."""
    if kind != "message":
        return kind
    return {"im": "message.im", "group": "message.groups"}.get(event["channel_type"], "message.channels")


def _context(kind: str, place: str) -> str:
    about = {"et": kind, "tid": seed.TEAM_ID, "aid": seed.APP_ID, "cid": place}
    return "4-" + base64.b64encode(json.dumps(about, separators=(",", ":")).encode()).decode()
