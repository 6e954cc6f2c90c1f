"""Purge: permanent removal of data from a home by age, thread, channel or user.

`purge` needs an owned home; `purge_parts` is safe beside a running bot, whose journals and documents have their own
writers. Every file is rewritten beside its place and renamed, so a crash leaves either the old or the new one.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.adapters.purge.folders import find_runs, remove_folders, remove_runs
from bot.adapters.purge.judgements import is_of_judgements, spare_window, strip_wrong
from bot.adapters.purge.lines import read_lines, write_anew
from bot.adapters.purge.states import forget_states
from bot.errors import Unreadable
from bot.models.note import passages
from bot.runtime.atomic_file import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_TIMES = ("received_at", "classified_at", "posted_at", "at", "create_time", "saved_at")
_PART = re.compile(r"[a-z-]+\.\d{8}T\d{12}\.ndjson(\.gz)?")
_RECORDS = ("sessions", "conversations", "evaluations")
"""Folders of records, each a file of one line."""
_NOT_OURS = "workspace.ndjson"  # the local workspace's own record in the demo's home


@dataclass(frozen=True)
class Criterion:
    """Selection of the data to remove; exactly one of these is set."""

    before: datetime | None = None
    thread_id: str | None = None
    channel: str | None = None
    user: str | None = None
    threads: frozenset[str] = frozenset()
    """With `user`: the threads that the user took part in, found by `purge`."""

    def takes_line(self, line: bytes) -> bool:
        """Return whether a journal's line is removed; by age, also one without a readable date."""
        if self.before is not None:
            at = _time_of(line)
            return at is None or at < self.before
        if self.thread_id is not None:
            return _is_about(line, self.thread_id)
        named = (self.channel or self.user or "").encode() in line
        return named or any(_is_about(line, thread_id) for thread_id in self.threads)

    def takes_document(self, name: str, content: bytes) -> bool:
        """Return whether a thread's document is removed; by age, an open one stays, and one whose fix is under way."""
        if self.before is not None:
            last, is_closed = _last_event(content)
            return last is None or (is_closed and last < self.before)
        if self.thread_id is not None:
            return name.startswith(self.thread_id)
        return (self.channel or self.user or "").encode() in content or name.partition(".json")[0] in self.threads


@dataclass
class PurgeCounts:
    """The amounts removed by a purge."""

    records: int = 0
    documents: int = 0


def purge(home: Path, criterion: Criterion, *, really: bool, runs: Path | None = None) -> PurgeCounts:
    """Remove the matching data from `home`, and from the folder of long runs where that is elsewhere (`runs`).

    Without `really` it is only counted.
    """
    purged = PurgeCounts()
    if criterion.user:
        criterion = replace(criterion, threads=_threads_of(home, criterion.user))
    runs_of_programs = find_runs(home, criterion)
    purged.documents = _documents(home, criterion, really=really)
    if really:
        _sweep(home)
    purged.records += sum(_sessions(home / name, criterion, really=really) for name in _RECORDS)
    remove_folders(home, criterion, runs, really=really)
    if really:
        remove_runs(runs_of_programs)
    if criterion.before is None:
        purged.records += _notes(home / "notes", criterion, really=really)
    if really and criterion.before is None:
        forget_states(home, criterion.takes_line)
    for path in sorted([*home.glob("*.ndjson"), *home.glob("*.ndjson.gz")]):
        if path.name == _NOT_OURS:
            continue
        spared = spare_window(path, criterion)
        count = sum(spared.takes_line(line) for line in read_lines(path))
        purged.records += count
        if really and count:
            write_anew(path, _keep_lines(path, spared))
    return purged


def _keep_lines(path: Path, criterion: Criterion) -> Iterator[bytes]:
    """Yield what stays of a journal; of a judgement that a draft was wrong all but its ids."""
    for line in read_lines(path):
        if not criterion.takes_line(line):
            yield line
        elif criterion.before is None and is_of_judgements(path) and (case := strip_wrong(line)):
            yield case


def is_older(line: bytes, before: datetime) -> bool:
    """Return whether a journal's line is older than `before`, or does not parse."""
    return Criterion(before=before).takes_line(line)


def purge_parts(home: Path, before: datetime, runs: Path | None = None) -> int:
    """Remove data older than `before` from the journals' earlier parts, the quarantine, sessions and folders.

    `runs` is the folder of long runs where that is not in the home. Returns the number of removed records. Live
    journals, documents and their tasks are not touched: this is safe.
    """
    criterion = Criterion(before=before)
    count = _purge_parts((path for path in home.glob("*.ndjson*") if _PART.fullmatch(path.name)), criterion)
    for path in (home / "quarantine").glob("*.json"):
        if path.stat().st_mtime < before.timestamp():
            path.unlink()
    remove_folders(home, criterion, runs, really=True)
    remove_runs(find_runs(home, criterion))
    return count + sum(_sessions(home / name, criterion, really=True) for name in _RECORDS)


