"""Transcript of a run on the terminal: its last lines, each new one, and its end."""

from __future__ import annotations

import codecs
import os
import time
from typing import TYPE_CHECKING, BinaryIO

from bot.errors import Unreadable
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.escalation.folder import RunFolder
    from bot.models.escalation import EscalationTask

EVERY = 0.5
"""Seconds between two looks."""
_LAST_BYTES = 256_000
"""Size of a transcript's end that is read first."""


def _print(text: str) -> None:
    print(text, end="", flush=True)  # noqa: T201  # command-line output


class Watch:
    """Watch of one folder: `say` takes text for the terminal, `wait` returns at the time of the next look."""

    def __init__(
        self,
        folder: RunFolder,
        *,
        lines: int,
        say: Callable[[str], None] = _print,
        wait: Callable[[], None] = lambda: time.sleep(EVERY),
    ) -> None:
        self._folder = folder
        self._lines = lines
        self._say = say
        self._wait = wait

    def follow(self) -> bool:
        """Print the transcript of the present run to its end; return whether another run has taken its place."""
        task = self._folder.read_task()
        if task is None:
            return False
        self._tell(f"--- tier {task.tier}, session {task.session_id}")
        if self._folder.read_state() == "unstarted":
            self._tell("--- not started yet; waiting")
        file: BinaryIO | None = None
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            while True:
                is_over = self._is_over(task)  # before the reading, so that the last lines are read
                file = file or self._open(_find_place(self._folder, task) / self._folder.transcript.name)
                if file:
                    self._say(_make_safe(decoder.decode(file.read())))
                if is_over:
                    break
                self._wait()
        finally:
            if file:
                file.close()
        self._tell("\n".join(["", *describe_end(self._folder, task)]))
        newest = self._folder.read_task()
        return newest is not None and newest.session_id != task.session_id

    def _is_over(self, task: EscalationTask) -> bool:
        newest = self._folder.read_task()
        is_replaced = newest is None or newest.session_id != task.session_id
        return is_replaced or self._folder.read_state() in ("ended", "died")

    def _open(self, path: Path) -> BinaryIO | None:
        """Open the transcript at the first line to show; `None` where it does not exist yet."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        start = max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES)
        file.seek(start)
        lines = file.read().splitlines(keepends=True)
        file.seek(start + sum(map(len, lines[: max(0, len(lines) - self._lines)])))
        return file

    def _tell(self, line: str) -> None:
        self._say(f"{line}\n")


def describe_end(folder: RunFolder, task: EscalationTask) -> list[str]:
    """Describe the end of a run in lines: its outcome, and the places of its transcript and return."""
    place = _find_place(folder, task)
    returned = place / folder.returned.name
    lines = [f"Transcript: {place / folder.transcript.name}"]
    if not returned.exists():
        return [
            f"The run of tier {task.tier} died: its process ended without a return. The bot tells the operator.",
            *lines,
        ]
    try:
        result = type(folder)(place).read_return()
    except Unreadable as problem:
        return [f"The run of tier {task.tier} ended, and its return cannot be read: {problem}", *lines]
    outcome = result.outcome.replace("_", " ") if result else "unknown"
    reason = f": {_make_safe(' '.join(result.reason.split()))}" if result and result.reason else ""
    asks = ["It hands over to the next tier, if the bot starts it."] if (place / folder.handoff.name).exists() else []
    return [f"The run of tier {task.tier} ended, {outcome}{reason}.", *asks, *lines, f"Return: {returned}"]


def _find_place(folder: RunFolder, task: EscalationTask) -> Path:
    """Return the folder with the files of a run, which another run may have put aside."""
    newest = folder.read_task()
    if newest and newest.session_id == task.session_id:
        return folder.path
    return folder.path / "earlier" / task.session_id


def _make_safe(text: str) -> str:
    """Remove characters that a terminal takes as orders."""
    return clean(text).replace("\r", "")
