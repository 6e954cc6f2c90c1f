"""Methods chat.*: the bot's messages."""

import json
from typing import Any

from sandbox import seed, shapes
from sandbox.arguments import Arguments
from sandbox.blockkit import checked_blocks
from sandbox.links import Links
from sandbox.manifest import Manifest
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace

MOST_ATTACHMENTS = 100
LONGEST_UPDATE = 4_000
"""Characters of the text of an update; a post is cut off at a larger one instead."""
LONGEST_METADATA = 8_000
"""Characters of an event_payload; Slack documents no figure."""

_LEFT_OUT_OF_UPDATES = frozenset(
    [
        "ts",
        "thread_ts",
        "parent_user_id",
        "reactions",
        "reply_count",
        "reply_users",
        "reply_users_count",
        "latest_reply",
        "is_locked",
        "subscribed",
        "subtype",
    ]
)


class Chat:
    """Messages of the bot, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, links: Links, manifest: Manifest | None) -> None:
        self._workspace = workspace
        self._links = links
        self._has_messages = manifest is None or manifest.has_messages

    def methods(self) -> dict[str, Method]:
        return {
            "chat.postMessage": self.post_message,
            "chat.update": self.update,
            "chat.delete": self.delete,
            "chat.postEphemeral": self.post_ephemeral,
            "chat.getPermalink": self.get_permalink,
        }

    def post_message(self, arguments: Arguments) -> Json:
        channel = self._channel_id(arguments)
        text, blocks = content_of(arguments)
        message = self._workspace.post(
            channel,
            text or "",
            user=seed.BOT_USER,
            blocks=blocks,
            thread_ts=arguments.text("thread_ts"),
            broadcast=arguments.flag("reply_broadcast"),
            metadata=metadata_of(arguments.structure("metadata")),
            attachments=_attachments(arguments),
        )
        shape = shapes.message(message, self._workspace.conversations[message.channel], metadata=True)
        return {"channel": message.channel, "ts": message.ts, "message": shape}

    def update(self, arguments: Arguments) -> Json:
        channel, ts = arguments.required("channel"), arguments.required("ts")
        text, blocks = content_of(arguments)
        if text is not None and len(text) > LONGEST_UPDATE:
            raise Refused("msg_too_long")
        message = self._workspace.edit(
            channel,
            ts,
            user=seed.BOT_USER,
            text=text,
            blocks=blocks,
            broadcast=arguments.flag("reply_broadcast"),
            metadata=metadata_of(arguments.structure("metadata")),
            attachments=_attachments(arguments),
        )
        shape = shapes.message(message, metadata=True)
        visible = {key: value for key, value in shape.items() if key not in _LEFT_OUT_OF_UPDATES}
        return {"channel": message.channel, "ts": message.ts, "text": message.text, "message": visible}

    def delete(self, arguments: Arguments) -> Json:
        channel, ts = arguments.required("channel"), arguments.required("ts")
        conversation = self._workspace.conversation(channel, member=seed.BOT_USER)
        self._workspace.delete(conversation.id, ts, user=seed.BOT_USER)
        return {"channel": conversation.id, "ts": ts}

    def post_ephemeral(self, arguments: Arguments) -> Json:
        channel, user = self._channel_id(arguments), arguments.required("user")
        text, blocks = content_of(arguments)
        thread_ts = arguments.text("thread_ts")
        message = self._workspace.whisper(channel, text or "", user=user, blocks=blocks, thread_ts=thread_ts)
        return {"message_ts": message.ts}

    def _channel_id(self, arguments: Arguments) -> str:
        """Return the channel id; Slack accepts a bare channel name here too."""
        channel = arguments.required("channel")
        if channel.startswith(("D", "U")) and not self._has_messages:
            raise Refused("messages_tab_disabled")
        return self._workspace.rooms().get(channel.lower(), channel)

    def get_permalink(self, arguments: Arguments) -> Json:
        conversation = self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)
        message = conversation.message(arguments.required("message_ts"))
        return {"channel": conversation.id, "permalink": self._links.permalink(message)}


def content_of(arguments: Arguments) -> tuple[str | None, list[Json] | None]:
    """Return a message's text and blocks; refused without text, blocks and attachments."""
    text, blocks = arguments.text("text"), arguments.structure("blocks")
    markdown = arguments.text("markdown_text")
    if markdown is not None:
        if text is not None or blocks:
            raise Refused("markdown_text_conflict")
        return markdown, checked_blocks([{"type": "markdown", "text": markdown}])
    if text is None and not blocks and not arguments.structure("attachments"):
        raise Refused("no_text")
    return text, None if blocks is None else checked_blocks(blocks)


def _attachments(arguments: Arguments) -> list[Json] | None:
    """Return attachments as Slack stores them, numbered, with their blocks checked."""
    value = arguments.structure("attachments")
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise Refused("invalid_attachments")
    if len(value) > MOST_ATTACHMENTS:
        raise Refused("too_many_attachments")
    return [
        {**each, **({"blocks": checked_blocks(each["blocks"])} if "blocks" in each else {}), "id": number}
        for number, each in enumerate(value, start=1)
    ]


def metadata_of(value: Any) -> Json | None:
    if value is None:
        return None
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("event_type"), str)
        or not isinstance(value.get("event_payload"), dict)
    ):
        raise Refused("invalid_metadata_format")
    if len(json.dumps(value)) > LONGEST_METADATA:
        raise Refused("metadata_too_large")
    return {"event_type": value["event_type"], "event_payload": value["event_payload"]}
