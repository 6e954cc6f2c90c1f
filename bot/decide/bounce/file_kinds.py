"""Files and kinds of files as named in feedback: *not the example*, *the config file*. Pure."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.bounce.words import KINDS
from bot.decide.retrieval.stemmer import pieces, stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_BUT = " but not "
_WORD = re.compile(r"[^\W\d_]+")
_FILE_NAME = re.compile(
    r"(?<![\w./-])[\w./-]*[\w-]\.[A-Za-z]\w{0,9}\b|\b[A-Z]{4,}\b|\b(?:Make|Docker|Rake|Gem|Jenkins|Proc)file\b"
)
_NAMES = re.compile(r"`[^`]*`|(?:(?<!\S)|(?<=`))[^\s`]*(?:\w\.\w|_|/)\S*")
"""Paths and identifiers."""


def is_kind(kind: str, path: str) -> bool:
    """Return whether a file is of one of the `KINDS`."""
    return bool(re.search(KINDS[kind][1], path.lower()))


def kinds_in(clause: str) -> tuple[str, ...]:
    """Return the kinds of files that a clause names."""
    return tuple(kind for kind, (words, _) in KINDS.items() if re.search(words, clause, re.IGNORECASE))


def kinds_at_head(clause: str) -> tuple[str, ...]:
    """Return the kinds of files that are the subject of a clause: *the docs don't help*."""
    return tuple(
        kind
        for kind, (words, _) in KINDS.items()
        if re.match(rf"\W*(?:[^\W\d_]{{1,5}}\s+)?(?:{words})", clause, re.IGNORECASE)
    )


def without_kinds(clause: str, kinds: Sequence[str]) -> str:
    """Return the clause without the names of kinds of files, which are not search words."""
    for kind in kinds:
        clause = re.sub(KINDS[kind][0], " ", clause, flags=re.IGNORECASE)
    return clause


def says(name: str, text: str) -> bool:
    """Return whether a text names a file or a path."""
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?!\w)", text))


def path_of(ref: str) -> str:
    """Return the file of a reference `path:12-20`."""
    return ref.rsplit(":", 1)[0]


def files_named(clause: str) -> list[str]:
    """Return the files that a clause names, including those that no draft has cited."""
    return [word.strip(".,`'\"") for word in _FILE_NAME.findall(clause)]


def is_among(path: str, names: Collection[str]) -> bool:
    """Return whether a file is one of these files, of one of these kinds, or matches a word: *client but not
    server*."""
    if not names:
        return False
    own_names = {path, PurePosixPath(path).name, PurePosixPath(path).stem}
    return any(is_kind(name, path) if name in KINDS else name in own_names or _is_of_kind(path, name) for name in names)


def _is_of_kind(path: str, name: str) -> bool:
    word, _, others = name.partition(_BUT)
    return bool(_WORD.fullmatch(word)) and lies_in(path, [word]) and not lies_in(path, others.split(", "))


def lies_in(path: str, words: Iterable[str]) -> bool:
    """Return whether a part of the path is one of these words, in any inflection."""
    wanted = {stem(word) for word in words}
    return bool(wanted) and any(stem(piece) in wanted for piece in pieces(path.rsplit(".", 1)[0]))


def without_names(text: str) -> str:
    """Return the text without paths and identifiers."""
    return _NAMES.sub(" ", text)
