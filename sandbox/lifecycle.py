"""Channels and people that come and go, as the events of Slack."""

from sandbox import conversation_shapes, seed
from sandbox.models import Archived, Change, Created, Joined, Json, Person, PersonChanged, Shared
from sandbox.person_shapes import person
from sandbox.publisher import Publisher
from sandbox.workspace import Workspace


class Lifecycle:
    """A listener of the workspace."""

    def __init__(self, workspace: Workspace, publisher: Publisher) -> None:
        self._workspace = workspace
        self._publisher = publisher

    def __call__(self, change: Change) -> None:
        match change:
            case Created(channel):
                self._created(channel)
            case Joined():
                self._joined(change)
            case Archived(channel, user):
                event = {"channel": channel, "user": user, "event_ts": self._now()}
                self._publisher.send("channel_archive", event, channel, by=user)
            case Shared(channel, team):
                event = {"channel": channel, "connected_team_id": team, "event_ts": self._now()}
                self._publisher.send("channel_shared", event, channel)
            case PersonChanged(before, after):
                self._person_changed(before, after)

    def _now(self) -> str:
        return self._workspace.next_ts()

    def _created(self, channel: str) -> None:
        room = self._workspace.conversations[channel]
        if room.is_private or seed.TEAM_ID not in room.teams:
            return
        shape = conversation_shapes.conversation(room, self._workspace.roster)
        del shape["is_member"]
        self._publisher.send("channel_created", {"channel": shape, "event_ts": self._now()}, None)

    def _joined(self, change: Joined) -> None:
        room = self._workspace.conversations[change.channel]
        event: Json = {
            "user": change.user,
            "channel": change.channel,
            "channel_type": "G" if room.is_private else "C",
            "team": self._workspace.person(change.user).team,
            "event_ts": self._now(),
        }
        if change.inviter:
            event["inviter"] = change.inviter
        self._publisher.send("member_joined_channel", event, change.channel, by=change.user)

    def _person_changed(self, before: Person | None, after: Person) -> None:
        """Only of the app's own team: of other people Slack tells by what they do."""
        if after.team != seed.TEAM_ID:
            return
        event: Json = {"user": person(after, self._workspace.roster), "event_ts": self._now()}
        if before is None:
            self._publisher.send("team_join", event, None)
        else:
            self._publisher.send("user_change", event | {"cache_ts": int(self._workspace.clock())}, None)
