"""JSON of channels and direct messages, as Slack writes it."""

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Json
from sandbox.roster import Roster

_ONLY_IN_INFO = ("connected_team_ids", "internal_team_ids", "conversation_host_id")


def conversation(found: Conversation, roster: Roster) -> Json:
    """Return a conversation as conversations.list answers it."""
    shape = described(found, roster)
    return {key: value for key, value in shape.items() if key not in _ONLY_IN_INFO}


def described(found: Conversation, roster: Roster) -> Json:
    """Return a conversation as conversations.info answers it, with the teams of a shared channel."""
    if found.is_im:
        return _direct(found, roster)
    external = [team for team in found.teams if roster.is_foreign(team)]
    internal = [team for team in found.teams if team not in external]
    flags = {
        "im": False,
        "mpim": False,
        "shared": found.is_shared,
        "org_shared": len(internal) > 1,
        "ext_shared": bool(external),
        "pending_ext_shared": False,
    }
    shape: Json = {
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
        **{f"is_{flag}": value for flag, value in flags.items()},
        "context_team_id": seed.TEAM_ID,
        "shared_team_ids": list(found.teams),
        "pending_shared": [],
        "pending_connected_team_ids": [],
        "previous_names": list(found.previous_names),
        "topic": _described(found.topic, found),
        "purpose": _described(found.purpose, found),
    }
    if found.is_frozen:
        shape |= {"is_frozen": True, "frozen_reason": "connection_severed"}
    if found.is_shared:
        shape |= {
            "conversation_host_id": found.teams[0],
            "connected_team_ids": external,
            "internal_team_ids": internal,
        }
    return shape


def _described(value: str, found: Conversation) -> Json:
    return {"value": value, "creator": found.creator if value else "", "last_set": found.created if value else 0}


def _direct(found: Conversation, roster: Roster) -> Json:
    user = next(user for user in found.members if user != seed.BOT_USER)
    return {
        "id": found.id,
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
