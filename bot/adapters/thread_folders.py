"""Folders of threads on disk: `tasks/<slug>/`, and the runs of tiers 2 and 3 of a thread (`ThreadFolders`)."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import RetryLater
from bot.models.thread_id import THREAD_ID
from bot.runtime.atomic_file import sync_folder
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from pathlib import Path

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,119}")


@dataclass(frozen=True, kw_only=True)
class DiskThreadFolders:
    """The folders below `tasks`, by slug, and below `runs`, by thread id."""

    tasks: Path
    runs: Path

    async def remove(self, thread_id: str, task: str) -> None:
        """Remove the folders of a thread. Raises `RetryLater`."""
        try:
            await asyncio.to_thread(self._remove, thread_id, task)
        except OSError as problem:
            raise RetryLater(f"the folders of {thread_id} cannot be removed: {problem.strerror}") from problem

    def _remove(self, thread_id: str, task: str) -> None:
        named = ((self.tasks, task, _SLUG), (self.runs, thread_id, re.compile(THREAD_ID)))
        for parent, name, pattern in named:
            folder = parent / name
            if pattern.fullmatch(name) and folder.is_dir() and not folder.is_symlink():
                with passing("thread_folders.remove", name):
                    shutil.rmtree(folder)
                sync_folder(parent, point="thread_folders")
