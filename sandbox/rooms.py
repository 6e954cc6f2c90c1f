"""Channel operations: create, join, leave, archive, rename and delete, by the bot or by people.

The listeners of the workspace are told of each, and Slack's own message about it is added to the channel.
"""

import re
import secrets

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Archived, Created, Joined, Left, Redescribed, Refused, RoomDeleted, Shared
from sandbox.workspace import Workspace

LONGEST_NAME = 80
LONGEST_TOPIC = 250

_NAME = re.compile(r"[\w-]+")


class Rooms:
    """Operations on channels, with Slack's error codes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def create(self, name: str, *, user: str, is_private: bool = False) -> Conversation:
        """Create a channel with its creator as the first member."""
        self._check_name(name)
        channel = f"C{secrets.token_hex(5).upper()}"
        created = int(self._workspace.clock())
        teams = (self._workspace.person(user).team,)
        room = Conversation(channel, name, (), is_private=is_private, creator=user, created=created, teams=teams)
        self._workspace.conversations[channel] = room
        self._workspace.tell(Created(channel, user))
        self._enter(room, user)
        return room

    def join(self, room: Conversation, *, user: str) -> bool:
        """Join a public channel; return False if already a member."""
        if room.is_im or room.is_private:
            raise Refused("method_not_supported_for_channel_type")
        if room.is_archived:
            raise Refused("is_archived")
        if user in room.members:
            return False
        self._enter(room, user)
        return True

    def invite(self, room: Conversation, *, user: str, inviter: str) -> None:
        """Invite somebody to a channel."""
        self.check_invitation(room, user=user, inviter=inviter)
        self._enter(room, user, inviter)

    def check_invitation(self, room: Conversation, *, user: str, inviter: str) -> None:
        """Refuse what `invite` would refuse."""
        _check_kind(room)
        if user == inviter:
            raise Refused("cant_invite_self")
        if room.is_archived:
            raise Refused("is_archived")
        if user in room.members:
            raise Refused("already_in_channel")
        if self._workspace.person(user).team not in room.teams:
            raise Refused("user_team_not_in_channel")

    def leave(self, room: Conversation, *, user: str) -> bool:
        """Leave a channel; return False if not a member."""
        _check_kind(room)
        if room.id == seed.GENERAL:
            raise Refused("cant_leave_general")
        if room.is_archived:
            raise Refused("is_archived")
        if user not in room.members:
            return False
        self._exit(room, user, by=user)
        return True

    def kick(self, room: Conversation, *, user: str, by: str) -> None:
        """Remove somebody else from a channel."""
        _check_kind(room)
        if user == by:
            raise Refused("cant_kick_self")
        if room.id == seed.GENERAL:
            raise Refused("cant_kick_from_general")
        if user not in room.members:
            raise Refused("not_in_channel")
        self._exit(room, user, by=by)

    def archive(self, room: Conversation, *, user: str) -> None:
        _check_kind(room)
        if room.id == seed.GENERAL:
            raise Refused("cant_archive_general")
        if room.is_archived:
            raise Refused("already_archived")
        self._workspace.note(room.id, "archived the channel", user=user, subtype="channel_archive")
        room.is_archived = True
        self._workspace.tell(Archived(room.id, user))

    def unarchive(self, room: Conversation, *, user: str) -> None:
        _check_kind(room)
        if not room.is_archived:
            raise Refused("not_archived")
        room.is_archived = False
        self._workspace.tell(Archived(room.id, user, again_open=True))
        self._workspace.note(room.id, "un-archived the channel", user=user, subtype="channel_unarchive")

    def rename(self, room: Conversation, name: str, *, user: str) -> None:
        _check_kind(room)
        if room.is_archived:
            raise Refused("is_archived")
        self._check_name(name)
        before, room.name = room.name, name
        room.previous_names = (before, *room.previous_names)
        self._workspace.tell(Redescribed(room.id, is_renamed=True))
        line = f'has renamed the channel from "{before}" to "{name}"'
        self._workspace.note(
            room.id, line, user=user, subtype="channel_name", details={"old_name": before, "name": name}
        )

    def describe(self, room: Conversation, what: str, value: str, *, user: str) -> None:
        """Set the `topic` or the `purpose` of a channel."""
        _check_kind(room)
        if room.is_archived:
            raise Refused("is_archived")
        if len(value) > LONGEST_TOPIC:
            raise Refused("too_long")
        setattr(room, what, value)
        self._workspace.tell(Redescribed(room.id))
        line = f"set the channel {what}: {value}"
        self._workspace.note(room.id, line, user=user, subtype=f"channel_{what}", details={what: value})

    def delete(self, room: Conversation, *, user: str) -> None:
        """Delete a channel with its messages."""
        _check_kind(room)
        if room.id == seed.GENERAL:
            raise Refused("cant_delete_general")
        del self._workspace.conversations[room.id]
        self._workspace.tell(RoomDeleted(room.id, user, room.is_private, room.members))

    def share(self, room: Conversation, team: str) -> None:
        """Share a channel with another team, whose people can then be invited."""
        _check_kind(room)
        if team not in self._workspace.roster.teams:
            raise Refused("team_not_found")
        if team in room.teams:
            raise Refused("already_shared")
        room.teams = (*room.teams, team)
        self._workspace.tell(Shared(room.id, team))

    def unshare(self, room: Conversation, team: str, *, is_frozen: bool = False) -> None:
        """End the sharing with a team and remove its people; `is_frozen` archives the channel."""
        if team not in room.teams[1:]:
            raise Refused("not_shared")
        room.teams = tuple(each for each in room.teams if each != team)
        room.members = tuple(user for user in room.members if self._workspace.person(user).team != team)
        room.is_frozen = is_frozen
        room.is_archived = room.is_archived or is_frozen
        self._workspace.tell(Shared(room.id, team, is_ended=True))

    def _enter(self, room: Conversation, user: str, inviter: str | None = None) -> None:
        room.members = (*room.members, user)
        self._workspace.tell(Joined(room.id, user, inviter))
        line = f"<@{user}> has joined the channel"
        self._workspace.note(room.id, line, user=user, subtype="channel_join", inviter=inviter)

    def _exit(self, room: Conversation, user: str, *, by: str) -> None:
        room.members = tuple(member for member in room.members if member != user)
        self._workspace.tell(Left(room.id, user, by))
        line = "has left the channel" if user == by else f"was removed from the channel by <@{by}>"
        self._workspace.note(room.id, f"<@{user}> {line}", user=user, subtype="channel_leave")

    def _check_name(self, name: str) -> None:
        if len(name) > LONGEST_NAME:
            raise Refused("invalid_name_maxlength")
        if not any(letter.isalnum() for letter in name):
            raise Refused("invalid_name_punctuation" if name else "invalid_name_required")
        if name != name.lower() or not _NAME.fullmatch(name):
            raise Refused("invalid_name_specials")
        if name in self._workspace.rooms():
            raise Refused("name_taken")


def _check_kind(room: Conversation) -> None:
    if room.is_im:
        raise Refused("method_not_supported_for_channel_type")
