"""Names of one setting in several spellings: `SHOP_CACHE_MAXAGE` is the field `MaxAge` of `Cache`. Pure."""

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
"""The whole name; the name with that of the block around it; what is left without the program's own name."""


def squashed(name: str) -> str:
    """A name in lower case, letters and digits alone."""
    return _APART.sub("", name.lower())


@lru_cache(maxsize=256)
def _tails(name: str) -> dict[str, tuple[str, ...]]:
    """The ends of a name, each with the words before it."""
    words = [word for word in _APART.split(name.lower()) if word]
    return {"".join(words[at:]): tuple(words[:at]) for at in range(len(words))}


def names_setting(name: str, found: Definition, path: str = "", prefixes: Collection[str] = ()) -> int:
    """How far a definition is that of the setting which a name stands for; 0 where it is another's.

    What stands before the setting's own name is that of a block around it, of its file, or one of the `prefixes`.
    """
    scope = [squashed(each) for each in found.scope]
    own = squashed(found.name)
    if found.generic or not own:
        if not scope:
            return 0
        own, scope = scope[-1], scope[:-1]
    tails = _tails(name)
    if len(own) < 2:
        return 0
    whole = "".join(_tails(name).get("", ())) or max(tails, key=len, default="")
    last = squashed(found.name.rpartition(".")[2]) if "." in found.name else own
    if own == whole or last == whole:
        return EXACT
    known = {*scope, *prefixes}
    if scope and (before := tails.get(scope[-1] + own)) is not None and all(word in known for word in before):
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
    """A name, squashed, and what it is the default of: `defaultMaxAge` is that of `max_age`."""
    last = name.rpartition(".")[2]
    return frozenset((squashed(last), "".join(word for word in pieces(last) if word not in _DEFAULT)))


def is_default_of(name: str, found: Definition) -> bool:
    """Return whether a definition is a constant for the default of a setting: `defaultMaxAge`, `MAX_AGE_DEFAULT`."""
    own = squashed(name)
    return own in spellings(found.name) and own != squashed(found.name.rpartition(".")[2])
