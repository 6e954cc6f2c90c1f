"""True references to a folder's files, and fabricated ones of every kind, all by seeded chance.

Used by the tests of the evidence check and, with many more of them, by `measure/evidence_bench.py`.
"""

from __future__ import annotations

import random
import subprocess
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.agents.evidence import EvidenceChecker
from bot.agents.quote_comparison import FEWEST_CHARS
from bot.errors import ToolError
from bot.models.findings import EvidenceRef
from bot.tools import git
from bot.tools.denied_paths import is_denied
from bot.tools.files import read_lines
from tests.builders import reference

MOST_LINES = 8
GLYPHS = "§xX0 _.é\u00a0\t"
"""What a changed character becomes; a look-alike blank and a tab are among them."""

Lines = Sequence[str]


@dataclass(frozen=True)
class Place:
    """A true quote: whole lines `first` to `last` of a file, from 1, whose first and last one are not blank."""

    path: str
    lines: Lines
    first: int
    last: int

    @property
    def quoted(self) -> list[str]:
        """The lines."""
        return list(self.lines[self.first - 1 : self.last])


Made = tuple[str, int, int, str] | None
"""Path, first line, last line, quote; nothing where the place does not lend itself to it."""
Forger = Callable[[Place, random.Random, Sequence[Place]], Made]


