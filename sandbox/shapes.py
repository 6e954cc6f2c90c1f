"""How Slack writes the nouns of the workspace as JSON; keys are those of Slack's own answers and events."""

import os
import time
from pathlib import Path

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Json, Message, Person

BOTS = {person.id: person for person in seed.PEOPLE if person.is_bot}

_LINES = ("channel_join", "channel_archive")
"""Subtypes of lines that Slack itself writes: they carry neither team nor blocks."""


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
    """As bots.info answers."""
    shape = {key: value for key, value in bot_profile(found).items() if key != "team_id"}
    return {**shape, "user_id": found.id}


def message(found: Message, conversation: Conversation | None = None, *, metadata: bool = False) -> Json:
    """A message; with its conversation given, it also carries the figures of its thread and its reactions."""
    shape: Json = {"type": "message", **_author(found), "text": found.text, "ts": found.ts}
    if found.subtype:
        shape["subtype"] = found.subtype
    if found.subtype == "tombstone":
        shape["hidden"] = True
    elif found.subtype not in _LINES:
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
    shape |= {key: value for key, value in optional.items() if value}
    return shape if conversation is None else shape | _in_thread(found, conversation)


def _author(found: Message) -> Json:
    bot = BOTS.get(found.user)
    if bot and found.username:
        return {"bot_id": bot.bot_id, "username": found.username}
    if found.user == seed.SLACKBOT or found.subtype in _LINES:
        return {"user": found.user}
    author: Json = {"user": found.user, "team": seed.TEAM_ID}
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
    """The first message of a thread inside a reply that was sent to the channel too."""
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


def conversation(found: Conversation) -> Json:
    """As conversations.list and conversations.info answer."""
    if found.is_im:
        return {
            "id": found.id,
            "created": seed.CREATED,
            "is_archived": False,
            "is_im": True,
            "is_org_shared": False,
            "context_team_id": seed.TEAM_ID,
            "updated": seed.CREATED * 1000,
            "user": next(user for user in found.members if user != seed.BOT_USER),
            "is_user_deleted": False,
            "priority": 0,
        }
    flags = ("im", "mpim", "shared", "org_shared", "ext_shared", "pending_ext_shared")
    return {
        "id": found.id,
        "name": found.name,
        "name_normalized": found.name,
        "created": found.created,
        "creator": found.creator,
        "updated": seed.CREATED * 1000,
        "unlinked": 0,
        "is_channel": not found.is_private,
        "is_group": found.is_private,
        "is_private": found.is_private,
        "is_archived": found.is_archived,
        "is_general": found.id == seed.GENERAL,
        "is_member": seed.BOT_USER in found.members,
        **{f"is_{flag}": False for flag in flags},
        "context_team_id": seed.TEAM_ID,
        "shared_team_ids": [seed.TEAM_ID],
        "pending_shared": [],
        "pending_connected_team_ids": [],
        "previous_names": [],
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
    }


def local_zone() -> str:
    """The zone of this machine, whose clock the page shows; UTC where its name is not known."""
    path = os.environ.get("TZ", "").lstrip(":") or str(Path("/etc/localtime").resolve())
    name = path.rpartition("zoneinfo/")[2]
    return name if "/" in name and not name.startswith("/") else "Etc/UTC"


def person(found: Person) -> Json:
    """As users.list and users.info answer."""
    shape: Json = {
        "id": found.id,
        "team_id": seed.TEAM_ID,
        "name": found.name.lower(),
        "deleted": False,
        "color": "4bbe2e",
        "real_name": found.name,
        "tz": local_zone(),
        "tz_label": time.strftime("%Z"),
        "tz_offset": time.localtime().tm_gmtoff,
        "profile": _profile(found),
        "is_admin": found.is_admin,
        "is_owner": found.is_admin,
        "is_primary_owner": found.is_admin,
        "is_restricted": found.is_guest,
        "is_ultra_restricted": False,
        "is_bot": found.is_bot,
        "is_app_user": False,
        "updated": seed.CREATED,
        "who_can_share_contact_card": "EVERYONE",
    }
    return shape if found.is_bot else {**shape, "is_email_confirmed": True}


def _profile(found: Person) -> Json:
    shape: Json = {
        "title": found.title,
        "phone": "",
        "skype": "",
        "real_name": found.name,
        "real_name_normalized": found.name,
        "display_name": found.name,
        "display_name_normalized": found.name,
        "status_text": "",
        "status_emoji": "",
        "status_expiration": 0,
        "avatar_hash": f"g{found.id.lower()}",
        "team": seed.TEAM_ID,
    }
    if found.is_bot:
        return {**shape, "api_app_id": found.app_id, "bot_id": found.bot_id, "always_active": True}
    return {**shape, "email": f"{found.name.lower()}@sandbox.example"}


def _icons() -> Json:
    return {f"image_{size}": f"https://sandbox.example/triage_{size}.png" for size in (36, 48, 72)}
