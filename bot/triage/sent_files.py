"""The text files of a question, read before it is investigated; what they say is kept with the thread."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.beside import beside
from bot.models.sent_file import MOST_FILES, MOST_READ

if TYPE_CHECKING:
    from bot.decide.redact import Redactor
    from bot.models.sent_file import SentFile
    from bot.models.thread import Thread, ThreadMessage
    from bot.slack_ports import Files


@dataclass(frozen=True, kw_only=True)
class SentFiles:
    """Reads what nobody has tried to read yet."""

    files: Files
    redactor: Redactor

    async def thread(self, thread: Thread) -> Thread:
        """The document with what the files of its question say, or why they could not be read."""
        messages = [
            await self._message(message) if message.round == thread.question_round else message
            for message in thread.messages
        ]
        return thread.evolve(messages=tuple(messages))

    async def _message(self, message: ThreadMessage) -> ThreadMessage:
        if all(file.is_tried for file in message.files):
            return message
        read = await asyncio.gather(*map(self._file, message.files[:MOST_FILES]))
        problem = f"only {MOST_FILES} files of a message are read"
        others = [file.evolve(problem=problem) for file in message.files[MOST_FILES:]]
        return message.evolve(files=(*read, *others))

    async def _file(self, file: SentFile) -> SentFile:
        if file.is_tried:
            return file
        found = await self.files.read(file)
        if found.text is None:
            return found
        safe = await beside(self.redactor.redact, found.text)
        return found.evolve(text=safe[:MOST_READ], is_cut=len(safe) > MOST_READ)
