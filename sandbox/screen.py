"""What one person sees now, as GET /human/view answers it and the page draws it."""

from sandbox.conversation import Conversation
from sandbox.dialogs import Dialogs
from sandbox.models import Json, Message, micros
from sandbox.workspace import Workspace


def screen(user: str, *, workspace: Workspace, dialogs: Dialogs) -> Json:
    """Channels, direct messages and dialogs of this person; ephemerals stand where they were shown."""
    seen = workspace.seen_by(user)
    own = list(workspace.ephemerals[user].values())
    return {
        "user": user,
        "channels": [
            {"id": each.id, "name": each.name, "messages": _messages(each, own)} for each in seen if not each.is_im
        ],
        "dms": [
            {"id": each.id, "with": _other(each, user), "messages": _messages(each, own)} for each in seen if each.is_im
        ],
        "views": dialogs.of(user),
        "home": None,
    }


def _other(conversation: Conversation, user: str) -> str:
    return next(member for member in conversation.members if member != user)


def _messages(conversation: Conversation, own: list[Message]) -> list[Json]:
    shown = [_with_replies(conversation.messages[ts], conversation) for ts in conversation.roots]
    by_ts = {message["ts"]: message for message in shown}
    for message in own:
        if message.channel != conversation.id:
            continue
        root = by_ts.get(message.thread_ts or "")
        place = shown if root is None else root["replies"]
        place.append(_message(message) | {"ephemeral": True})
        place.sort(key=_order)
    return shown


def _with_replies(message: Message, conversation: Conversation) -> Json:
    return _message(message) | {"replies": [_message(reply) for reply in conversation.replies(message.ts)]}


def _message(message: Message) -> Json:
    shape: Json = {
        "ts": message.ts,
        "user": message.user,
        "text": message.text,
        "blocks": message.blocks,
        "reactions": [{"name": name, "users": users} for name, users in message.reactions.items()],
        "edited": message.edited is not None,
        "replies": [],
    }
    if message.metadata:
        shape["metadata"] = message.metadata
    if message.subtype:
        shape["subtype"] = message.subtype
    return shape


def _order(shape: Json) -> int:
    return micros(shape["ts"])
