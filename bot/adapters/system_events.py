"""Events of the supervisor, read from the end of `system.ndjson`; each line is parsed once."""

from __future__ import annotations

import asyncio
import json
import os
from collections import deque
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import RetryLater
from bot.models.system_event import SystemEvent

if TYPE_CHECKING:
    from pathlib import Path

REMEMBERED = 500
"""Number of the newest events kept in memory."""

FIRST_BYTES = 4_000_000
"""Size of the file's end that is read first; older events are not shown."""

_FIELD = b'"session": '
_FIELDS = ("at", "level", "session", "message")


class SystemEventFile:
    """Events of one log. A reading continues after the last whole line of the reading before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._events: deque[SystemEvent] = deque(maxlen=REMEMBERED)
        self._file_id = (0, 0)
        self._offset = 0
        self._reading = asyncio.Lock()

    async def newest(self, limit: int) -> list[SystemEvent]:
        """Return the newest events, the newest first. Raises `RetryLater` if the log cannot be read."""
        async with self._reading:
            try:
                await asyncio.to_thread(self._read_on)
            except OSError as problem:
                raise RetryLater(f"{self._path}: cannot be read: {problem.strerror}") from problem
            return list(reversed(self._events))[:limit]

    def _read_on(self) -> None:
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            status = os.fstat(file.fileno())
            if (file_id := (status.st_dev, status.st_ino)) != self._file_id or status.st_size < self._offset:
                self._events.clear()  # another file, as after `triage purge`
                self._file_id, self._offset = file_id, max(0, status.st_size - FIRST_BYTES)
                file.seek(self._offset)
                self._offset += len(file.readline()) if self._offset else 0
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # not written to its end yet
                self._offset += len(line)
                if _FIELD in line and (event := _parse_event(line)):
                    self._events.append(event)


def _parse_event(line: bytes) -> SystemEvent | None:
    try:
        record = json.loads(line)
        return SystemEvent(**{name: record[name] for name in _FIELDS})
    except (ValueError, KeyError, TypeError, ValidationError):
        return None
