"""How Slack writes the nouns of the workspace as JSON; keys are those of Slack's own answers and events."""

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Json, Message, Person


def bot_profile() -> Json:
    return {
        "id": seed.BOT_ID,
        "deleted": False,
        "name": "triage",
        "updated": seed.CREATED,
        "app_id": seed.APP_ID,
        "icons": _icons(),
        "team_id": seed.TEAM_ID,
    }


def bot() -> Json:
    """As bots.info answers."""
    shape = {key: value for key, value in bot_profile().items() if key != "team_id"}
    return {**shape, "user_id": seed.BOT_USER}


def message(found: Message, conversation: Conversation | None = None, *, metadata: bool = False) -> Json:
    """A message; with its conversation given, it also carries the figures of its thread and its reactions."""
    shape: Json = {"type": "message", "user": found.user, "text": found.text, "ts": found.ts}
    if found.subtype:
        shape |= {"subtype": found.subtype, "hidden": True}
    if found.client_msg_id:
        shape["client_msg_id"] = found.client_msg_id
    if found.user == seed.BOT_USER:
        shape |= {"bot_id": seed.BOT_ID, "app_id": seed.APP_ID, "bot_profile": bot_profile()}
    if found.user != seed.SLACKBOT:
        shape |= {"team": seed.TEAM_ID, "blocks": found.blocks}
    if found.edited:
        shape["edited"] = found.edited
    if found.thread_ts:
        shape["thread_ts"] = found.thread_ts
    if metadata and found.metadata:
        shape["metadata"] = found.metadata
    return shape if conversation is None else shape | _in_thread(found, conversation)


def _in_thread(found: Message, conversation: Conversation) -> Json:
    shape: Json = {}
    if found.is_reply and found.thread_ts in conversation.messages:
        shape["parent_user_id"] = conversation.messages[found.thread_ts].user
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
    flags = ("group", "im", "mpim", "private", "archived", "shared", "org_shared", "ext_shared", "pending_ext_shared")
    return {
        "id": found.id,
        "name": found.name,
        "name_normalized": found.name,
        "created": seed.CREATED,
        "creator": "U0ADMIN",
        "updated": seed.CREATED * 1000,
        "unlinked": 0,
        "is_channel": True,
        "is_general": found.id == "C0GENERAL",
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


def person(found: Person) -> Json:
    """As users.list and users.info answer."""
    shape: Json = {
        "id": found.id,
        "team_id": seed.TEAM_ID,
        "name": found.name.lower(),
        "deleted": False,
        "color": "4bbe2e",
        "real_name": found.name,
        "tz": "Etc/UTC",
        "tz_label": "Coordinated Universal Time",
        "tz_offset": 0,
        "profile": _profile(found),
        "is_admin": found.is_admin,
        "is_owner": found.is_admin,
        "is_primary_owner": found.is_admin,
        "is_restricted": False,
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
        return {**shape, "api_app_id": seed.APP_ID, "bot_id": seed.BOT_ID, "always_active": True}
    return {**shape, "email": f"{found.name.lower()}@sandbox.example"}


def _icons() -> Json:
    return {f"image_{size}": f"https://sandbox.example/triage_{size}.png" for size in (36, 48, 72)}
