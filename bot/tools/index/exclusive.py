"""Exclusive work on an index: the write lock of one process, and a record of the content being parsed."""

from __future__ import annotations

import fcntl
import logging
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.tools.index.store import IndexStore

_log = logging.getLogger(__name__)


class ParserCrashNote:
    """Record of the content being parsed, so that content that crashes the process is parsed only twice."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        self._file = -1
        self._crashed = {str(name) for (name,) in store.rows("SELECT value FROM meta WHERE key LIKE 'crashed %'")}

    def __enter__(self) -> ParserCrashNote:
        self._file = os.open(
            f"{self._store.path}.parsing", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        named = os.pread(self._file, 200, 0).rstrip(b"\0 ").decode("ascii", "replace")
        if named:
            self._suspect(named)
        return self

    def _suspect(self, named: str) -> None:
        """Record content whose parsing a crash interrupted; after the second time the parser is the likely cause."""
        is_repeated = bool(self._store.rows("SELECT 1 FROM meta WHERE key=?", (f"suspected {named}",)))
        if is_repeated:
            _log.warning("A parser ended the process that indexed %s; it is split by lines from now on", named)
            self._crashed.add(named)
        key = f"{'crashed' if is_repeated else 'suspected'} {named}"
        with self._store.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, named))

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.pwrite(self._file, b" " * 200, 0)
            os.close(self._file)

    @contextmanager
    def parsing(self, name: str) -> Iterator[bool]:
        """Record that this content is parsed now; yield false if it must not be."""
        if name in self._crashed:
            yield False
            return
        os.pwrite(self._file, name.encode("ascii", "replace")[:200].ljust(200), 0)
        try:
            yield True
        finally:
            os.pwrite(self._file, b" " * 200, 0)


@contextmanager
def lock(path: Path, wait: float) -> Iterator[bool]:
    """Hold the index lock; yield false if another process holds it for longer than `wait` seconds."""
    handle = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + wait
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= until:
                    yield False
                    return
                time.sleep(0.05)
        yield True
    finally:
        os.close(handle)
