"""Index lookup: best passages of a tree for a question, by BM25, and the document frequency of each word."""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from bot.decide.retrieval.language_ports import find_ports
from bot.decide.retrieval.path_patterns import is_below

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from bot.tools.index.refresh import Tree
    from bot.tools.index.store import IndexStore, Segment

_K1 = 1.2
_B = 0.75
_MOST_POSTINGS = 150_000
"""Maximum number of postings, rarest keys first, that may add new passages; later ones only raise scores."""
_MOST_KEPT = 4
"""Maximum number of cached trees in this process."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Files of a tree at one scan."""

    paths: Mapping[int, str]
    """Paths by number."""
    listed: tuple[str, ...]
    """Paths in order."""
    holders: Mapping[int, tuple[int, ...]]
    """Numbers of the paths of each content; the negative number of a path stands for the path's own words."""
    segments: Mapping[int, Segment]
    usual: float
    """Average number of keys of a passage."""
    passages: int
    ports: Mapping[str, str]
    """Folders of ports to other languages, and the language of each."""
    folders: tuple[str, ...]
    """Folders with files, and their parents; the empty path is the root."""


@dataclass(frozen=True, slots=True)
class Key:
    """Index key of a question: its term, its share in the term, and the term's weight."""

    term: int
    share: float
    weight: float


@dataclass(frozen=True, slots=True)
class Hits:
    """Result of a lookup."""

    files: int
    holders: Mapping[str, int]
    """Number of files that hold each key, in their text or path."""
    own: tuple[int, ...]
    """For each term the number of files that hold it; `synonyms` counts files that hold only synonyms of it."""
    synonyms: tuple[int, ...]
    scores: Mapping[tuple[int, int], float]
    """Scores of the best passages, by content and number in it."""
    on_path: Mapping[str, float]
    """Scores of the best paths by their words, best first."""


_snapshots: OrderedDict[tuple[Path, int, int, str], Snapshot] = OrderedDict()
_lock = Lock()


def snapshot(store: IndexStore, tree: Tree, below: str = ".") -> Snapshot:
    """Return the files of a tree, or of a folder of it; cached until it changes."""
    place = (store.path, tree.number, tree.changes, below)
    with _lock:
        if cached := _snapshots.get(place):
            _snapshots.move_to_end(place)
            return cached
        before = [item for at, item in _snapshots.items() if at[0] == store.path]
    paths: dict[int, str] = {}
    holders: dict[int, tuple[int, ...]] = {}
    for number, path, blob in store.rows(
        "SELECT file.path, path.path, file.blob FROM file JOIN path ON path.id = file.path WHERE file.tree=?",
        (tree.number,),
    ):
        if not is_below(below, path):
            continue
        paths[number] = path
        holders[-number] = (number,)
        holders[blob] = (*holders.get(blob, ()), number)
    numbers = {number for (number,) in store.rows("SELECT id FROM segment")}
    segments = {number: item for other in before for number, item in other.segments.items() if number in numbers}
    segments |= store.segments(segments)
    total = sum(len(item.lengths) for item in segments.values())
    usual = sum(map(sum, (item.lengths for item in segments.values()))) / total if total else 1.0
    new_snapshot = Snapshot(
        paths=paths,
        listed=tuple(sorted(paths.values())),
        holders=holders,
        segments=segments,
        usual=max(usual, 1.0),
        passages=max(total - len(paths), 1),
        ports=find_ports(paths.values()),
        folders=_folders(paths.values()),
    )
    with _lock:
        for other in [item for item in _snapshots if (*item[:2], item[3]) == (*place[:2], place[3])]:
            del _snapshots[other]  # earlier versions of the tree
        _snapshots[place] = new_snapshot
        while len(_snapshots) > _MOST_KEPT:
            _snapshots.popitem(last=False)
    return new_snapshot


def _folders(paths: Iterable[str]) -> tuple[str, ...]:
    folders: set[str] = set()
    for folder in {path.rpartition("/")[0] for path in paths}:
        at = folder
        while at not in folders:
            folders.add(at)
            at = at.rpartition("/")[0]
    return tuple(folders)


