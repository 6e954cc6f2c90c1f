"""JSON of channels and direct messages, as Slack writes it."""

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Json
from sandbox.roster import Roster

_ONLY_IN_INFO = ("connected_team_ids", "internal_team_ids", "conversation_host_id")


def conversation(room: Conversation, roster: Roster) -> Json:
    """Return a conversation as conversations.list answers it."""
    shape = describe(room, roster)
    return {key: value for key, value in shape.items() if key not in _ONLY_IN_INFO}


def describe(room: Conversation, roster: Roster) -> Json:
    """Return a conversation as conversations.info answers it, with the teams of a shared channel."""
    if room.is_im:
        return _direct(room, roster)
    external = [team for team in room.teams if roster.is_foreign(team)]
    internal = [team for team in room.teams if team not in external]
    flags = {
        "im": False,
        "mpim": False,
        "shared": room.is_shared,
        "org_shared": len(internal) > 1,
        "ext_shared": bool(external),
        "pending_ext_shared": False,
    }
    shape: Json = {
        "id": room.id,
        "name": room.name,
        "name_normalized": room.name,
        "created": room.created,
        "creator": room.creator,
        "updated": seed.CREATED * 1000,
        "unlinked": 0,
        "is_channel": not room.is_private,
        "is_group": room.is_private,
        "is_private": room.is_private,
        "is_archived": room.is_archived,
        "is_general": room.id == seed.GENERAL,
        "is_member": seed.BOT_USER in room.members,
        **{f"is_{flag}": value for flag, value in flags.items()},
        "context_team_id": seed.TEAM_ID,
        "shared_team_ids": list(room.teams),
        "pending_shared": [],
        "pending_connected_team_ids": [],
        "previous_names": list(room.previous_names),
        "topic": _describe_topic(room.topic, room),
        "purpose": _describe_topic(room.purpose, room),
    }
    if room.is_frozen:
        shape |= {"is_frozen": True, "frozen_reason": "connection_severed"}
    if room.is_shared:
        shape |= {
            "conversation_host_id": room.teams[0],
            "connected_team_ids": external,
            "internal_team_ids": internal,
        }
    return shape


def _describe_topic(value: str, room: Conversation) -> Json:
    return {"value": value, "creator": room.creator if value else "", "last_set": room.created if value else 0}


def _direct(room: Conversation, roster: Roster) -> Json:
    user = next(user for user in room.members if user != seed.BOT_USER)
    return {
        "id": room.id,
        "created": seed.CREATED,
        "is_archived": False,
        "is_im": True,
        "is_org_shared": False,
        "context_team_id": seed.TEAM_ID,
        "updated": seed.CREATED * 1000,
        "user": user,
        "is_user_deleted": roster.person(user).is_deactivated,
        "priority": 0,
    }
