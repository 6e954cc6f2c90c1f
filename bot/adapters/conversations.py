"""Conversations of the chat agent on disk: `conversations/<thread_id>.json`, one line each, saved atomically."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import RetryLater
from bot.models.conversation_record import ConversationRecord
from bot.runtime.atomic_file import replace_file

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class ConversationFiles:
    """The files below one folder, which is created if missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def list_all(self) -> list[ConversationRecord]:
        """Return all conversations, the last saved one at the end; unparsable ones are logged and left out."""
        records = await asyncio.to_thread(lambda: [self._read(path) for path in self._folder.glob("*.json")])
        return sorted((record for record in records if record), key=lambda record: record.saved_at)

    async def save(self, record: ConversationRecord) -> None:
        """Save a conversation to disk. Raises `RetryLater` if it could not be written."""
        try:
            await asyncio.to_thread(self._save, record)
        except OSError as problem:
            raise RetryLater(f"{self._folder}: a conversation could not be saved: {problem.strerror}") from problem

    def _save(self, record: ConversationRecord) -> None:
        path = self._folder / f"{record.conversation}.json"
        replace_file(path, record.model_dump_json().encode(), point="conversations")

    def _read(self, path: Path) -> ConversationRecord | None:
        try:
            return ConversationRecord.model_validate_json(path.read_bytes())
        except (ValidationError, OSError) as problem:
            log.warning("%s: left out, it does not parse (%s)", path, type(problem).__name__)
            return None
