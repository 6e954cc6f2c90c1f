"""JSON of messages and bots, with the keys of Slack's answers and events."""

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import LINES, Json, Message, Person

BOTS = {person.id: person for person in seed.PEOPLE if person.is_bot}


def bot_profile(bot: Person) -> Json:
    return {
        "id": bot.bot_id,
        "deleted": False,
        "name": bot.name.lower(),
        "updated": seed.CREATED,
        "app_id": bot.app_id,
        "icons": _icons(),
        "team_id": seed.TEAM_ID,
    }


def bot(user: Person) -> Json:
    """Return a bot as bots.info answers it."""
    shape = {key: value for key, value in bot_profile(user).items() if key != "team_id"}
    return {**shape, "user_id": user.id}


def message(stored: Message, conversation: Conversation | None = None, *, metadata: bool = False) -> Json:
    """Return a message; with its conversation, it includes its thread's figures and its reactions."""
    shape: Json = {"type": "message", **_author(stored), "text": stored.text, "ts": stored.ts}
    if stored.subtype:
        shape["subtype"] = stored.subtype
    if stored.subtype == "tombstone":
        shape["hidden"] = True
    elif stored.subtype not in LINES:  # a message by Slack has neither team nor blocks
        shape["blocks"] = stored.blocks
    optional = {
        "client_msg_id": stored.client_msg_id,
        "inviter": stored.inviter,
        "edited": stored.edited,
        "thread_ts": stored.thread_ts,
        "metadata": stored.metadata if metadata else None,
        "attachments": stored.attachments,
        "files": stored.files,
    }
    shape |= {key: value for key, value in optional.items() if value} | (stored.details or {})
    return shape if conversation is None else shape | _in_thread(stored, conversation)


def _author(stored: Message) -> Json:
    bot = BOTS.get(stored.user)
    if bot and stored.username:
        return {"bot_id": bot.bot_id, "username": stored.username}
    if stored.user == seed.SLACKBOT or stored.subtype in LINES:
        return {"user": stored.user}
    author: Json = {"user": stored.user, "team": stored.team, **(stored.origin or {})}
    return author | {"bot_id": bot.bot_id, "app_id": bot.app_id, "bot_profile": bot_profile(bot)} if bot else author


def _in_thread(stored: Message, conversation: Conversation) -> Json:
    shape: Json = {}
    if stored.is_reply and stored.thread_ts in conversation.messages:
        shape["parent_user_id"] = conversation.messages[stored.thread_ts].user
        if stored.is_broadcast:
            shape["root"] = _root(conversation.messages[stored.thread_ts], conversation)
    replies = conversation.replies(stored.ts)
    if replies:
        users = list(dict.fromkeys(reply.user for reply in replies))
        shape |= {
            "thread_ts": stored.ts,
            "reply_count": len(replies),
            "reply_users_count": len(users),
            "latest_reply": replies[-1].ts,
            "reply_users": users[:5],
            "is_locked": False,
            "subscribed": False,
        }
    if stored.reactions:
        shape["reactions"] = reactions(stored)
    return shape


def _root(stored: Message, conversation: Conversation) -> Json:
    """Return a thread's root as it is inside a broadcast reply."""
    shape = {"type": "message", "text": stored.text, "ts": stored.ts, **_in_thread(stored, conversation)}
    wanted = (
        "type",
        "text",
        "ts",
        "bot_id",
        "thread_ts",
        "reply_count",
        "reply_users_count",
        "latest_reply",
        "subscribed",
    )
    return {key: value for key, value in {**_author(stored), **shape}.items() if key in wanted}


def reactions(stored: Message) -> list[Json]:
    return [{"name": name, "users": users, "count": len(users)} for name, users in stored.reactions.items()]


def _icons() -> Json:
    return {f"image_{size}": f"https://sandbox.example/triage_{size}.png" for size in (36, 48, 72)}
