"""Logging: one JSON object a line to `system.ndjson`, control characters escaped and every secret removed.

Progress and warnings also go to standard error, as plain lines for the person who started the command.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Callable


PROGRESS = logging.INFO + 5
"""Level of progress messages for a person who waits for a start; not a problem."""


def set_up(path: Path, *, redact: Callable[[str], str]) -> None:
    """Send all logging of this process to `path`, and progress and warnings to standard error too.

    Each text goes through `redact`.
    """
    logging.addLevelName(PROGRESS, "progress")
    with passing("logs.open", path.name):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        file = _File(path, encoding="utf-8")
    file.setFormatter(_Lines(redact, as_json=True))
    screen = logging.StreamHandler(sys.stderr)
    screen.setLevel(PROGRESS)
    screen.setFormatter(_Lines(redact, as_json=False))
    logging.basicConfig(level=logging.INFO, handlers=[file, screen], force=True)


class _File(logging.FileHandler):
    _is_full = False

    def flush(self) -> None:
        with passing("logs.write", Path(self.baseFilename).name):
            super().flush()
        self._is_full = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the library's name
        problem = sys.exc_info()[1]
        if not isinstance(problem, OSError):
            super().handleError(record)
        elif not self._is_full:  # once, not for each lost line
            self._is_full = True
            print(f"warning: {self.baseFilename} cannot be written: {problem.strerror}", file=sys.stderr)  # noqa: T201  # there is no log


class _Lines(logging.Formatter):
    def __init__(self, redact: Callable[[str], str], *, as_json: bool) -> None:
        super().__init__()
        self._redact = redact
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else None
        if self._as_json:
            fields: dict[str, str | None] = {
                "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
                "level": record.levelname.lower(),
                "where": record.name,
                "message": self._redact(message),
            }
            if hasattr(record, "session"):  # an event of the supervisor (`bot.runtime.system_events`)
                fields["session"] = record.session
            return json.dumps(fields | ({"trace": self._redact(trace)} if trace else {}))
        kind = record.exc_info[0] if record.exc_info else None
        why = f" ({kind.__name__}: {record.exc_info[1]})" if kind and record.exc_info else ""
        plain = f"{'' if record.levelno == PROGRESS else f'{record.levelname.lower()}: '}{message}{why}"
        return self._redact("".join(char if char.isprintable() else " " for char in plain))
