"""The threads' documents on disk: TinyDB, one small file a thread, each save atomic (`Store`).

TinyDB's own storage writes in place, and a kill in the middle leaves a file that no longer parses. `AtomicStorage`
replaces it whole (`bot/disk`), so that a reader sees the old document or the new one. The file begins with a digest of
all that follows, so that a byte which the disk gives back changed is noticed.

What a save had to record happened already and is told by nobody again, so a disk that fails stops the process: the next
start goes on from what was saved and from the journals.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json
from tinydb import Storage, TinyDB
from tinydb.table import Document

from bot.disk import replace_file, sync_folder
from bot.errors import Conflict, TriageError, Unreadable
from bot.faultpoints import passing
from bot.models.mark import are_settled
from bot.models.thread import THREAD_ID, Settled, Thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

Answer = TypeVar("Answer")

_TABLE = "thread"
_POINT = "documents"
_ONLY = 1  # the id of the one document in each file
_LOCKS = 64
_BATCH = 200
_DIGEST_BYTES = 16
_HEAD = b'{"digest":"%s",'
_HEAD_BYTES = len(_HEAD % (b"0" * 2 * _DIGEST_BYTES))


class AtomicStorage(Storage):
    """A TinyDB storage whose file is never seen half written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, dict[str, Any]] | None:
        """What the file holds; `None` when there is none. Raises `Unreadable`."""
        try:
            with passing("documents.read", self._path.name):
                content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        return _opened(content, self._path)

    def write(self, data: dict[str, dict[str, Any]]) -> None:
        """Replace the file; on return it is on disk, its name included."""
        replace_file(self._path, _sealed(data), point=_POINT)


class Documents:
    """The `Store` on files: `<folder>/<thread_id>.json`. Its file work leaves the event loop.

    `on_broken` is told once when the disk fails; every call raises from then on.
    """

    def __init__(self, folder: Path, *, on_broken: Callable[[TriageError], None]) -> None:
        self._folder = folder
        self._on_broken = on_broken
        self._broken: TriageError | None = None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._locks = [threading.Lock() for _ in range(_LOCKS)]
        # Threads of their own: a press never queues behind somebody's search.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="documents")

    async def load(self, thread_id: str) -> Thread | None:
        """The newest saved document, or `None`. Raises `Unreadable` when it is there but does not parse."""
        return await self._off_the_loop(self._load, thread_id)

    async def threads(self) -> AsyncIterator[tuple[str, Thread | Settled | None]]:
        """Each saved thread by its id, in the order of the ids; `None` for one that does not parse.

        Most threads are closed and need no work: those are not read into their whole form.
        """
        ids = await self.thread_ids()
        for start in range(0, len(ids), _BATCH):
            for found in await self._off_the_loop(self._glance_at, ids[start : start + _BATCH]):
                yield found

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; raises `Conflict` when another version was saved since `thread` was loaded."""
        return await self._off_the_loop(self._save, thread)

    async def quarantine(self, thread_id: str) -> Path:
        """Move a document that does not parse out of the way; the answer is where it lies now."""
        return await self._off_the_loop(self._quarantine, thread_id)

    async def thread_ids(self) -> list[str]:
        """The ids of all saved threads, sorted."""
        return await self._in_thread(self._thread_ids)

    async def remove_closed(self, before: datetime) -> list[str]:
        """Remove closed threads in which nothing has happened since; their ids. One that does not parse stays."""
        born = before.timestamp()
        ids = [name for name in await self.thread_ids() if float(name.rpartition("-")[2]) < born]
        removed: list[str] = []
        for start in range(0, len(ids), _BATCH):
            removed += await self._off_the_loop(self._remove_closed, ids[start : start + _BATCH], before)
        return removed

    async def _in_thread(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def _off_the_loop(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        if self._broken:
            raise self._broken
        try:
            return await self._in_thread(work, *arguments)
        except OSError as problem:
            self._broken = TriageError(f"{self._folder}: {problem.strerror}; Triage must stop")
            self._on_broken(self._broken)
            raise self._broken from problem

    def _load(self, thread_id: str) -> Thread | None:
        path = self._path(thread_id)
        document = self._read(thread_id)
        if document is None and not path.exists():
            return None
        if document is None:
            raise Unreadable(f"{path}: holds no thread")
        try:
            thread = Thread.model_validate(_migrated(dict(document), path))
        except ValidationError as problem:
            raise Unreadable(f"{path}: {problem.error_count()} fields break the schema") from problem
        if thread.thread_id != thread_id:
            raise Unreadable(f"{path}: holds another thread, {thread.thread_id}")
        return thread

    def _glance_at(self, thread_ids: list[str]) -> list[tuple[str, Thread | Settled | None]]:
        found: list[tuple[str, Thread | Settled | None]] = []
        for thread_id in thread_ids:
            try:
                data = AtomicStorage(self._folder / f"{thread_id}.json").read()
                found.append((thread_id, _settled(data, thread_id) or self._load(thread_id)))
            except Unreadable:
                found.append((thread_id, None))
        return found

    def _save(self, thread: Thread) -> Thread:
        table = self._table(thread.thread_id)
        with self._locks[hash(thread.thread_id) % _LOCKS]:
            current = table.get(doc_id=_ONLY)
            saved = current["version"] if isinstance(current, dict) else 0
            if saved != thread.version:
                raise Conflict(f"{thread.thread_id}: version {thread.version} was changed, {saved} is saved")
            newer = thread.evolve(version=thread.version + 1)
            document = Document(newer.model_dump(mode="json"), doc_id=_ONLY)
            if current is None:
                table.insert(document)  # an upsert would first write a file without it
            else:
                table.upsert(document)
        return newer

    def _remove_closed(self, thread_ids: list[str], before: datetime) -> list[str]:
        removed = []
        for thread_id in thread_ids:
            with self._locks[hash(thread_id) % _LOCKS], suppress(Unreadable):
                thread = self._load(thread_id)
                if thread and not thread.is_open and thread.last_event_at < before:
                    with passing("documents.remove", thread_id):
                        self._path(thread_id).unlink()
                    removed.append(thread_id)
        if removed:
            sync_folder(self._folder, point=_POINT)
        return removed

    def _read(self, thread_id: str) -> Any:
        try:
            return self._table(thread_id).get(doc_id=_ONLY)
        except (ValueError, TypeError, AttributeError) as problem:  # JSON, and not TinyDB's form of it
            raise Unreadable(f"{self._path(thread_id)}: not a TinyDB file: {problem}") from problem

    def _quarantine(self, thread_id: str) -> Path:
        folder = self._folder.parent / "quarantine"
        folder.mkdir(mode=0o700, exist_ok=True)
        aside = folder / f"{thread_id}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json"
        with passing("documents.quarantine", aside.name):
            self._path(thread_id).replace(aside)
        sync_folder(folder, point=_POINT)
        sync_folder(self._folder, point=_POINT)
        return aside

    def _thread_ids(self) -> list[str]:
        with passing("documents.list", self._folder.name):
            names = [entry.name for entry in os.scandir(self._folder)]
        stems = (name.removesuffix(".json") for name in names if name.endswith(".json"))
        return sorted(stem for stem in stems if re.fullmatch(THREAD_ID, stem))

    def _table(self, thread_id: str) -> Any:
        return TinyDB(self._path(thread_id), storage=AtomicStorage).table(_TABLE, cache_size=0)

    def _path(self, thread_id: str) -> Path:
        if not re.fullmatch(THREAD_ID, thread_id):
            raise Unreadable(f"{thread_id[:80]!r} is no id of a thread")
        return self._folder / f"{thread_id}.json"


def _settled(data: dict[str, Any] | None, name: str) -> Settled | None:
    """What to remember of a file's thread when nothing is outstanding in it; `None` when it must be read whole."""
    match (data or {}).get(_TABLE):
        case {
            "1": {
                "schema_version": 1,
                "thread_id": str(thread_id),
                "status": "closed",
                "due_at": None,  # else it holds the next question, asked while the reply was on its way
                "revision": int(revision),
                "card": {"drawn": int(drawn)},
                "original_sender_id": str(asker),
                **rest,
            }
        } if drawn == revision and thread_id == name and _are_gone(rest, drawn) and _is_told(rest):
            return Settled(thread_id, asker) if are_settled(rest.get("marks", [])) else None
        case _:
            return None


