"""Places that name a service: notes for operators before settings, documents and code; one of each file. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.retrieval.snippets import Quote, quotable, stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST = 4
_LINES_BELOW = 4
_OPERATIONS = (
    "runbook",
    "playbook",
    "on-call",
    "oncall",
    "incident",
    "troubleshoot",
    "operations",
    "outage",
    "recovery",
)
_SETTINGS = (".yml", ".yaml", ".toml", ".tf", ".hcl", ".service", ".conf", ".ini", ".cfg", ".properties", ".json")
_ASIDE = {"test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures", "examples", "vendor", "third_party"}
_ASIDE_NAMES = ("changelog", "changes", "history", "news", "release-notes", "package-lock", "yarn.lock", "uv.lock")
_DEFINES = ("image:", "build:", "container_name:", "hostname:", "execstart=", "metadata:", "spec:", "selector:")
_OPERATION, _SETTING, _DOCUMENT, _CODE, _REST = range(5)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that name a service."""

    path: str
    name: str
    quote: Quote
    score: float
    is_note: bool
    """True for a note outside the project's root."""

    @staticmethod
    def rank_path(path: str) -> int:
        """Return the rank of a file by its path, the smallest first."""
        parts = PurePosixPath(path.lower())
        if {*parts.parts[:-1]} & _ASIDE or parts.name.startswith((*_ASIDE_NAMES, "test_")):
            return _REST
        if any(word in path.lower() for word in _OPERATIONS):
            return _OPERATION
        if parts.suffix in _SETTINGS or parts.name.startswith(("dockerfile", "docker-compose", "procfile", "makefile")):
            return _SETTING
        return _DOCUMENT if is_document(path) else _CODE

    @property
    def rank(self) -> int:
        """Return the rank of its file."""
        return self.rank_path(self.path)

    @property
    def worth(self) -> float:
        """Return its share in the choice between projects."""
        return self.score * (_REST + 1 - self.rank)

    @property
    def ref(self) -> str:
        """Return `path:12-20`, or `path:12` for a single line."""
        end = f"-{self.quote.end}" if self.quote.end > self.quote.start else ""
        return f"{self.path}:{self.quote.start}{end}"

    def __str__(self) -> str:
        body = "\n".join(self.quote.lines)
        return f"`{self.ref}`:\n```\n{body}\n```"


def find_place(
    path: str, lines: Sequence[str], numbers: Iterable[int], names: Sequence[str], *, is_note: bool
) -> Place | None:
    """Return the best of the numbered lines that name a service as a word, with those around it; `None` without one."""
    if "`" in path or not path.isprintable():
        return None
    best: Place | None = None
    for number in dict.fromkeys(numbers):
        if not 0 < number <= len(lines) or not quotable(lines[number - 1]):
            continue
        is_heading = lines[number - 1].lstrip().startswith("#") and is_document(path)
        name, score = max(((name, _rate(lines[number - 1], name)) for name in names), key=lambda pair: pair[1])
        if score > 0:
            score += is_heading + _is_definition(lines[number : number + _LINES_BELOW]) + _is_own(path, name)
        if score <= 0 or (best and best.score >= score):
            continue
        first = number if is_heading else max(1, number - 1)
        if snippet := stretch(lines, first, min(len(lines), number + _LINES_BELOW - 1), number):
            best = Place(path, name, snippet, score, is_note)
    return best


def select_places(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the best place of each kind of file, then the next best ones."""
    ordered = sorted(places, key=lambda place: (place.rank, -place.score, place.path))
    ordered = [place for place in ordered if place.rank < _REST] or ordered
    firsts = sorted({place.rank: place for place in reversed(ordered)}.values(), key=lambda place: place.rank)
    return tuple([*firsts, *(place for place in ordered if place not in firsts)][:_MOST])


def find_folder(paths: Iterable[str], names: Sequence[str]) -> str:
    """Return the folder that has a service's name, the one nearest to the root; empty without one."""
    wanted = {name.lower() for name in names}
    found = []
    for path in paths:
        parts = PurePosixPath(path).parts[:-1]
        depth = next((depth for depth, part in enumerate(parts) if part.lower() in wanted), None)
        if depth is not None and not {part.lower() for part in parts[: depth + 1]} & _ASIDE:
            found.append("/".join(parts[: depth + 1]))
    return min(found, key=lambda folder: (folder.count("/"), folder), default="")


def _rate(line: str, name: str) -> float:
    """Return the value of a line for a name: 0 unless it is there as a word."""
    text, wanted = line.lower(), name.lower()
    start = text.find(wanted)
    best = 0.0
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(wanted) : start + len(wanted) + 1]
        if not before.isalnum() and not after.isalnum():
            is_whole = not {before, after} & {"-", "_"}
            best = max(best, 2.0 if is_whole else 1.0)
        start = text.find(wanted, start + 1)
    if not best:
        return 0.0
    stripped = text.strip()
    return best + (stripped.lstrip("\"'").startswith(wanted) or stripped.lstrip("- ").startswith("name: " + wanted))


def _is_definition(below: Sequence[str]) -> bool:
    """Return whether the lines below a name begin to define a service."""
    return any(line.strip().lower().startswith(_DEFINES) for line in below)


def _is_own(path: str, name: str) -> float:
    """Return the value of a file that has the service's name, or is in a folder that has it."""
    parts = PurePosixPath(path.lower())
    return 1.5 if name.lower() in (*parts.parts, parts.stem) else 0.0
