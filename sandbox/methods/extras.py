"""Minor methods: pins, bookmarks, unfurls, /me, blocks.validate, api.test, emoji.list."""

from typing import Any

from sandbox import seed, shapes
from sandbox.arguments import Arguments
from sandbox.blockkit import checked_blocks, checked_view
from sandbox.conversation import Conversation
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace


class Extras:
    """Minor features, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, links: Links) -> None:
        self._workspace = workspace
        self._links = links
        self._pins: dict[str, list[str]] = {}
        """Pinned messages by channel, newest first."""

    def methods(self) -> dict[str, Method]:
        return {
            "api.test": self.api_test,
            "blocks.validate": self.validate,
            "bookmarks.list": self.bookmarks,
            "chat.meMessage": self.me_message,
            "chat.unfurl": self.unfurl,
            "emoji.list": self.emoji,
            "pins.add": self.pin,
            "pins.list": self.pins,
            "pins.remove": self.unpin,
        }

    def api_test(self, arguments: Arguments) -> Json:
        """Return the arguments; `error` makes the call fail."""
        if error := arguments.text("error"):
            raise Refused(error)
        return {"args": arguments.values} if arguments.values else {}

    def validate(self, arguments: Arguments) -> Json:
        """Return the complaints about blocks, a view or a message's blocks, as {pointer, message}."""
        blocks, view, message = (arguments.structure(name) for name in ("blocks", "view", "message"))
        if sum(each is not None for each in (blocks, view, message)) != 1:
            raise Refused("invalid_arguments", "[ERROR] provide one of blocks, view and message")
        try:
            if view is not None:
                checked_view(view, kind=str(view.get("type")) if isinstance(view, dict) else "modal")
            else:
                checked_blocks(blocks if message is None else _blocks_of(message))
        except Refused as refused:
            complaints = refused.messages or (refused.error,)
            return {"valid": False, "errors": [_complaint(each) for each in complaints]}
        return {"valid": True, "errors": []}

    def bookmarks(self, arguments: Arguments) -> Json:
        """Return no bookmarks, since none can be created here."""
        self._workspace.conversation(arguments.required("channel_id"), member=seed.BOT_USER)
        return {"bookmarks": []}

    def me_message(self, arguments: Arguments) -> Json:
        message = self._workspace.post(
            arguments.required("channel"), arguments.required("text"), user=seed.BOT_USER, is_about_me=True
        )
        return {"channel": message.channel, "ts": message.ts}

    def unfurl(self, arguments: Arguments) -> Json:
        """Attach the app's unfurls to the links in a message."""
        room, ts = self._room(arguments), arguments.required("ts")
        unfurls = arguments.structure("unfurls")
        if not isinstance(unfurls, dict) or not all(isinstance(each, dict) for each in unfurls.values()):
            raise Refused("invalid_unfurls_format")
        message = room.message(ts)
        attachments = [
            {**each, "from_url": url, "is_app_unfurl": True} for url, each in unfurls.items() if url in message.text
        ]
        if not attachments:
            raise Refused("cannot_unfurl_url")
        self._workspace.attach(room.id, ts, attachments)
        return {}

    def emoji(self, arguments: Arguments) -> Json:
        """Return no custom emoji."""
        return {"emoji": {}, "cache_ts": seed.CREATED}

    def pin(self, arguments: Arguments) -> Json:
        room, ts = self._room(arguments), _timestamp(arguments)
        room.message(ts)
        pinned = self._pins.setdefault(room.id, [])
        if ts in pinned:
            raise Refused("already_pinned")
        pinned.insert(0, ts)
        return {}

    def unpin(self, arguments: Arguments) -> Json:
        room, ts = self._room(arguments), _timestamp(arguments)
        if ts not in self._pins.get(room.id, []):
            raise Refused("no_pin")
        self._pins[room.id].remove(ts)
        return {}

    def pins(self, arguments: Arguments) -> Json:
        room = self._room(arguments)
        pinned = [room.messages[ts] for ts in self._pins.get(room.id, []) if ts in room.messages]
        return {
            "items": [
                {
                    "type": "message",
                    "channel": room.id,
                    "created": seed.CREATED,
                    "created_by": seed.BOT_USER,
                    "message": shapes.message(each) | {"permalink": self._links.permalink(each)},
                }
                for each in pinned
            ]
        }

    def _room(self, arguments: Arguments) -> Conversation:
        return self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)


def _timestamp(arguments: Arguments) -> str:
    ts = arguments.text("timestamp")
    if ts is None:
        raise Refused("no_item_specified")
    return ts


def _blocks_of(message: Any) -> Any:
    return message.get("blocks") if isinstance(message, dict) else None


def _complaint(text: str) -> Json:
    """Split a complaint into message and pointer."""
    words, _, pointer = text.removeprefix("[ERROR] ").partition(" [json-pointer:")
    return {"message": words, "pointer": pointer.removesuffix("]")}