def look_up(
    store: IndexStore, snap: Snapshot, keys: Mapping[str, Sequence[Key]], terms: int, own_share: float, limit: int
) -> Hits:
    """Find the `limit` best passages for these keys, and the file counts of the `terms`."""
    wanted = [*keys, *(f"/{key}" for key in keys)]
    postings: dict[str, list[tuple[Segment, array[int], bytes]]] = defaultdict(list)
    for number, segment in snap.segments.items():
        for key, documents, times in store.postings(number, wanted):
            postings[key].append((segment, documents, times))
    holding = {key: _find_holding(snap, postings.get(key, ()), postings.get(f"/{key}", ())) for key in keys}
    own: list[set[int]] = [set() for _ in range(terms)]
    either: list[set[int]] = [set() for _ in range(terms)]
    for key, stands_for in keys.items():
        for item in stands_for:
            either[item.term] |= holding[key]
            if item.share >= own_share:
                own[item.term] |= holding[key]
    files = max(len(snap.paths), 1)
    rarity = [_rarity(len(each) or len(other), files) for each, other in zip(own, either, strict=True)]
    worth = {
        key: max((rarity[item.term] * item.weight * item.share for item in each), default=0.0)
        for key, each in keys.items()
    }
    best = _best_passages(_score_documents(snap, worth, postings), limit)
    named = _score_paths(snap, worth, postings)
    return Hits(
        files=len(snap.paths),
        holders={key: len(file_ids) for key, file_ids in holding.items()},
        own=tuple(map(len, own)),
        synonyms=tuple(len(each - other) for each, other in zip(either, own, strict=True)),
        scores=best,
        on_path=dict(heapq.nlargest(limit, named.items(), key=lambda item: (item[1], item[0]))),
    )


def _rarity(files: int, total: int) -> float:
    return math.log(1 + (total - files + 0.5) / (files + 0.5))


def _find_holding(
    snap: Snapshot,
    texts: Sequence[tuple[Segment, array[int], bytes]],
    paths: Sequence[tuple[Segment, array[int], bytes]],
) -> set[int]:
    """Return the files that hold a key."""
    blobs: set[int] = set()
    for segment, documents, _ in (*texts, *paths):
        blobs.update(map(segment.blobs.__getitem__, documents))
    return {path for blob in blobs & snap.holders.keys() for path in snap.holders[blob]}


def _best_passages(scored: Iterable[tuple[Segment, Mapping[int, float]]], limit: int) -> dict[tuple[int, int], float]:
    """Return the best passages, best first, each by its content and its number in it."""
    scored = list(scored)
    least = min(heapq.nlargest(limit, chain.from_iterable(scores.values() for _, scores in scored)), default=0.0)
    passages = [
        ((segment.blobs[at], segment.ordinals[at]), score)
        for segment, scores in scored
        for at, score in scores.items()
        if score >= least
    ]
    return dict(heapq.nlargest(limit, passages, key=lambda item: (item[1], item[0])))


def _score_documents(
    snap: Snapshot, worth: Mapping[str, float], postings: Mapping[str, Sequence[tuple[Segment, array[int], bytes]]]
) -> list[tuple[Segment, dict[int, float]]]:
    """Compute BM25 scores of the documents of each segment, with the keys' weights."""
    sizes = {key: sum(len(documents) for _, documents, _ in postings.get(key, ())) for key in worth}
    scored: dict[int, tuple[Segment, dict[int, float]]] = {}
    read = 0
    for key in sorted((key for key in worth if worth[key] > 0 and sizes[key]), key=lambda key: (sizes[key], key)):
        read += sizes[key]
        opens = read <= _MOST_POSTINGS or not any(scores for _, scores in scored.values())
        for segment, documents, times in postings[key]:
            scores = scored.setdefault(id(segment), (segment, {}))[1]
            pairs: Iterable[tuple[int, int]] = zip(documents, times, strict=True)
            if not opens:
                pairs = [(at, count) for at, count in pairs if at in scores] if scores else []
            _add(snap, segment, scores, pairs, worth[key])
    return list(scored.values())


def _add(
    snap: Snapshot, segment: Segment, scores: dict[int, float], pairs: Iterable[tuple[int, int]], worth: float
) -> None:
    """Add a key's score to the documents of a segment that hold it."""
    lengths, blobs, holders = segment.lengths, segment.blobs, snap.holders
    least, longer = _K1 * (1 - _B), _K1 * _B / snap.usual
    gain = worth * (_K1 + 1)
    for at, count in pairs:
        if (before := scores.get(at)) is not None:
            scores[at] = before + gain * count / (count + least + longer * lengths[at])
        elif blobs[at] in holders:
            scores[at] = gain * count / (count + least + longer * lengths[at])


def _score_paths(
    snap: Snapshot, worth: Mapping[str, float], postings: Mapping[str, Sequence[tuple[Segment, array[int], bytes]]]
) -> dict[str, float]:
    """Score each path by its words."""
    scores: dict[str, float] = defaultdict(float)
    for key, value in worth.items():
        places = postings.get(f"/{key}", ()) if value > 0 else ()
        if sum(len(documents) for _, documents, _ in places) > _MOST_POSTINGS // 4:
            continue
        for segment, documents, _ in places:
            for at in documents:
                if path := snap.paths.get(-segment.blobs[at]):
                    scores[path] += value
    return scores
