"""Methods reactions.*: the bot's reactions to messages."""

from sandbox import seed, shapes
from sandbox.arguments import Arguments
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace

_SHOWN_KEYS = ("type", "user", "bot_id", "app_id", "team", "bot_profile", "text", "ts", "blocks", "permalink")
"""Keys of a message in the answer."""


class Reactions:
    """Reactions, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, links: Links) -> None:
        self._workspace = workspace
        self._links = links

    def methods(self) -> dict[str, Method]:
        return {"reactions.add": self.add, "reactions.remove": self.remove, "reactions.get": self.get}

    def add(self, arguments: Arguments) -> Json:
        channel, ts = _item(arguments)
        self._workspace.react(channel, ts, arguments.required("name"), user=seed.BOT_USER)
        return {}

    def remove(self, arguments: Arguments) -> Json:
        channel, ts = _item(arguments)
        self._workspace.react(channel, ts, arguments.required("name"), user=seed.BOT_USER, remove=True)
        return {}

    def get(self, arguments: Arguments) -> Json:
        channel, ts = _item(arguments)
        conversation = self._workspace.conversation(channel, member=seed.BOT_USER)
        message = conversation.message(ts)
        shape = shapes.message(message) | {"permalink": self._links.permalink(message)}
        shape = {key: value for key, value in shape.items() if key in _SHOWN_KEYS}
        if message.reactions:
            shape["reactions"] = shapes.reactions(message)
        return {"type": "message", "channel": conversation.id, "message": shape}


def _item(arguments: Arguments) -> tuple[str, str]:
    channel, ts = arguments.text("channel"), arguments.text("timestamp")
    if channel is None or ts is None:
        raise Refused("no_item_specified")
    return channel, ts
