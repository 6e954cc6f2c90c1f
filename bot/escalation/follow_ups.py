"""Follow-ups: messages of the thread that come in during a run, read from `messages.ndjson` before each model call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.models.escalation import FollowUp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.tools.guard import Guard

MOST_BYTES = 1_000_000
"""Bytes read at a time; the rest waits for the next call."""
_HEAD = "A message came in meanwhile, in the thread of the question. It is part of the question from now on:"


class FollowUps:
    """Reader of the file. `tell` takes a line for people."""

    def __init__(self, path: Path, *, guard: Guard, tell: Callable[[str], None]) -> None:
        self._path = path
        self._guard = guard
        self._tell = tell
        self._position = 0
        self._read: dict[str, None] = {}

    @property
    def read(self) -> tuple[str, ...]:
        """Return the messages that the run has read."""
        return tuple(self._read)

    def fetch_new(self) -> list[str]:
        """Return the texts of new messages for the model, as untrusted text. Blocking, for an instant."""
        texts = []
        for line in self._fetch_lines():
            try:
                message = FollowUp.model_validate_json(line)
            except ValidationError:
                self._tell("A message of the thread could not be read and is left out.")
                continue
            if message.ts in self._read:
                continue
            self._read[message.ts] = None
            self._tell(f"{message.by or 'somebody'} writes in the thread: {message.text}")
            texts.append(f"{_HEAD}\n\n{self._guard.wrap(message.text, source='slack', author=message.by)}")
        return texts

    def _fetch_lines(self) -> list[bytes]:
        """Return new whole lines; a line that is still being written waits, one that never ends is skipped."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._position)
                content = file.read(MOST_BYTES)
        except OSError:
            return []
        whole = content.rfind(b"\n") + 1 or (len(content) if len(content) == MOST_BYTES else 0)
        self._position += whole
        return [line for line in content[:whole].splitlines() if line.strip()]
