"""Text files of a question, read before its investigation and saved with the thread."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.errors import RetryLater
from bot.models.sent_file import MOST_FILES, MOST_READ
from bot.runtime.offload import run_offloaded
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.sent_file import SentFile
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage
    from bot.ports.outbound import Clock
    from bot.ports.slack import SentFilesPort

log = logging.getLogger(__name__)

NO_ANSWER = "Slack did not answer"
TRIES = 4
"""Attempts to read a file after temporary failures."""
PATIENCE = 60.0
"""Timeout in seconds for a question's files, part of its investigation's deadline."""


@dataclass(frozen=True, kw_only=True)
class SentFiles:
    """Reader of files; failed ones are tried again in each run."""

    files: SentFilesPort
    redactor: Redactor
    clock: Clock
    patience: float = PATIENCE

    async def thread(self, thread: Thread, *, seconds: float) -> tuple[Thread, float]:
        """Read the question's files; return the thread with their texts or problems, and the seconds left."""
        began, patience = self.clock.now(), min(self.patience, seconds / 2)
        message_ids = {message.message_id for message in thread.question_messages}
        messages = await asyncio.gather(
            *(self._message(message, patience) for message in thread.messages if message.message_id in message_ids)
        )
        read = {message.message_id: message for message in messages}
        updated = thread.evolve(messages=tuple(read.get(message.message_id, message) for message in thread.messages))
        return updated, seconds - (self.clock.now() - began).total_seconds()

    async def _message(self, message: ThreadMessage, patience: float) -> ThreadMessage:
        if all(file.text is not None for file in message.files):
            return message
        read = await asyncio.gather(*(self._file(file, patience) for file in message.files[:MOST_FILES]))
        problem = f"only {MOST_FILES} files of a message are read"
        others = [file.evolve(problem=problem) for file in message.files[MOST_FILES:]]
        return message.evolve(files=(*read, *others))

    async def _file(self, file: SentFile, patience: float) -> SentFile:
        if file.text is not None:
            return file
        try:
            async with asyncio.timeout(patience):
                read = partial(self.files.read, file.evolve(problem=""))
                content = await call_with_retries(self.clock, read, tries=TRIES)
        except (RetryLater, TimeoutError):
            return file.evolve(problem=NO_ANSWER)
        except Exception:
            log.exception("file %s could not be read", file.id)
            return file.evolve(problem="reading it failed")
        if content.text is None:
            return content
        safe = await run_offloaded(self.redactor.redact, content.text)
        return content.evolve(text=safe[:MOST_READ], is_cut=len(safe) > MOST_READ)
