"""Items of the shared state in a home's files: reading all of them, and writing them into an empty folder."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import os
import re
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

from bot.errors import Unreadable
from bot.models.stored_item import Kind, StoredItem
from bot.ports.storage import JournalName, StateName
from bot.runtime.atomic_file import sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

STATES = (*get_args(StateName), "weights", "weights.previous")
_DOCUMENT = b'"thread":{"1":'
_HEAD = b'{"digest":"%s",'
_DIGEST_BYTES = 16
_HEAD_BYTES = len(_HEAD % (b"0" * 2 * _DIGEST_BYTES))
_PREVIOUS = ".previous"
_NOTE = re.compile(r".+\.md|\..+\.md(\.previous|\.tmp|\.kept\.tmp)")


@dataclass
class HomeItems:
    """Reader of a home. `progress` is told of the bytes of files that were read."""

    home: Path
    progress: Callable[[int], None] = lambda _: None
    damaged: list[str] = field(default_factory=list)
    """Files, and lines of journals, that were taken along as they are although they do not parse, with the reason."""
    unfit: list[str] = field(default_factory=list)
    """Files, and lines of journals, with bytes that no text column takes; they are among the items, too."""

    def count_bytes(self) -> int:
        """Return the bytes of all files with items."""
        return sum(path.stat().st_size for path in self._list_files())

    def read(self) -> Iterator[StoredItem]:
        """Yield every item, kind by kind. Raises `Unreadable` for a part of a journal that cannot be unpacked."""
        for path in sorted((self.home / "state").glob("*.json")):
            yield self._read_text(path, "threads", self._unwrap(path))
        for path in sorted((self.home / "quarantine").glob("*.json")):
            yield self._read_text(path, "quarantine", path.read_bytes())
        for name in get_args(JournalName):
            yield from self._read_journal(name)
        for name in STATES:
            if (path := self.home / f"{name}.json").is_file():
                yield self._read_text(path, "states", self._check_json(path, path.read_bytes()))
        for kind in ("sessions", "conversations"):
            for path in sorted((self.home / kind).glob("*.json")):
                yield self._read_text(path, kind, self._check_json(path, path.read_bytes()))
        yield from self._read_tasks()
        yield from self._read_notes()
        for path in sorted(self._list_strangers()):
            self.damaged.append(f"{path}: left out: Triage writes no such file")

    def _list_files(self) -> Iterator[Path]:
        for folder in ("state", "quarantine", "sessions", "conversations"):
            yield from (self.home / folder).glob("*.json")
        for name in get_args(JournalName):
            yield from _list_parts(self.home, name)
        yield from (path for name in STATES if (path := self.home / f"{name}.json").is_file())
        for folder in ("tasks", "notes"):
            yield from (path for path in (self.home / folder).glob("*/*") if path.is_file())

    def _list_strangers(self) -> Iterator[Path]:
        """Yield the files of tasks and notes that are neither."""
        yield from (path for path in (self.home / "tasks").glob("*/*/**/*") if path.is_file())
        notes = (path for path in (self.home / "notes").rglob("*") if not path.is_dir())
        yield from (path for path in notes if path.is_symlink() or not _NOTE.fullmatch(path.name))

    def _read_text(self, path: Path, kind: Kind, content: bytes) -> StoredItem:
        self._check_text(path, content)
        self.progress(path.stat().st_size)
        return StoredItem(kind, (path.name.removesuffix(".json"),), content, _changed_at(path))

    def _unwrap(self, path: Path) -> bytes:
        """Return the document in a file of TinyDB; of a damaged file everything."""
        content = path.read_bytes()
        rest = content[_HEAD_BYTES:]
        if content[:_HEAD_BYTES] != _HEAD % _digest(rest) or not rest.startswith(_DOCUMENT) or rest[-2:] != b"}}":
            self.damaged.append(f"{path}: it is corrupted")
            return content
        return self._check_json(path, rest[len(_DOCUMENT) : -2])

    def _check_json(self, place: Path | str, content: bytes) -> bytes:
        try:
            json.loads(content)
        except (ValueError, RecursionError) as problem:
            self.damaged.append(f"{place}: not JSON: {problem}")
        return content

    def _check_text(self, place: Path | str, content: bytes) -> None:
        try:
            is_text = "\0" not in content.decode()
        except UnicodeDecodeError:
            is_text = False
        if not is_text:
            self.unfit.append(str(place))

    def _read_journal(self, name: str) -> Iterator[StoredItem]:
        number = 0
        for path in _list_parts(self.home, name):
            for place, line in _read_lines(path):
                self._check_text(f"{path}:{place}", line)
                self._check_json(f"{path}:{place}", line)
                yield StoredItem("journals", (name, str(number)), line)
                number += 1
            self.progress(path.stat().st_size)

    def _read_tasks(self) -> Iterator[StoredItem]:
        paths = sorted(path for path in (self.home / "tasks").glob("*/*") if path.is_file() and path.suffix != ".tmp")
        for path in paths:
            if path.suffix == ".json":
                yield StoredItem("task records", (path.parent.name, path.name), path.read_bytes(), _changed_at(path))
                self.progress(path.stat().st_size)
        for path in paths:
            if path.suffix != ".json":
                for number, line in enumerate(path.read_bytes().removesuffix(b"\n").split(b"\n")):
                    key = (path.parent.name, path.name, str(number))
                    yield StoredItem("task lines", key, line, _changed_at(path))
                self.progress(path.stat().st_size)

    def _read_notes(self) -> Iterator[StoredItem]:
        folder = self.home / "notes"
        for path in sorted(path for path in folder.glob("*/[!.]*.md") if path.is_file() and not path.is_symlink()):
            key = (path.parent.name, path.name)
            yield StoredItem("notes", key, path.read_bytes(), _changed_at(path))
            self.progress(path.stat().st_size)
        for path in sorted(folder.glob(f"*/.*.md{_PREVIOUS}")):
            name = path.name.removeprefix(".").removesuffix(_PREVIOUS)
            if path.with_name(name).is_file():
                yield StoredItem("previous notes", (path.parent.name, name), path.read_bytes(), _changed_at(path))
            else:
                self.damaged.append(f"{path}: left out: its note is gone")
            self.progress(path.stat().st_size)


def write_items(folder: Path, items: Iterable[StoredItem]) -> None:
    """Write items into a folder that is new, as the files of a home; on return all of it is on disk.

    Lines of one file come one after the other, in order.
    """
    for path, group in itertools.groupby(items, key=lambda item: _place(folder, item)):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        at: datetime | None = None
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for item in group:
                file.write(_encode(item))
                at = item.at
            file.flush()
            os.fsync(file.fileno())
        if at:
            for changed in (path, path.parent):
                os.utime(changed, (at.timestamp(), at.timestamp()))
    for each in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        sync_folder(each, point="transfer")


def _encode(item: StoredItem) -> bytes:
    """Return an item as it is in its file."""
    if item.kind in ("journals", "task lines"):
        return item.content + b"\n"
    if item.kind == "threads":
        rest = _DOCUMENT + item.content + b"}}"
        return _HEAD % _digest(rest) + rest
    return item.content


def _place(folder: Path, item: StoredItem) -> Path:
    match item.kind:
        case "journals":
            return folder / f"{item.key[0]}.ndjson"
        case "states":
            return folder / f"{item.key[0]}.json"
        case "task records" | "task lines":
            return folder / "tasks" / item.key[0] / item.key[1]
        case "notes":
            return folder / "notes" / item.key[0] / item.key[1]
        case "previous notes":
            return folder / "notes" / item.key[0] / f".{item.key[1]}{_PREVIOUS}"
        case "threads":
            return folder / "state" / f"{item.key[0]}.json"
        case _:
            return folder / item.kind / f"{item.key[0]}.json"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest().encode()


def _list_parts(home: Path, name: str) -> list[Path]:
    """Return the files of a journal, the oldest part first; of a part that is packed and plain the plain one."""
    by_name = {path.name.removesuffix(".gz"): path for path in home.glob(f"{name}.*.ndjson.gz")}
    by_name |= {path.name: path for path in home.glob(f"{name}.*.ndjson")}
    newest = home / f"{name}.ndjson"
    return [*(by_name[key] for key in sorted(by_name)), *([newest] if newest.is_file() else [])]


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, each with its number from 1 and without its end."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        try:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.removesuffix(b"\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise Unreadable(f"{path}: it is damaged ({problem}); repair or remove it, and repeat the import") from None


def _changed_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
