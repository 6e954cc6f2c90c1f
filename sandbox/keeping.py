"""Persistence of messages, channels, Homes and unacknowledged events across restarts.

It listens to the workspace and to the delivery, and writes changes to the record; without a file nothing is saved.
"""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Self

from sandbox.conversation import Conversation
from sandbox.delivery import Envelope
from sandbox.founding import direct_messages
from sandbox.models import (
    Archived,
    Change,
    Created,
    Deleted,
    Edited,
    InstallationChanged,
    Joined,
    Json,
    Left,
    Message,
    Person,
    PersonChanged,
    Posted,
    Reacted,
    Redescribed,
    RoomDeleted,
    Shared,
    Team,
    TeamAdded,
)
from sandbox.record import Record
from sandbox.workspace import Workspace

KINDS = ("put", "removed", "room", "team", "person", "gone", "installation", "home", "sent", "settled")
_OF_A_ROOM = (
    "id",
    "name",
    "members",
    "is_private",
    "is_archived",
    "creator",
    "created",
    "teams",
    "previous_names",
    "topic",
    "purpose",
    "is_frozen",
)


class Persistence:
    """Writer and reader of the workspace's record."""

    def __init__(self, workspace: Workspace, record: Record | None = None) -> None:
        self._workspace = workspace
        self._record = record
        self.homes: dict[str, Json] = {}
        """Recorded Homes, by person."""
        self.installation = "installed"
        """Recorded state of the installation."""
        self._unsettled: dict[str, Envelope] = {}

    @classmethod
    def open(cls, path: Path, workspace: Workspace) -> Self:
        """Open the file and bring the workspace to the state it holds."""
        record, lines = Record.open(path, kinds=KINDS)
        keeping = cls(workspace, record)
        for kind, content in lines:
            keeping._replay(kind, content)
        return keeping

    def unacknowledged(self) -> list[Envelope]:
        """Return the events that were unacknowledged when the last run ended."""
        return list(self._unsettled.values())

    def note_change(self, change: Change) -> None:
        match change:
            case Posted(message) | Edited(_, message) | Reacted(message):
                self._write("put", _shallow_fields(message))
            case Deleted(message):
                self._write("removed", {"channel": message.channel, "ts": message.ts})
            case RoomDeleted(channel):
                self._write("gone", channel)
            case InstallationChanged(state):
                self._write("installation", state)
            case Created() | Joined() | Left() | Archived() | Redescribed() | Shared():
                self._write("room", self._room(change.channel))
            case TeamAdded(team):
                self._write("team", asdict(team))
            case PersonChanged(_, person):
                self._write("person", asdict(person))

    def save_home(self, user: str, view: Json) -> None:
        self._write("home", {"user": user, "view": view})

    def sent(self, envelope: Envelope) -> None:
        self._write("sent", {"id": envelope.id, "payload": envelope.payload, "made_at": envelope.made_at})

    def handle_settled(self, envelope: Envelope) -> None:
        if envelope.kind == "events_api":
            self._write("settled", envelope.id)

    def close(self) -> None:
        if self._record:
            self._record.close()

    def _write(self, kind: str, content: Any) -> None:
        if self._record:
            self._record.append(kind, content)

    def _room(self, channel: str) -> Json:
        room = self._workspace.conversations[channel]
        return {key: getattr(room, key) for key in _OF_A_ROOM}

    def _replay(self, kind: str, content: Any) -> None:
        conversations = self._workspace.conversations
        match kind:
            case "put":
                self._workspace.restore(Message(**content))
            case "removed":
                conversations[content["channel"]].remove(content["ts"])
            case "home":
                self.homes[content["user"]] = content["view"]
            case "sent":
                self._unsettled[content["id"]] = Envelope("events_api", **content)
            case "settled":
                self._unsettled.pop(content, None)
            case _:
                self._replay_directory(kind, content)

    def _replay_directory(self, kind: str, content: Any) -> None:
        """Replay a change of channels, people, teams or the installation."""
        conversations = self._workspace.conversations
        match kind:
            case "room":
                lists = {key: tuple(value) for key, value in content.items() if isinstance(value, list)}
                fresh = Conversation(**content | lists)
                room = conversations.setdefault(fresh.id, fresh)
                for key in _OF_A_ROOM:
                    setattr(room, key, getattr(fresh, key))
            case "gone":
                conversations.pop(content, None)
            case "installation":
                self.installation = content
            case "team":
                self._workspace.roster.teams[content["id"]] = Team(**content)
            case "person":
                person = Person(**content)
                self._workspace.roster.put(person)
                direct = direct_messages(person)
                conversations.setdefault(direct.id, direct)


def _shallow_fields(message: Message) -> Json:
    """Return the fields without the deep copy of `asdict`, which would cost more than the rest of a post."""
    return {field.name: getattr(message, field.name) for field in fields(message)}
