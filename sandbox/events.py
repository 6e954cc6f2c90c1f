"""Changes of the workspace as the events the app is subscribed to, in Slack's full wrapper.

Stands between the workspace, which it listens to, and Socket Mode, which carries the envelopes.
"""

import base64
import json
import secrets
from collections.abc import Callable

from sandbox import seed, shapes
from sandbox.conversation import Conversation
from sandbox.models import Change, Deleted, Edited, Json, Message, Posted, Reacted
from sandbox.workspace import Workspace


class Events:
    """A listener of the workspace; `publish` takes each event's whole payload."""

    def __init__(self, workspace: Workspace, *, publish: Callable[[Json], None]) -> None:
        self._workspace = workspace
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

    def home_opened(self, user: str, view: Json | None) -> None:
        event = {
            "user": user,
            "channel": seed.direct_channel(user),
            "tab": "home",
            "event_ts": self._workspace.next_ts(),
        }
        self._send("app_home_opened", event if view is None else {**event, "view": view})

    def _posted(self, message: Message) -> None:
        conversation = self._workspace.conversations[message.channel]
        shape = shapes.message(message, conversation) | {"channel": message.channel, "event_ts": message.ts}
        self._send("message", shape | {"channel_type": _channel_type(conversation)})
        mentions = f"<@{seed.BOT_USER}>" in message.text or f"<@{seed.BOT_USER}|" in message.text
        if mentions and message.user != seed.BOT_USER and not conversation.is_im:
            self._send("app_mention", shape)

    def _changed(self, subtype: str, subject: Message, versions: dict[str, Message]) -> None:
        conversation = self._workspace.conversations[subject.channel]
        now = self._workspace.next_ts()
        event: Json = {
            "subtype": subtype,
            "hidden": True,
            "channel": subject.channel,
            "channel_type": _channel_type(conversation),
            "ts": now,
            "event_ts": now,
            **{key: _version(message, conversation) for key, message in versions.items()},
        }
        if subtype == "message_deleted":
            event["deleted_ts"] = subject.ts
        self._send("message", event)

    def _reacted(self, change: Reacted) -> None:
        if self._workspace.conversations[change.after.channel].is_im:
            return
        event = {
            "user": change.user,
            "reaction": change.name,
            "item": {"type": "message", "channel": change.after.channel, "ts": change.after.ts},
            "item_user": change.after.user,
            "event_ts": self._workspace.next_ts(),
        }
        self._send("reaction_added" if change.added else "reaction_removed", event)

    def _send(self, kind: str, event: Json) -> None:
        place = event.get("channel") or event.get("item", {}).get("channel", "")
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
                "event_context": _context(kind, place),
            }
        )


def _version(message: Message, conversation: Conversation) -> Json:
    """A version of a message inside a change: Slack leaves the reactions out."""
    shape = shapes.message(message, conversation)
    return {key: value for key, value in shape.items() if key != "reactions"}


def _channel_type(conversation: Conversation) -> str:
    return "im" if conversation.is_im else "channel"


def _context(kind: str, place: str) -> str:
    about = {"et": kind, "tid": seed.TEAM_ID, "aid": seed.APP_ID, "cid": place}
    return "4-" + base64.b64encode(json.dumps(about, separators=(",", ":")).encode()).decode()
