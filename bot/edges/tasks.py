"""The folders of tasks on disk (`Tasks`): `tasks/<thread_id>/<name>`, each write atomic."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater
from bot.faultpoints import passing

if TYPE_CHECKING:
    from pathlib import Path


class TaskFolders:
    """The folders below one, which is made when something is kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, thread_id: str, name: str, record: dict[str, Any]) -> None:
        """Return once the record is on disk. Raises `RetryLater` when it could not be written."""
        try:
            await asyncio.to_thread(self._keep, thread_id, name, record)
        except OSError as problem:
            raise RetryLater(
                f"{self._folder / thread_id}: {name} could not be written: {problem.strerror}"
            ) from problem

    def _keep(self, thread_id: str, name: str, record: dict[str, Any]) -> None:
        folder = self._folder / thread_id
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path, beside = folder / name, folder / f"{name}.tmp"
        with passing("tasks.open", name):
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file, passing("tasks.write", name):
            json.dump(record, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        with passing("tasks.rename", name):
            beside.replace(path)
