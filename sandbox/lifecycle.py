"""Events of channels, people and the installation, as Slack sends them."""

from sandbox import conversation_shapes, seed
from sandbox.conversation import Conversation
from sandbox.models import (
    Archived,
    Change,
    Created,
    InstallationChanged,
    Joined,
    Json,
    Left,
    Person,
    PersonChanged,
    Redescribed,
    RoomDeleted,
    Shared,
)
from sandbox.person_shapes import person
from sandbox.publisher import Publisher
from sandbox.workspace import Workspace


class Lifecycle:
    """Listener of the workspace that publishes these events."""

    def __init__(self, workspace: Workspace, publisher: Publisher) -> None:
        self._workspace = workspace
        self._publisher = publisher

    def __call__(self, change: Change) -> None:
        match change:
            case Created() | RoomDeleted() | Archived() | Redescribed() | Shared():
                self._room_changed(change)
            case Joined() | Left():
                self._members_changed(change)
            case PersonChanged(before, after):
                self._person_changed(before, after)
            case InstallationChanged(state):
                self._installation_changed(state)

    def _now(self) -> str:
        return self._workspace.next_ts()

    def _room_changed(self, change: Created | RoomDeleted | Archived | Redescribed | Shared) -> None:
        match change:
            case Created(channel):
                self._publish_created(self._workspace.conversations[channel])
            case RoomDeleted(channel, user, is_private, members):
                self._publish_deleted(channel, user, is_private=is_private, was_member=seed.BOT_USER in members)
            case Archived():
                self._publish_archived(change)
            case Redescribed(channel, is_renamed) if is_renamed:
                self._publish_renamed(self._workspace.conversations[channel])
            case Shared():
                self._publish_shared(change)

    def _publish_shared(self, change: Shared) -> None:
        event: Json = {"channel": change.channel, "event_ts": self._now()}
        if not change.is_ended:
            self._publisher.send("channel_shared", event | {"connected_team_id": change.team}, change.channel)
            return
        teams = self._workspace.conversations[change.channel].teams
        is_shared = any(map(self._workspace.roster.is_foreign, teams))
        event |= {"previously_connected_team_id": change.team, "is_ext_shared": is_shared}
        self._publisher.send("channel_unshared", event, change.channel)

    def _publish_created(self, room: Conversation) -> None:
        if room.is_private or seed.TEAM_ID not in room.teams:
            return
        shape = conversation_shapes.conversation(room, self._workspace.roster)
        del shape["is_member"]
        self._publisher.send("channel_created", {"channel": shape, "event_ts": self._now()}, None)

    def _publish_deleted(self, channel: str, user: str, *, is_private: bool, was_member: bool) -> None:
        """Publish a deletion: of a public channel always, of a private one to members."""
        event: Json = {"channel": channel, "actor_id": user, "event_ts": self._now()}
        if not is_private:
            self._publisher.send("channel_deleted", event, None)
        elif was_member:
            self._publisher.send("group_deleted", event | {"date_deleted": int(self._workspace.clock())}, None)

    def _publish_archived(self, change: Archived) -> None:
        room = self._workspace.conversations[change.channel]
        step = "unarchive" if change.again_open else "archive"
        who = "actor_id" if room.is_private and change.again_open else "user"  # as Slack names them
        event = {"channel": room.id, who: change.user, "event_ts": self._now()}
        self._publisher.send(f"{_family(room)}_{step}", event, room.id, by=change.user)

    def _publish_renamed(self, room: Conversation) -> None:
        shape: Json = {
            "id": room.id,
            "is_channel": not room.is_private,
            "is_mpim": False,
            "name": room.name,
            "name_normalized": room.name,
            "created": room.created,
        }
        self._publisher.send(f"{_family(room)}_rename", {"channel": shape, "event_ts": self._now()}, room.id)

    def _members_changed(self, change: Joined | Left) -> None:
        room = self._workspace.conversations[change.channel]
        event: Json = {
            "user": change.user,
            "channel": change.channel,
            "channel_type": "G" if room.is_private else "C",
            "team": self._workspace.person(change.user).team,
            "event_ts": self._now(),
        }
        if isinstance(change, Joined):
            extra = {"inviter": change.inviter} if change.inviter else {}
            self._publisher.send("member_joined_channel", event | extra, room.id, by=change.user)
            return
        is_own = change.user == seed.BOT_USER
        self._publisher.send("member_left_channel", event, room.id, by=change.user, was_member=is_own)
        if is_own:
            event_left = {"channel": room.id, "actor_id": change.by, "event_ts": self._now()}
            self._publisher.send(f"{_family(room)}_left", event_left, room.id, by=change.by, was_member=True)

    def _person_changed(self, before: Person | None, after: Person) -> None:
        """Publish a changed person of the app's team; Slack sends no such events of others."""
        if after.team != seed.TEAM_ID:
            return
        event: Json = {"user": person(after, self._workspace.roster)}
        if before is None:
            self._publisher.send("team_join", event, None)
        else:
            self._publisher.send("user_change", event | {"cache_ts": int(self._workspace.clock())}, None)

    def _installation_changed(self, state: str) -> None:
        """Publish the app's last events."""
        if state == "installed":
            return
        self._publisher.send("tokens_revoked", {"tokens": {"oauth": [], "bot": [seed.BOT_USER]}}, None, is_last=True)
        if state == "uninstalled":
            self._publisher.send("app_uninstalled", {}, None, is_last=True)


def _family(room: Conversation) -> str:
    """Return the prefix of this channel's events."""
    return "group" if room.is_private else "channel"
