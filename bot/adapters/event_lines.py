"""Event lines: a file of JSON lines for `triage replay`, which may be a journal, an archived part of one, or bare
texts."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.models.line_message import parse_line_message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase
    from pathlib import Path

    from bot.models.line_message import LineMessage

MAX_LINE = 8_000_000
MAX_TOTAL = 20_000_000_000
"""Bytes read at most, unpacked: more than ten years of a busy workspace, but less than a full night's work."""


class EventLines:
    """The messages of a file, in order; `None` for an event that is not a new message."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        self.size = path.stat().st_size
        """Bytes on disk."""
        self.unread: list[str] = []
        """The unreadable lines, with the reasons."""
        self.names: dict[str, str] = {}
        """The names of people; a journal has none."""
        self.url = ""
        """The address of the workspace; a journal has none."""

    @property
    def done(self) -> int:
        """Return the bytes read so far."""
        return self._file.tell() if not self._file.closed else self.size

    def __iter__(self) -> Iterator[LineMessage | None]:
        """Yield the messages. Raises `Unreadable` if the file is truncated or far too large."""
        total, number = 0, 0
        try:
            with self._file, self._open_unpacked() as lines:
                while line := lines.readline(MAX_LINE):
                    number += 1
                    total += len(line)
                    if total > MAX_TOTAL:
                        raise Unreadable(f"{self._path}: expected at most {MAX_TOTAL:,} bytes, unpacked")
                    if line.strip():
                        yield from self._read(number, line)
        except (OSError, EOFError, zlib.error) as problem:
            raise Unreadable(f"{self._path}: cannot be read after line {number}: {problem}") from None

    def _open_unpacked(self) -> BufferedIOBase:
        packed = self._file.read(2) == b"\x1f\x8b"
        self._file.seek(0)
        return gzip.GzipFile(fileobj=self._file) if packed else self._file

    def _read(self, number: int, line: bytes) -> Iterator[LineMessage | None]:
        try:
            record = json.loads(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            if not isinstance(record, dict):
                raise ValueError("expected a JSON object")
            if record.get("kind") != "edit":  # the original message is counted already
                yield parse_line_message(record)
        except (ValueError, RecursionError) as problem:
            self.unread.append(f"line {number}: {problem}")
