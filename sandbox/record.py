"""The workspace's file: one JSON line for each change, only ever appended to, read whole at the start.

A line is an object with one key, its kind. Lines are handed to the kernel at once and not synced: they outlive a
killed process, not a power cut.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, Self


class UnreadableRecord(Exception):
    """The file is not, or no longer, a record of a workspace; it was left as it is."""


class Record:
    """Append-only NDJSON. A torn last line, left by a killed process, is cut off."""

    def __init__(self, path: Path, size: int) -> None:
        self._file = path.open("ab", buffering=0)
        self._file.truncate(size)

    @classmethod
    def open(cls, path: Path, *, kinds: Collection[str]) -> tuple[Self, list[tuple[str, Any]]]:
        """The record and what stands in it, as pairs of kind and content."""
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
    """Return whether this may be the beginning of one of our lines, so that nothing foreign is ever cut off."""
    start = f'{{"{kind}":'.encode()
    return torn[: len(start)] == start[: len(torn)]
