"""Transcript of a run of tier 2 or 3: readable lines in `transcript.log` and on standard output, each written at once.

Each line is redacted, printable and short. A disk or a terminal that takes no more lines does not end the run.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from bot.agents.journal import flatten_line, sanitize_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import TextIO

    from bot.decide.redaction.redactor import Redactor
    from bot.models.session import Session
    from bot.models.turn import Call, Result, Turn
    from bot.ports.outbound import Clock


class Transcript:
    """Writer of one transcript, and the `RunLog` of its run. `out` is the terminal, if there is one."""

    def __init__(self, path: Path, *, redactor: Redactor, clock: Clock, out: TextIO | None) -> None:
        self._path = path
        self._redactor = redactor
        self._clock = clock
        self._out = out
        self._lock = Lock()
        self._turn = -1

    def write(self, text: str) -> None:
        """Write a line. Blocking, for an instant."""
        self._write_lines([sanitize_line(self._redactor, text)])

    def show(self, lines: Sequence[str]) -> int:
        """Write a block of a program's output, redacted together; return the characters that it takes."""
        safe = self._redactor.redact("\n".join(lines)).split("\n")
        return self._write_lines([f"| {flatten_line(line)}" for line in safe])

    def _write_lines(self, lines: Sequence[str]) -> int:
        now = f"{self._clock.now():%H:%M:%S}"
        text = "".join(f"{now}  {line}\n" for line in lines)
        with self._lock:
            with suppress(OSError):
                handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                    file.write(text)
            if self._out is not None:
                with suppress(OSError, ValueError):  # its terminal was closed
                    self._out.write(text)
                    self._out.flush()
        return len(text)

    def begin_turn(self, session: Session) -> None:
        """Write the number of the next turn and the cost so far, once for each turn."""
        if session.num_turns == self._turn:
            return
        self._turn = session.num_turns
        self.write(f"turn {session.num_turns + 1}, {format_cost(session)} so far")

    async def say(self, text: str) -> None:
        """Write a line of the code around the model."""
        self.write(text)

    async def record_turn(self, turn: Turn) -> None:
        """Write the model's text and its calls."""
        if turn.text.strip():
            self.write(f"says: {turn.text}")
        for call in turn.calls:
            self.write(f"calls {call.tool} {json.dumps(call.input, ensure_ascii=False, default=str)}")

    async def record_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Write the beginning of each result."""
        for call, result in zip(calls, results, strict=True):
            state = "failed" if result.failed else f"answers, {len(result.text):,} characters"
            self.write(f"{call.tool} {state if result.was_run else 'was not run'}: {result.text}")

    async def record_end(self, outcome: str, reason: str) -> None:
        """Write the end of the model's run."""
        self.write(f"the model's run ended: {outcome.replace('_', ' ')}{f', {reason}' if reason else ''}")


class TranscriptHandler(logging.Handler):
    """Handler that writes the warnings of the log into a transcript."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(logging.WARNING)
        self._transcript = transcript

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, with the kind of its exception."""
        kind = record.exc_info[0] if record.exc_info else None
        self._transcript.write(
            f"{record.levelname.lower()}: {record.getMessage()}{f' ({kind.__name__})' if kind else ''}"
        )


def format_cost(session: Session) -> str:
    """Return the cost of a session in words."""
    if session.cost_usd is None and not session.unsure_usd:
        return "cost unknown"
    at_most = "at most " if session.unsure_usd else ""
    return f"{at_most}${(session.cost_usd or 0.0) + session.unsure_usd:.4f}"