def _path(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    wrong = [
        f"{place.path}x",
        f"x/{place.path}",
        place.path.swapcase(),
        place.path.replace("/", "_"),
        "../" + place.path,
    ]
    path = rng.choice([one for one in wrong if one != place.path])
    return path, place.first, place.last, "\n".join(place.quoted)


def _line(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    by = rng.choice([-3, -2, -1, 1, 2, 3])
    first, last = place.first + by, place.last + by
    if first < 1 or last > len(place.lines):
        return None
    return place.path, first, last, "\n".join(place.quoted)


def _length(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    last = place.last + rng.choice([-1, 1, 2])
    return (place.path, place.first, last, "\n".join(place.quoted)) if place.first <= last else None


def _beyond(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    end = len(place.lines) + rng.randrange(1, 50)
    return place.path, end - len(place.quoted) + 1, end, "\n".join(place.quoted)


def _character(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    quote = "\n".join(place.quoted)
    at = rng.randrange(len(quote))
    other = rng.choice([glyph for glyph in GLYPHS if glyph != quote[at]])
    changed = rng.choice(
        [quote[:at] + other + quote[at + 1 :], quote[:at] + other + quote[at:], quote[:at] + quote[at + 1 :]]
    )
    return place.path, place.first, place.last, changed


def _swapped(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    lines = place.quoted
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return place.path, place.first, place.last, "\n".join(lines)


def _words(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    lines = place.quoted
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    rng.shuffle(words)
    lines[at] = " ".join(words)
    return place.path, place.first, place.last, "\n".join(lines)


def _elsewhere(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    return place.path, place.first, place.last, "\n".join(rng.choice(others).quoted)


def _empty(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    return place.path, place.first, place.last, rng.choice(["", " ", "\n", "\n" * (len(place.quoted) - 1)])


def _relative(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    """One line below the first moved against the others, with their common indent or without it."""
    lines = rng.choice([place.quoted, dropped(place.quoted)])
    below = [at for at, line in enumerate(lines) if at and line.strip()]
    if not below:
        return None
    at, step = rng.choice(below), rng.choice(["    ", "  ", "\t"])
    inner = lines[at].startswith(step) and rng.random() < 0.5
    lines[at] = lines[at].removeprefix(step) if inner else step + lines[at]
    return place.path, place.first, place.last, "\n".join(lines)


def _flat(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    """Every line without its own indent, where they had different ones."""
    return place.path, place.first, place.last, "\n".join(line.lstrip(" \t") for line in place.quoted)


def _dropped_elsewhere(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    """Lines above or below, without their common indent."""
    forged = _line(place, rng, others)
    return forged and (*forged[:3], "\n".join(dropped(place.quoted)))


def _deeper(place: Place, rng: random.Random, others: Sequence[Place]) -> Made:
    """An indent that the file does not have."""
    step = rng.choice(["    ", "\t"])
    return place.path, place.first, place.last, "\n".join(step + line for line in place.quoted)


FALSE: dict[str, Forger] = {
    "a wrong path": _path,
    "wrong lines": _line,
    "a range too long or too short": _length,
    "a range beyond the end": _beyond,
    "one character": _character,
    "swapped lines": _swapped,
    "shuffled words": _words,
    "lines of another file": _elsewhere,
    "an empty quote": _empty,
    "another relative indent": _relative,
    "no indent at all": _flat,
    "a dropped indent of other lines": _dropped_elsewhere,
    "an indent added": _deeper,
}
"""Every way to get it wrong."""


@dataclass
class Tally:
    """How many of each kind were tried, and what went wrong."""

    true: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, EvidenceRef]] = field(default_factory=list)
    """True ones that failed."""
    accepted: list[tuple[str, EvidenceRef]] = field(default_factory=list)
    """Fabricated ones that did not."""


def tracked(root: Path, *, every: int = 1) -> list[str]:
    """The text files that git knows in a folder, those that no agent may read aside; without git, Python files.

    Where `every` is 7, one of seven is looked at.
    """
    command = ["git", "-C", str(root), "ls-files", "-z"]  # as the tools call it
    listed = subprocess.run(command, check=False, capture_output=True).stdout.decode().split("\0")
    found = [path for path in listed if path] or [
        str(path.relative_to(root)) for path in sorted(root.glob("b*/**/*.py"))
    ]
    return [path for path in found[::every] if ":" not in path and not is_denied(path) and _lines(root, path)]


async def tried(root: Path, paths: Sequence[str], *, seed: int, count: int, commit: str | None = None) -> Tally:
    """Check `count` places of these files: each as it is, in seven true ways, and fabricated in every way."""
    rng, tally = random.Random(seed), Tally()
    texts = {path: lines for path in paths if (lines := await _lines_at(root, path, commit))}
    places = [_place(rng, *rng.choice(list(texts.items()))) for _ in range(count)]
    checker = EvidenceChecker(root)
    for place in places:
        for kind, (path, first, last, quote) in _true(place, rng):
            tally.true[kind] += 1
            true = reference(ref=f"{path}:{first}-{last}", quote=quote, commit=commit)
            if (await checker.check(true)).result != "ok":
                tally.refused.append((kind, true))
        for kind, forge in FALSE.items():
            made = forge(place, rng, places)
            if made is None or _still_true(texts, *made):
                continue
            tally.false[kind] += 1
            path, first, last, quote = made
            false = reference(ref=f"{path}:{first}-{last}", quote=quote, commit=commit)
            if (await checker.check(false)).result != "failed":
                tally.accepted.append((kind, false))
    return tally


def _place(rng: random.Random, path: str, lines: Lines) -> Place:
    at = rng.choice([number for number, line in enumerate(lines, 1) if line.strip()])
    last = min(len(lines), at + rng.randrange(MOST_LINES))
    while not lines[last - 1].strip():
        last -= 1
    return Place(path, lines, at, last)


def _true(place: Place, rng: random.Random) -> list[tuple[str, tuple[str, int, int, str]]]:
    found = [("a whole range", (place.path, place.first, place.last, "\n".join(place.quoted) + rng.choice(["", "\n"])))]
    trailing = [line + rng.choice(["", " ", "  ", "\t", "\r"]) for line in place.quoted]
    found.append(("trailing blanks", (place.path, place.first, place.last, "\n".join(trailing))))
    numbered = [f"{number}\t{line}" for number, line in enumerate(place.quoted, place.first)]
    found.append(("the tool's numbers", (place.path, place.first, place.last, "\n".join(numbered))))
    words = lines_words(place.lines[place.first - 1])
    if words:
        found.append(("a part of a line", (place.path, place.first, place.first, words)))
    if (without := dropped(place.quoted)) != place.quoted:
        found.append(("a dropped indent", (place.path, place.first, place.last, "\n".join(without))))
        stripped = "\n".join(place.quoted).strip()
        found.append(("a first line without its indent", (place.path, place.first, place.last, stripped)))
    end = max(number for number, line in enumerate(place.lines, 1) if line.strip())
    start = max(number for number, line in enumerate(place.lines[: max(1, end - 2)], 1) if line.strip() or number == 1)
    if place.lines[start - 1].strip():
        found.append(("the last lines of a file", (place.path, start, end, "\n".join(place.lines[start - 1 : end]))))
    return found


def lines_words(line: str) -> str:
    """The first words of a line, as many as a quote needs; nothing where it holds too few."""
    words = line.split(" ")
    for count in range(1, len(words)):
        head = " ".join(words[:count])
        if len("".join(head.split())) >= FEWEST_CHARS:
            return head
    return ""


def dropped(lines: Lines) -> list[str]:
    """Without their common indent, where there are several lines that have one."""
    return textwrap.dedent("\n".join(lines)).split("\n") if len(lines) > 1 else list(lines)


def _still_true(texts: dict[str, Lines], path: str, first: int, last: int, quote: str) -> bool:
    """Return whether what was forged happens to stand there: the same lines again, or a true part of a line."""
    lines = texts.get(path)
    if lines is None or first < 1 or last > len(lines) or not quote.strip():
        return False
    there = tuple(line.rstrip() for line in lines[first - 1 : last])
    said = "\n".join(line.rstrip() for line in quote.replace("\r\n", "\n").split("\n"))
    if said.count("\n") != last - first:
        return False
    moved = {"\n".join(line[by:] for line in there) for by in range(_indent(there) + 1)}
    moved |= {"\n".join(line[by:] if line.strip() else "" for line in there) for by in range(1, _indent(there) + 1)}
    return said in "\n".join(there) or said in "\n".join(dropped(there)) or said in moved


def _indent(lines: Lines) -> int:
    """How many blanks or tabs all lines begin with."""
    full, without = [[line for line in each if line.strip()] for each in (lines, dropped(lines))]
    return len(full[0]) - len(without[0]) if full else 0


def _lines(root: Path, path: str) -> Lines:
    try:
        lines = read_lines(root, path)
    except ToolError:
        return ()
    return lines if any(line.strip() for line in lines) else ()


async def _lines_at(root: Path, path: str, commit: str | None) -> Lines:
    if commit is None:
        return _lines(root, path)
    try:
        _, lines = await git.lines_at(root, commit, path)
    except ToolError:
        return ()
    return lines if any(line.strip() for line in lines) else ()
