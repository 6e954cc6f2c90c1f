"""Channels that come and go: made, joined and archived by the bot or by people.

Each step is told to the listeners of the workspace, and Slack's own line about it is written into the channel.
"""

import re
import secrets

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Archived, Created, Joined, Refused, Shared
from sandbox.workspace import Workspace

LONGEST_NAME = 80

_NAME = re.compile(r"[\w-]+")


class Rooms:
    """What may be done to channels; Slack's error codes for what may not."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def create(self, name: str, *, user: str, is_private: bool = False) -> Conversation:
        """A new channel with its maker as the first member."""
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
        """Enter a public channel; False when one was in it already."""
        if room.is_im or room.is_private:
            raise Refused("method_not_supported_for_channel_type")
        if room.is_archived:
            raise Refused("is_archived")
        if user in room.members:
            return False
        self._enter(room, user)
        return True

    def invite(self, room: Conversation, *, user: str, inviter: str) -> None:
        """Bring somebody into a channel."""
        if room.is_im:
            raise Refused("method_not_supported_for_channel_type")
        if room.is_archived:
            raise Refused("is_archived")
        if user in room.members:
            raise Refused("already_in_channel")
        if self._workspace.person(user).team not in room.teams:
            raise Refused("user_team_not_in_channel")
        self._enter(room, user, inviter)

    def share(self, room: Conversation, team: str) -> None:
        """Connect a channel with another team, whose people can then be invited."""
        if room.is_im:
            raise Refused("method_not_supported_for_channel_type")
        if team not in self._workspace.roster.teams:
            raise Refused("team_not_found")
        if team in room.teams:
            raise Refused("already_shared")
        room.teams = (*room.teams, team)
        self._workspace.tell(Shared(room.id, team))

    def archive(self, room: Conversation, *, user: str) -> None:
        if room.is_im:
            raise Refused("method_not_supported_for_channel_type")
        if room.id == seed.GENERAL:
            raise Refused("cant_archive_general")
        if room.is_archived:
            raise Refused("already_archived")
        self._workspace.note(room.id, "archived the channel", user=user, subtype="channel_archive")
        room.is_archived = True
        self._workspace.tell(Archived(room.id, user))

    def _enter(self, room: Conversation, user: str, inviter: str | None = None) -> None:
        room.members = (*room.members, user)
        self._workspace.tell(Joined(room.id, user, inviter))
        line = f"<@{user}> has joined the channel"
        self._workspace.note(room.id, line, user=user, subtype="channel_join", inviter=inviter)

    def _check_name(self, name: str) -> None:
        if len(name) > LONGEST_NAME:
            raise Refused("invalid_name_maxlength")
        if not any(letter.isalnum() for letter in name):
            raise Refused("invalid_name_punctuation" if name else "invalid_name_required")
        if name != name.lower() or not _NAME.fullmatch(name):
            raise Refused("invalid_name_specials")
        if name in self._workspace.rooms():
            raise Refused("name_taken")
