"""Purge: permanent removal of data from a home by age, thread, channel or user.

`purge` needs an owned home; `purge_parts` is safe beside a running bot, whose journals and documents have their own
writers. Every file is rewritten beside its place and renamed, so a crash leaves either the old or the new one.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.adapters.purge.folders import NO_THREADS, SharedThreads, find_runs, remove_folders, remove_runs
from bot.adapters.purge.lines import read_lines, write_anew
from bot.adapters.purge.states import forget_states
from bot.errors import Unreadable
from bot.models.note import passages
from bot.models.purge_criterion import Criterion, PurgeCounts
from bot.models.purged_records import find_own_thread, spare_window, strip_wrong
from bot.runtime.atomic_file import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

log = logging.getLogger(__name__)

_PART = re.compile(r"[a-z-]+\.\d{8}T\d{12}\.ndjson(\.gz)?")
_RECORDS = ("sessions", "conversations", "evaluations")
"""Folders of records, each a file of one line."""
_NOT_OURS = "workspace.ndjson"  # the local workspace's own record in the demo's home


def purge(
    home: Path,
    criterion: Criterion,
    *,
    really: bool,
    runs: Path | None = None,
    shared: SharedThreads = NO_THREADS,
) -> PurgeCounts:
    """Remove the matching data from `home`, and from the folder of long runs where that is elsewhere (`runs`).

    Without `really` it is only counted. `shared` are threads that are stored elsewhere.
    """
    purged = PurgeCounts()
    if criterion.user:
        criterion = replace(criterion, threads=criterion.threads | _threads_of(home, criterion.user))
    runs_of_programs = find_runs(home, criterion, shared)
    purged.documents = _documents(home, criterion, really=really)
    if really:
        _sweep(home)
    purged.records += sum(_sessions(home / name, criterion, really=really) for name in _RECORDS)
    remove_folders(home, criterion, runs, really=really, shared=shared)
    if really:
        remove_runs(runs_of_programs)
    if criterion.before is None:
        purged.records += _notes(home / "notes", criterion, really=really)
    if really and criterion.before is None:
        forget_states(home, criterion.takes_line)
    for path in sorted([*home.glob("*.ndjson"), *home.glob("*.ndjson.gz")]):
        if path.name == _NOT_OURS:
            continue
        spared = spare_window(criterion) if _is_of_judgements(path) else criterion
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
        elif criterion.before is None and _is_of_judgements(path) and (case := strip_wrong(line)):
            yield case


def purge_parts(home: Path, before: datetime, runs: Path | None = None, shared: SharedThreads = NO_THREADS) -> int:
    """Remove data older than `before` from the journals' earlier parts, the quarantine, sessions and folders.

    `runs` is the folder of long runs where that is not in the home. Returns the number of removed records. Live
    journals, documents and their tasks are not touched: this is safe.
    """
    criterion = Criterion(before=before)
    count = _purge_parts((path for path in home.glob("*.ndjson*") if _PART.fullmatch(path.name)), criterion)
    for path in (home / "quarantine").glob("*.json"):
        if path.stat().st_mtime < before.timestamp():
            path.unlink()
    remove_folders(home, criterion, runs, really=True, shared=shared)
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
        spared = spare_window(criterion) if _is_of_judgements(part) else criterion
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
    own_threads: set[str] = set()
    for path in [*home.glob("events-classified*.ndjson"), *home.glob("events-classified*.ndjson.gz")]:
        own_threads |= {own for line in read_lines(path) if (own := find_own_thread(line, user))}
    return frozenset(documents | own_threads)


def _is_of_judgements(path: Path) -> bool:
    """Return whether a file is the journal of judgements or an earlier part of it."""
    return path.name.partition(".")[0] == "judgements"
