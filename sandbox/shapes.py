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


def bot(found: Person) -> Json:
    """Return a bot as bots.info answers it."""
    shape = {key: value for key, value in bot_profile(found).items() if key != "team_id"}
    return {**shape, "user_id": found.id}


def message(found: Message, conversation: Conversation | None = None, *, metadata: bool = False) -> Json:
    """Return a message; with its conversation, it includes its thread's figures and its reactions."""
    shape: Json = {"type": "message", **_author(found), "text": found.text, "ts": found.ts}
    if found.subtype:
        shape["subtype"] = found.subtype
    if found.subtype == "tombstone":
        shape["hidden"] = True
    elif found.subtype not in LINES:  # a message by Slack has neither team nor blocks
        shape["blocks"] = found.blocks
    optional = {
        "client_msg_id": found.client_msg_id,
        "inviter": found.inviter,
        "edited": found.edited,
        "thread_ts": found.thread_ts,
        "metadata": found.metadata if metadata else None,
        "attachments": found.attachments,
        "files": found.files,
    }
    shape |= {key: value for key, value in optional.items() if value} | (found.details or {})
    return shape if conversation is None else shape | _in_thread(found, conversation)


def _author(found: Message) -> Json:
    bot = BOTS.get(found.user)
    if bot and found.username:
        return {"bot_id": bot.bot_id, "username": found.username}
    if found.user == seed.SLACKBOT or found.subtype in LINES:
        return {"user": found.user}
    author: Json = {"user": found.user, "team": found.team, **(found.origin or {})}
    return author | {"bot_id": bot.bot_id, "app_id": bot.app_id, "bot_profile": bot_profile(bot)} if bot else author


def _in_thread(found: Message, conversation: Conversation) -> Json:
    shape: Json = {}
    if found.is_reply and found.thread_ts in conversation.messages:
        shape["parent_user_id"] = conversation.messages[found.thread_ts].user
        if found.is_broadcast:
            shape["root"] = _root(conversation.messages[found.thread_ts], conversation)
    replies = conversation.replies(found.ts)
    if replies:
        users = list(dict.fromkeys(reply.user for reply in replies))
        shape |= {
            "thread_ts": found.ts,
            "reply_count": len(replies),
            "reply_users_count": len(users),
            "latest_reply": replies[-1].ts,
            "reply_users": users[:5],
            "is_locked": False,
            "subscribed": False,
        }
    if found.reactions:
        shape["reactions"] = reactions(found)
    return shape


def _root(found: Message, conversation: Conversation) -> Json:
    """Return a thread's root as it is inside a broadcast reply."""
    shape = {"type": "message", "text": found.text, "ts": found.ts, **_in_thread(found, conversation)}
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
    return {key: value for key, value in {**_author(found), **shape}.items() if key in wanted}


def reactions(found: Message) -> list[Json]:
    return [{"name": name, "users": users, "count": len(users)} for name, users in found.reactions.items()]


def _icons() -> Json:
    return {f"image_{size}": f"https://sandbox.example/triage_{size}.png" for size in (36, 48, 72)}
