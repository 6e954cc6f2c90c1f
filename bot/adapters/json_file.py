"""JSON file in the home for small state that outlives the process, such as the time of the last periodic work.

Its writes are atomic: a crash leaves the old object or the new one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater, Unreadable
from bot.runtime.atomic_file import replace_file
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class DiskJsonFile:
    """The port implemented on one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turns = itertools.count(1)
        self._written = 0
        self._writing = threading.Lock()

    async def read(self) -> dict[str, Any]:
        """Return the last written object; empty if there is none, or an unparsable one."""
        try:
            return await self.read_whole()
        except Unreadable as problem:
            log.warning("%s; it starts empty", problem)
            return {}

    async def read_whole(self) -> dict[str, Any]:
        """Return the same, for state that must not be lost silently: raises `Unreadable` if it is unparsable."""
        try:
            with passing("kept.read", self._path.name):
                data = await asyncio.to_thread(self._load)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as problem:
            raise Unreadable(f"{self._path}: {problem}") from problem
        if not isinstance(data, dict):
            raise Unreadable(f"{self._path}: expected a JSON object")
        return data

    async def exists(self) -> bool:
        """Return whether there is a file, whatever it holds."""
        return await asyncio.to_thread(self._path.exists)

    async def set_aside(self) -> Path:
        """Move the file into the quarantine; return its new path."""
        folder = self._path.parent / "quarantine"
        target = folder / f"{self._path.stem}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path.replace(target)
        return target

    async def write(self, content: dict[str, Any]) -> None:
        """Replace the object; on return this or a later one is on disk. Raises `RetryLater`."""
        try:
            await asyncio.to_thread(self._write, json.dumps(content).encode(), next(self._turns))
        except OSError as problem:
            raise RetryLater(f"{self._path.name} cannot be written: {problem.strerror}") from problem

    def _load(self) -> Any:
        # In one hop: aiofiles leaves a file open whose read is cancelled, as at a stop during the start.
        return json.loads(self._path.read_bytes())

    def _write(self, content: bytes, turn: int) -> None:
        """Write, one at a time; a delayed write does not replace a newer one."""
        with self._writing:
            if turn > self._written:
                replace_file(self._path, content, point="kept")
                self._written = turn
