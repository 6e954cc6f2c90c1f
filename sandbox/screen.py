"""Screen: all that one person sees now, as answered by GET /human/view and rendered by the page."""

from sandbox import seed
from sandbox.assistance import Assistance
from sandbox.conversation import Conversation
from sandbox.dialogs import Dialogs
from sandbox.ephemerals import Screen
from sandbox.homes import Homes
from sandbox.models import Json, Message, micros
from sandbox.workspace import Workspace


def screen(
    user: str,
    page: Screen | None,
    *,
    app_active: bool,
    workspace: Workspace,
    dialogs: Dialogs,
    homes: Homes,
    assistance: Assistance,
) -> Json:
    """Return a person's channels, direct messages, dialogs and Home, with the ephemeral messages on this page."""
    own = workspace.ephemerals.messages_of(user, page)
    channels, dms = [], []
    for each in workspace.seen_by(user):
        shape: Json = {"id": each.id, "messages": _messages(each, own), "threads": assistance.threads_of(each.id)}
        if each.is_im:
            dms.append({**shape, "with": _other_member(each, user)})
        else:
            facts = {"name": each.name, "is_private": each.is_private, "is_archived": each.is_archived}
            channels.append({**shape, **facts, "shared_with": _other_teams(each, user, workspace), "hint": each.hint})
    return {
        "user": user,
        "active": user not in workspace.away,
        "app_active": app_active,
        "channels": channels,
        "dms": dms,
        "views": dialogs.views_of(user),
        "home": homes.view_of(user),
        "notice": workspace.notice,
        "newest_direct": _newest_direct(workspace),
    }


def _newest_direct(workspace: Workspace) -> Json:
    """Return, by person, the ts of the newest message of the app in their direct messages, which the page marks."""
    newest: Json = {}
    for each in workspace.conversations.values():
        if each.is_im and seed.BOT_USER in each.members:
            ts = next((ts for ts, message in reversed(each.messages.items()) if message.user == seed.BOT_USER), None)
            if ts:
                newest[_other_member(each, seed.BOT_USER)] = ts
    return newest


def _other_teams(conversation: Conversation, user: str, workspace: Workspace) -> list[str]:
    """Return the names of the other teams of a channel."""
    own = workspace.person(user).team
    return [workspace.roster.teams[team].name for team in conversation.teams if team != own]


def _other_member(conversation: Conversation, user: str) -> str:
    return next(member for member in conversation.members if member != user)


def _messages(conversation: Conversation, own: list[Message]) -> list[Json]:
    messages = [_with_replies(conversation.messages[ts], conversation) for ts in conversation.roots]
    by_ts = {message["ts"]: message for message in messages}
    for message in own:
        if message.channel != conversation.id:
            continue
        root = by_ts.get(message.thread_ts or "")
        place = messages if root is None else root["replies"]
        place.append(_message(message) | {"ephemeral": True})
        place.sort(key=_order)
    return messages


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
    for name in ("subtype", "username", "thread_ts", "attachments", "files"):
        if (value := getattr(message, name)) is not None:
            shape[name] = value
    return shape


def _order(shape: Json) -> int:
    return micros(shape["ts"])
