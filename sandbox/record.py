"""Record: the workspace's append-only file with one JSON line for each change, read at the start.

A line is an object with one key, its kind. Lines are written immediately but not synced: they survive a killed process,
not a power cut.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, Self


class UnreadableRecord(Exception):
    """File that is not a valid record of a workspace; it was not changed."""


class Record:
    """Append-only NDJSON file. An incomplete last line, left by a killed process, is cut off."""

    def __init__(self, path: Path, size: int) -> None:
        self._file = path.open("ab", buffering=0)
        self._file.truncate(size)

    @classmethod
    def open(cls, path: Path, *, kinds: Collection[str]) -> tuple[Self, list[tuple[str, Any]]]:
        """Open the record; return it and its lines, as pairs of kind and content."""
        raw = path.read_bytes() if path.exists() else b""
        *whole, torn = raw.split(b"\n")
        lines = []
        for number, line in enumerate(whole, start=1):
            try:
                ((kind, content),) = json.loads(line).items()
            except (ValueError, AttributeError):
                kind = ""
            if kind not in kinds:
                raise UnreadableRecord(f"{path}, line {number}: not a line of a workspace")
            lines.append((kind, content))
        if not any(_could_begin(torn, kind) for kind in kinds):
            raise UnreadableRecord(f"{path}: not a record of a workspace")
        return cls(path, len(raw) - len(torn)), lines

    def append(self, kind: str, content: Any) -> None:
        self._file.write(json.dumps({kind: content}, separators=(",", ":")).encode() + b"\n")

    def close(self) -> None:
        self._file.close()


def _could_begin(torn: bytes, kind: str) -> bool:
    """Return whether this may be the start of a line of a record, so that no foreign data is cut off."""
    start = f'{{"{kind}":'.encode()
    return torn[: len(start)] == start[: len(torn)]
