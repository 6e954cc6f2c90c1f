"""Spellings of setting names: `SHOP_CACHE_MAXAGE` is the field `MaxAge` of `Cache`. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import pieces

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.decide.values.definition import Definition

_APART = re.compile(r"[^a-z0-9]+")
_DEFAULT = frozenset(("default", "defaults", "dflt"))
EXACT, WITHIN, PREFIXED = 3, 2, 1
"""Match of a name: the whole name; with that of the enclosing block; without the program's prefix."""


def squashed(name: str) -> str:
    """Reduce a name to lower-case letters and digits."""
    return _APART.sub("", name.lower())


@lru_cache(maxsize=256)
def _tails(name: str) -> dict[str, tuple[str, ...]]:
    """Return the suffixes of a name, each with the words before it."""
    words = [word for word in _APART.split(name.lower()) if word]
    return {"".join(words[at:]): tuple(words[:at]) for at in range(len(words))}


def names_setting(name: str, definition: Definition, path: str = "", prefixes: Collection[str] = ()) -> int:
    """Rate the match of a definition with a setting's name; 0 for another setting.

    Words before the setting's own name must come from an enclosing block, its file, or the `prefixes`.
    """
    scope = [squashed(each) for each in definition.scope]
    own = squashed(definition.name)
    if definition.generic or not own:
        if not scope:
            return 0
        own, scope = scope[-1], scope[:-1]
    tails = _tails(name)
    if len(own) < 2:
        return 0
    whole = "".join(_tails(name).get("", ())) or max(tails, key=len, default="")
    last = squashed(definition.name.rpartition(".")[2]) if "." in definition.name else own
    if own == whole or last == whole:
        return EXACT
    enclosing_names = {*scope, *prefixes}
    if scope and (before := tails.get(scope[-1] + own)) is not None and all(word in enclosing_names for word in before):
        return EXACT if not before else WITHIN
    before = tails.get(own)
    if not before:
        return 0
    left = [word for word in before if word not in prefixes]
    around = {*scope, *_APART.split(path.lower())}
    if left and all(word in around for word in left):
        return WITHIN
    return 0 if left else PREFIXED


def spellings(name: str) -> frozenset[str]:
    """Return the reduced name, and that of the setting whose default it is: `defaultMaxAge` stands for `max_age`."""
    last = name.rpartition(".")[2]
    return frozenset((squashed(last), "".join(word for word in pieces(last) if word not in _DEFAULT)))


def is_default_of(name: str, definition: Definition) -> bool:
    """Return whether a definition is a constant for a setting's default: `defaultMaxAge`, `MAX_AGE_DEFAULT`."""
    own = squashed(name)
    return own in spellings(definition.name) and own != squashed(definition.name.rpartition(".")[2])
