"""Output of a program: a file that never grows beyond its limit, of which the end is kept, and its last lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import re2

from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MOST_KEPT = 1_000_000
"""Maximum size of the file in bytes."""
LINES_SHOWN = 30
_CHARS_SHOWN = 2_400
_LONGEST_LINE = 400
_BYTES_READ = 64_000
_TERMINAL_ORDERS = re2.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_=>])")
"""Colours, moves of the cursor and titles, as programs send them to a terminal."""


class OutputFile:
    """Writer of the file. A disk that fails loses lines, and nothing else."""

    def __init__(self, path: Path, *, most: int = MOST_KEPT) -> None:
        self._path = path
        self._most = most
        self._size = 0

    def write(self, lines: Sequence[str]) -> None:
        """Append lines; where the file would grow too long, only the later half of it stays."""
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")[-self._most // 2 :]
        try:
            if self._size + len(content) > self._most:
                self._shorten()
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(content)
            self._size += len(content)
        except OSError:
            return

    def _shorten(self) -> None:
        end = self._path.read_bytes()[-self._most // 2 :]
        _, _, end = end.partition(b"\n")
        beside = self._path.with_name(f"{self._path.name}.tmp")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(end)
        beside.replace(self._path)
        self._size = len(end)


def read_last_lines(path: Path, redact: Callable[[str], str]) -> str:
    """Return the last lines of the output, redacted and printable; empty without any."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _BYTES_READ))
            content = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return format_last_lines(content, redact, is_cut=size > _BYTES_READ)


def format_last_lines(content: str, redact: Callable[[str], str], *, is_cut: bool) -> str:
    """Return the last lines of an output, redacted and printable. `is_cut`: its beginning is missing."""
    if len(content) > _BYTES_READ:
        content, is_cut = content[-_BYTES_READ:], True
    if is_cut:
        _, _, content = content.partition("\n")  # the first line may be the rest of a secret
    plain = redact(_TERMINAL_ORDERS.sub("", content).replace("\r", "\n"))
    lines = [_sanitize(line) for line in plain.splitlines()]
    shown = "\n".join([line for line in lines if line][-LINES_SHOWN:])
    if len(shown) <= _CHARS_SHOWN:
        return shown
    _, _, rest = shown[-_CHARS_SHOWN:].partition("\n")
    return f"…\n{rest}"


def _sanitize(line: str) -> str:
    line = "".join(char if char.isprintable() else " " for char in clean(line.expandtabs(4))).rstrip()
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"
