"""Source of messages on the command line: a Slack export, or a file of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bot.adapters.event_lines import EventLines
from bot.adapters.slack_export import SlackExport
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models.line_message import LineMessage

_MAGIC = b"PK"


class MessageSource(Protocol):
    """Messages of a file, read once; `done` of `size` bytes are read, `unread` names what could not be."""

    size: int
    unread: list[str]
    names: dict[str, str]
    url: str

    @property
    def done(self) -> int:
        """Return the bytes read so far."""

    def __iter__(self) -> Iterator[LineMessage | None]:
        """Yield the messages; `None` for one that could not be read."""


def open_source(path: Path) -> MessageSource:
    """Open a file or folder by its content. Raises `Misconfigured` if it cannot be read."""
    try:
        if path.is_dir():
            return SlackExport(path)
        with path.open("rb") as file:
            packed = file.read(2) == _MAGIC
        return SlackExport(path) if packed else EventLines(path)
    except OSError as problem:
        raise Misconfigured(
            f"{path}: expected a Slack export or an events file that can be read: {problem.strerror}"
        ) from None
