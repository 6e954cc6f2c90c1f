"""What outlives a restart: messages, and the events that the app has not acknowledged yet.

Listens to the workspace and to Socket Mode and writes their changes to the record; without a file it keeps nothing.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from sandbox.models import Change, Deleted, Edited, Message, Posted, Reacted
from sandbox.record import Record
from sandbox.sockets import Envelope
from sandbox.workspace import Workspace


class Keeping:
    """The workspace's memory on disk."""

    def __init__(self, record: Record | None = None) -> None:
        self._record = record
        self._unsettled: dict[str, Envelope] = {}

    @classmethod
    def open(cls, path: Path, workspace: Workspace) -> Self:
        """Open the file and bring the workspace to the state it holds."""
        record, lines = Record.open(path, kinds=("put", "removed", "sent", "settled"))
        keeping = cls(record)
        for kind, content in lines:
            keeping._replay(kind, content, workspace)
        return keeping

    def unsettled(self) -> list[Envelope]:
        """The events that were on their way when the last run ended."""
        return list(self._unsettled.values())

    def changed(self, change: Change) -> None:
        match change:
            case Posted(message) | Edited(_, message) | Reacted(message):
                self._write("put", asdict(message))
            case Deleted(message):
                self._write("removed", {"channel": message.channel, "ts": message.ts})

    def sent(self, envelope: Envelope) -> None:
        self._write("sent", {"id": envelope.id, "payload": envelope.payload, "made_at": envelope.made_at})

    def settled(self, envelope: Envelope) -> None:
        if envelope.kind == "events_api":
            self._write("settled", envelope.id)

    def close(self) -> None:
        if self._record:
            self._record.close()

    def _write(self, kind: str, content: Any) -> None:
        if self._record:
            self._record.append(kind, content)

    def _replay(self, kind: str, content: Any, workspace: Workspace) -> None:
        match kind:
            case "put":
                workspace.restore(Message(**content))
            case "removed":
                workspace.conversations[content["channel"]].remove(content["ts"])
            case "sent":
                self._unsettled[content["id"]] = Envelope("events_api", **content)
            case "settled":
                self._unsettled.pop(content, None)