def _is_told(rest: dict[Any, Any]) -> bool:
    """Whether its asker has nothing to be shown any more."""
    line = rest.get("asker_line")
    return not line or bool(line.get("is_begun"))


def _are_gone(rest: dict[Any, Any], drawn: int) -> bool:
    """Whether no card of before is still to be taken away, nor a message of its run to be brought up to it."""
    return not rest.get("replaced") and (rest.get("progress") or {}).get("drawn") in (None, drawn)


def _sealed(data: dict[str, dict[str, Any]]) -> bytes:
    """The bytes of a file: its digest, then the tables."""
    rest = json.dumps(data, separators=(",", ":")).encode()[1:]
    return _HEAD % _digest(rest) + rest


def _opened(content: bytes, path: Path) -> dict[str, dict[str, Any]]:
    """The tables in a file. Files from before digests hold the one table alone, and are read as they are."""
    rest = content[_HEAD_BYTES:]
    is_sound = content[:_HEAD_BYTES] == _HEAD % _digest(rest)
    try:
        data = _parsed(b"{" + rest if is_sound else content)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"{path}: not JSON: {problem}") from problem
    if not isinstance(data, dict):
        raise Unreadable(f"{path}: expected a JSON object")
    if not is_sound and data.keys() != {_TABLE}:
        raise Unreadable(f"{path}: its bytes are not those that were saved: the digest is another")
    return data


def _parsed(content: bytes) -> Any:
    try:
        return from_json(content)  # twice as fast; it takes no half of a surrogate pair, which a message may hold
    except ValueError:
        return json.loads(content)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest().encode()


def _migrated(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """A document of any earlier form in today's. Raises `Unreadable` for one that a later Triage wrote."""
    version = document.get("schema_version", 0)
    if version not in range(max(_MIGRATIONS) + 2):
        raise Unreadable(f"{path}: its form is {version!r}; this Triage knows up to {max(_MIGRATIONS) + 1}")
    for number in range(version, max(_MIGRATIONS) + 1):
        document = {**_MIGRATIONS[number](document), "schema_version": number + 1}
    return document


_MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {0: dict}
"""From each form to the next. Form 0 had no `schema_version` and is otherwise the same."""
