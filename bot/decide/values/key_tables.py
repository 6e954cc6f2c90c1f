"""Key tables: entries that map a setting's name to another of its names, without a value. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import pieces
from bot.decide.values.setting_names import squashed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition

_KEY = re.compile(r"\s*[\"'`](?P<key>[A-Za-z_][\w-]*(?:\.[\w-]+)*)[\"'`]\s*[,;)}\]]*\s*")
_SPELT = re.compile(r"[A-Za-z]_[A-Za-z]|[a-z][A-Z]|\w\.\w|^[A-Z][A-Z\d]+$")
"""Key in a code spelling: `maxAge`, `MAX_AGE`, `cache.age`."""
_MOST = 0.6
"""Minimum share of keys among a block's entries that makes all of them keys, if some name their own setting."""


def with_key_tables(found: Sequence[Definition]) -> list[Definition]:
    """Mark the definitions whose value is another name of the setting."""
    blocks: dict[int, list[Definition]] = defaultdict(list)
    for one in found:
        if one.kind == "value" and one.opened and one.context == "literal":
            blocks[one.opened].append(one)
    tables = {opened for opened, entries in blocks.items() if _is_table(entries)}
    return [
        replace(one, is_key=True)
        if one.context == "literal" and (_names_itself(one) or (one.opened in tables and _KEY.fullmatch(one.value)))
        else one
        for one in found
    ]


def _is_table(entries: Sequence[Definition]) -> bool:
    return sum(map(_names_itself, entries)) > 1 and sum(map(bool, map(_key, entries))) >= _MOST * len(entries)


def _key(one: Definition) -> str:
    """Return the key that forms a whole value; empty for any other value."""
    found = _KEY.fullmatch(one.value) if one.kind == "value" else None
    return found["key"] if found and _SPELT.search(found["key"]) else ""


def _names_itself(one: Definition) -> bool:
    """Return whether a value ends with its setting's own name in any spelling; file names do so by chance."""
    last = one.name.rpartition(".")[2]
    key = _key(one)
    if not key or not squashed(key).endswith(squashed(last)):
        return False
    return len(pieces(last)) > 1 or key.rpartition(".")[2].isupper()
