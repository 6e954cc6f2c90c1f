"""A small JSON object in the home that outlives the process (`Kept`): when periodic work ran last, how far was read.

Its writes are atomic: a crash leaves the old object or the new one.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from bot.disk import replace_file
from bot.errors import RetryLater
from bot.faultpoints import passing

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class KeptFile:
    """The `Kept` in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self) -> dict[str, Any]:
        """What was written last; an object without keys when there is none, or none that parses."""
        return await asyncio.to_thread(self._read)

    async def write(self, said: dict[str, Any]) -> None:
        """Replace it; on return it is on disk. Raises `RetryLater`."""
        try:
            await asyncio.to_thread(self._write, said)
        except OSError as problem:
            raise RetryLater(f"{self._path}: cannot be written: {problem.strerror}") from problem

    def _read(self) -> dict[str, Any]:
        try:
            with passing("kept.read", self._path.name):
                found = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as problem:
            log.warning("%s cannot be read and is begun anew: %s", self._path, problem)
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, said: dict[str, Any]) -> None:
        replace_file(self._path, json.dumps(said).encode(), point="kept")
