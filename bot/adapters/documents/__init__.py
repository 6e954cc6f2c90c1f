"""Documents of the threads on disk: TinyDB, one small file for each thread, saved atomically (`Store`).

A document is written once for each save, and read again only if its file changed since (`storage`).

The events behind a save are not repeated, so a failing disk stops the process: the next start continues from the saved
documents and the journals.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from tinydb import TinyDB

from bot.adapters.documents.storage import POINT, TABLE, AtomicStorage
from bot.errors import Conflict, TriageError, Unreadable
from bot.models.closed_thread import summarise_closed_thread
from bot.models.thread import Thread
from bot.models.thread_id import THREAD_ID
from bot.runtime.atomic_file import sync_folder
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection
    from pathlib import Path

    from bot.models.settlement import ClosedThread
    from bot.ports.storage import Stop

Answer = TypeVar("Answer")

_ID = re.compile(THREAD_ID)
_ONLY = 1  # the id of the one document in each file
_FORMAT = Thread.model_fields["schema_version"].default
_Stamp = tuple[int, int, int, int]
_LOCKS = 64
REMEMBERED = 256
"""Number of documents, last saved first, that are not read again while their files are unchanged."""
_BATCH = 200


class Documents:
    """The `Store` on files: `<folder>/<thread_id>.json`. File access runs outside the event loop.

    `stop` ends the process if the disk fails, and every call raises from then on; `None` for one that is only read.
    """

    def __init__(self, folder: Path, *, stop: Stop | None) -> None:
        self._folder = folder
        self._stop = stop
        self._broken: TriageError | None = None
        if stop is not None:
            self._make_folder()
        self._locks = [threading.Lock() for _ in range(_LOCKS)]
        self._saved: OrderedDict[str, tuple[str, _Stamp, Thread]] = OrderedDict()
        """The last saved documents, with the state of their files: they need not be read again."""
        # Separate threads: a press never queues behind a search.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="documents")

    async def load(self, thread_id: str) -> Thread | None:
        """Return the newest saved document, or `None`. Raises `Unreadable` if it exists but does not parse."""
        return self._remembered(thread_id) or await self._off_the_loop(self._load, thread_id)

    async def threads(self) -> AsyncIterator[tuple[str, Thread | ClosedThread | None]]:
        """Yield each saved thread by its id, in the order of the ids; `None` for an unparsable one.

        Most threads are closed and need no work: they are not parsed completely.
        """
        ids = await self.thread_ids()
        for start in range(0, len(ids), _BATCH):
            for entry in await self._off_the_loop(self._glance_at, ids[start : start + _BATCH]):
                yield entry

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; raises `Conflict` if another version was saved since `thread` was loaded."""
        return await self._off_the_loop(self._save, thread)

    async def quarantine(self, thread_id: str) -> Path:
        """Move an unparsable document out of the way; return its new path."""
        return await self._off_the_loop(self._quarantine, thread_id)

    async def thread_ids(self) -> list[str]:
        """Return the ids of all saved threads, sorted."""
        return await self._in_thread(self._thread_ids)

    async def remove_closed(self, before: datetime, *, keep: Collection[str] = ()) -> list[str]:
        """Remove closed threads without events since `before`, except those to keep; return their ids. Unparsable ones
        stay, and those whose fix is under way."""
        born = before.timestamp()
        all_ids = await self.thread_ids()
        ids = [name for name in all_ids if name not in keep and float(name.rpartition("-")[2]) < born]
        removed: list[str] = []
        for start in range(0, len(ids), _BATCH):
            removed += await self._off_the_loop(self._remove_closed, ids[start : start + _BATCH], before)
        return removed

    async def remove(self, thread_id: str) -> bool:
        """Remove one thread unless it is open, does not parse, or its fix is under way; return whether it is gone."""
        removed = await self._off_the_loop(self._remove_closed, [thread_id], datetime.max.replace(tzinfo=UTC))
        return bool(removed) or not await self._in_thread(self._path(thread_id).exists)

    async def _in_thread(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def _off_the_loop(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        if self._broken:
            raise self._broken
        try:
            return await self._in_thread(work, *arguments)
        except OSError as problem:
            self._broken = TriageError(f"{self._folder}: {problem.strerror}; Triage must stop")
            if self._stop:
                self._stop.stop_for(self._broken)
            raise self._broken from problem

    def _load(self, thread_id: str) -> Thread | None:
        path = self._path(thread_id)
        document = self._read(thread_id)
        if document is None and not path.exists():
            return None
        if document is None:
            raise Unreadable(f"{path}: holds no thread")
        if (version := document.get("schema_version")) != _FORMAT:
            raise Unreadable(f"{path}: its format is {version!r}; this Triage supports {_FORMAT}")
        try:
            thread = Thread.model_validate(dict(document))
        except ValidationError as problem:
            raise Unreadable(f"{path}: {problem.error_count()} fields break the schema") from problem
        if thread.thread_id != thread_id:
            raise Unreadable(f"{path}: holds another thread, {thread.thread_id}")
        return thread

    def _glance_at(self, thread_ids: list[str]) -> list[tuple[str, Thread | ClosedThread | None]]:
        entries: list[tuple[str, Thread | ClosedThread | None]] = []
        for thread_id in thread_ids:
            try:
                data = AtomicStorage(self._folder / f"{thread_id}.json").read() or {}
                closed = summarise_closed_thread((data.get(TABLE) or {}).get(str(_ONLY)), thread_id)
                entries.append((thread_id, closed or self._load(thread_id)))
            except Unreadable:
                entries.append((thread_id, None))
        return entries

    def _save(self, thread: Thread) -> Thread:
        name = thread.thread_id
        path = self._path(name)
        with self._locks[hash(name) % _LOCKS]:
            saved = self._version(name)
            if saved != thread.version:
                raise Conflict(f"{name}: version {thread.version} was changed, {saved} is saved")
            newer = thread.evolve(version=thread.version + 1)
            self._make_folder()
            AtomicStorage(path).write_whole(
                _content(newer)
            )  # TinyDB's own insert reads the file again, and upsert twice
            self._saved[name] = str(path), _stamp(path), newer
            self._saved.move_to_end(name)
            while len(self._saved) > REMEMBERED:
                self._saved.popitem(last=False)
        return newer

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _remembered(self, thread_id: str) -> Thread | None:
        """Return the last saved document if its file is unchanged; `None` if it must be read."""
        saved = self._saved.get(thread_id)
        if saved is None or self._broken:
            return None
        path, stamp, thread = saved
        try:
            return thread if _stamp(path) == stamp else None
        except OSError:
            return None

    def _version(self, thread_id: str) -> int:
        """Return the saved version; 0 for none."""
        if thread := self._remembered(thread_id):
            return thread.version
        current = self._read(thread_id)
        return int(current["version"]) if isinstance(current, dict) else 0

    def _remove_closed(self, thread_ids: list[str], before: datetime) -> list[str]:
        removed = []
        for thread_id in thread_ids:
            with self._locks[hash(thread_id) % _LOCKS], suppress(Unreadable):
                thread = self._load(thread_id)
                if thread and thread.may_be_removed and thread.last_event_at < before:
                    with passing("documents.remove", thread_id):
                        self._path(thread_id).unlink()
                    removed.append(thread_id)
        if removed:
            sync_folder(self._folder, point=POINT)
        return removed

    def _read(self, thread_id: str) -> Any:
        try:
            return self._table(thread_id).get(doc_id=_ONLY)
        except (ValueError, TypeError, AttributeError) as problem:  # JSON, but not TinyDB's format
            raise Unreadable(f"{self._path(thread_id)}: not a TinyDB file: {problem}") from problem

    def _quarantine(self, thread_id: str) -> Path:
        folder = self._folder.parent / "quarantine"
        folder.mkdir(mode=0o700, exist_ok=True)
        target = folder / f"{thread_id}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json"
        with passing("documents.quarantine", target.name):
            self._path(thread_id).replace(target)
        sync_folder(folder, point=POINT)
        sync_folder(self._folder, point=POINT)
        return target

    def _thread_ids(self) -> list[str]:
        with passing("documents.list", self._folder.name):
            names = [entry.name for entry in os.scandir(self._folder)] if self._folder.is_dir() else []
        stems = (name.removesuffix(".json") for name in names if name.endswith(".json"))
        return sorted(stem for stem in stems if _ID.fullmatch(stem))

    def _table(self, thread_id: str) -> Any:
        return TinyDB(self._path(thread_id), storage=AtomicStorage).table(TABLE, cache_size=0)

    def _path(self, thread_id: str) -> Path:
        if not _ID.fullmatch(thread_id):
            raise Unreadable(f"{thread_id[:80]!r} is not a thread id")
        return self._folder / f"{thread_id}.json"


def _content(thread: Thread) -> bytes:
    """Serialise a document with its table."""
    try:
        document = thread.model_dump_json().encode()
    except ValueError:  # half of a surrogate pair: valid as a JSON escape, but not in UTF-8
        document = json.dumps(thread.model_dump(mode="json"), separators=(",", ":")).encode()
    return b'{"%s":{"%d":%s}}' % (TABLE.encode(), _ONLY, document)


def _stamp(path: Path | str) -> _Stamp:
    """Return the file's metadata; it differs after every write."""
    about = os.stat(path)  # noqa: PTH116  # at each step of a thread, where a `Path` costs more than the call
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
