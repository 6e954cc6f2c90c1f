"""Events of messages and reactions, as Slack sends them."""

from sandbox import seed, shapes
from sandbox.conversation import Conversation
from sandbox.files import strip_details
from sandbox.models import LINES, Change, Deleted, Edited, Json, Message, Posted, Reacted
from sandbox.publisher import Publisher
from sandbox.workspace import Workspace

_ONLY_OF_LISTS = ("reactions", "reply_users")
"""Keys of a message that Slack's events leave out."""

_LEFT_OUT_OF_BROADCASTS = ("team", "parent_user_id")
"""Keys that are only in the `root` of a broadcast's event."""


class Events:
    """Listener of the workspace that publishes these events."""

    def __init__(self, workspace: Workspace, publisher: Publisher) -> None:
        self._workspace = workspace
        self._publisher = publisher

    def __call__(self, change: Change) -> None:
        match change:
            case Posted(message):
                self._publish_posted(message)
            case Edited(before, after):
                self._publish_changed("message_changed", after, {"message": after, "previous_message": before})
            case Deleted(message):
                self._publish_changed("message_deleted", message, {"previous_message": message})
            case Reacted():
                self._publish_reacted(change)

    def home_opened(self, user: str, tab: str, view: Json | None) -> None:
        channel = seed.direct_channel(user)
        event = {"user": user, "channel": channel, "tab": tab, "event_ts": self._now()}
        self._publisher.send("app_home_opened", event if view is None else {**event, "view": view}, channel, by=user)

    def _now(self) -> str:
        return self._workspace.next_ts()

    def _publish_posted(self, message: Message) -> None:
        if message.subtype == "assistant_app_thread":
            return  # the app gets the event of the new chat instead
        conversation = self._workspace.conversations[message.channel]
        shape = _version(message, conversation, metadata=True) | {"channel": message.channel, "event_ts": message.ts}
        left_out = _LEFT_OUT_OF_BROADCASTS if message.is_broadcast else ()
        event = {key: value for key, value in shape.items() if key not in left_out}
        if message.files and conversation.is_shared:
            event["files"] = [strip_details(file) for file in message.files]
        self._publisher.send("message", event | {"channel_type": conversation.kind}, message.channel, by=message.user)
        mentions = f"<@{seed.BOT_USER}>" in message.text or f"<@{seed.BOT_USER}|" in message.text
        is_line = message.subtype in LINES
        if mentions and message.user != seed.BOT_USER and not conversation.is_im and not is_line:
            for key in ("root", "parent_user_id", "metadata", "files", "attachments"):
                shape.pop(key, None)  # an app_mention has none of them
            shape["team"] = seed.TEAM_ID  # the mentioned app's; the author's is `user_team`
            self._publisher.send("app_mention", shape, message.channel, by=message.user)

    def _publish_changed(self, subtype: str, subject: Message, versions: dict[str, Message]) -> None:
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
        self._publisher.send("message", event, subject.channel, by=subject.user)

    def _publish_reacted(self, change: Reacted) -> None:
        event = {
            "user": change.user,
            "reaction": change.name,
            "item": {"type": "message", "channel": change.after.channel, "ts": change.after.ts},
            "item_user": change.after.user,
            "event_ts": self._now(),
        }
        kind = "reaction_added" if change.added else "reaction_removed"
        self._publisher.send(kind, event, change.after.channel, by=change.user)


def _version(message: Message, conversation: Conversation, *, metadata: bool = False) -> Json:
    """Return a message as it is inside an event."""
    shape = shapes.message(message, conversation, metadata=metadata)
    return {key: value for key, value in shape.items() if key not in _ONLY_OF_LISTS}
