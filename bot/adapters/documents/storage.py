"""Storage of one document: its file is replaced as a whole, and begins with a digest of the rest (`AtomicStorage`).

TinyDB's own storage writes in place, and a kill in the middle leaves a file that no longer parses. With this one a
reader sees the old document or the new one, and bytes corrupted on the disk are detected.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json
from tinydb import Storage

from bot.errors import Unreadable
from bot.runtime.atomic_file import replace_file
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "thread"
POINT = "documents"
_DIGEST_BYTES = 16
_HEAD = b'{"digest":"%s",'
_HEAD_BYTES = len(_HEAD % (b"0" * 2 * _DIGEST_BYTES))


class AtomicStorage(Storage):
    """A TinyDB storage whose file is never seen half written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, dict[str, Any]] | None:
        """Read the file; `None` if there is none. Raises `Unreadable`."""
        try:
            with passing("documents.read", self._path.name):
                content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        return _read_tables(content, self._path)

    def write(self, data: dict[str, dict[str, Any]]) -> None:
        """Replace the file; on return it is on disk, including its name."""
        self.write_whole(json.dumps(data, separators=(",", ":")).encode())

    def write_whole(self, content: bytes) -> None:
        """Replace the file by one JSON object, with the same guarantee."""
        replace_file(self._path, _add_digest(content), point=POINT)


def _add_digest(content: bytes) -> bytes:
    """Prepend the digest to the tables."""
    rest = content[1:]
    return _HEAD % _digest(rest) + rest


def _read_tables(content: bytes, path: Path) -> dict[str, dict[str, Any]]:
    """Check the digest of a file and parse its tables."""
    rest = content[_HEAD_BYTES:]
    if content[:_HEAD_BYTES] != _HEAD % _digest(rest):
        raise Unreadable(f"{path}: the file is corrupted: its digest does not match")
    try:
        data: dict[str, dict[str, Any]] = _parse_tables(b"{" + rest)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"{path}: not JSON: {problem}") from problem
    return data


def _parse_tables(content: bytes) -> Any:
    try:
        return from_json(content)  # twice as fast, but rejects halves of surrogate pairs, which a message may contain
    except ValueError:
        return json.loads(content)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest().encode()