def purge_parts_of(journal: Path, before: datetime) -> int:
    """Remove data older than `before` from the earlier parts of one journal; return the number of records."""
    parts = (path for path in journal.parent.glob(f"{journal.stem}.*.ndjson*") if _PART.fullmatch(path.name))
    return _purge_parts(parts, Criterion(before=before))


def _purge_parts(parts: Iterable[Path], criterion: Criterion) -> int:
    """Remove old lines from parts, each of which begins with its oldest line; return their number."""
    count = 0
    for part in sorted(parts):
        spared = spare_window(part, criterion)
        try:
            if (first := next(read_lines(part), None)) is not None and spared.takes_line(first):
                count += _purge_part(part, spared)
        except (OSError, Unreadable) as problem:
            log.warning("%s could not be purged: %s", part, problem)
    return count


def _documents(home: Path, criterion: Criterion, *, really: bool) -> int:
    """Remove the documents of threads; return their number."""
    paths = [path for folder in ("state", "quarantine") for path in sorted((home / folder).glob("*.json"))]
    doomed = [path for path in paths if criterion.takes_document(path.name, path.read_bytes())]
    if really:
        for path in doomed:
            path.unlink()
    return len(doomed)


def _sweep(home: Path) -> None:
    """Remove half-written files left by a kill: their owner is gone, and they may contain anything.

    Pending confirmations are removed, too, and the order of a restart with one: they contain typed text, and are valid
    for minutes only.
    """
    folders = (home, *(home / name for name in ("state", *_RECORDS)))
    half_written = [path for folder in folders for path in folder.glob("*.tmp")]
    for path in [*half_written, *home.glob("confirmations.json"), *home.glob("restart.json")]:
        path.unlink()
    for folder in (home, home / "state", home / "quarantine"):
        if folder.is_dir():
            sync_folder(folder, point="purge")


def _purge_part(part: Path, criterion: Criterion) -> int:
    removed, stays = 0, 0
    for line in read_lines(part):
        is_removed = criterion.takes_line(line)
        removed, stays = removed + is_removed, stays + (not is_removed)
    if stays:
        write_anew(part, (line for line in read_lines(part) if not criterion.takes_line(line)))
    else:
        part.unlink()
        sync_folder(part.parent, point="purge")
    return removed


def _sessions(folder: Path, criterion: Criterion, *, really: bool) -> int:
    """Remove the records of runs, each a file of one line; return their number."""
    doomed = [path for path in sorted(folder.glob("*.json")) if criterion.takes_line(path.read_bytes())]
    if really:
        for path in doomed:
            path.unlink()
    if doomed and really:
        sync_folder(folder, point="purge")
    return len(doomed)


def _notes(home: Path, criterion: Criterion, *, really: bool) -> int:
    """Remove the matching passages of notes, and empty notes; return the number of passages.

    Nothing is removed by age: a note stays until somebody deletes it.
    """
    count = 0
    for path in sorted(path for path in home.glob("*/*") if path.is_file() and not path.is_symlink()):
        pieces = [piece.encode("utf-8", "surrogateescape") for piece in passages(_text(path))]
        stay = [piece for piece in pieces if not criterion.takes_line(piece)]
        count += len(pieces) - len(stay)
        if really and path.suffix == ".tmp":
            path.unlink()
        elif really and not b"".join(stay).strip():
            path.unlink()
            sync_folder(path.parent, point="purge")
        elif really and len(stay) < len(pieces):
            write_anew(path, stay)
    return count


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _threads_of(home: Path, user: str) -> frozenset[str]:
    """Return the threads whose document names the user, or that contain a message of the user."""
    documents = {p.stem for p in (home / "state").glob("*.json") if user.encode() in p.read_bytes()}
    own_threads = set()
    for path in [*home.glob("events-classified*.ndjson"), *home.glob("events-classified*.ndjson.gz")]:
        for line in read_lines(path):
            with contextlib.suppress(ValueError, KeyError, TypeError):
                record = json.loads(line)
                own = f"{record['team_id']}-{record['chat_id']}-{record['message_id']}"
                if record["sender"]["id"] == user:
                    own_threads.add(record["thread_id"] or own)
    return frozenset(documents | own_threads)


def _is_about(line: bytes, thread_id: str) -> bool:
    _, channel, ts = thread_id.split("-")
    return thread_id.encode() in line or (channel.encode() in line and ts.encode() in line)


def _time_of(line: bytes) -> datetime | None:
    try:
        record = json.loads(line)
        return next((_moment(record[key]) for key in _TIMES if key in record), None)
    except (ValueError, TypeError):
        return None


def _last_event(content: bytes) -> tuple[datetime | None, bool]:
    try:
        (document,) = json.loads(content)["thread"].values()
        fix = document.get("fix") or {}
        is_live = fix.get("state") in ("drafting", "opening") or (fix.get("state") == "discarded" and not fix["result"])
        return _moment(document["last_event_at"]), document["status"] == "closed" and not is_live
    except (ValueError, TypeError, KeyError, AttributeError):
        return None, True


def _moment(text: Any) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
