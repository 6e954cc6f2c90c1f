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
_MIN_KEY_SHARE = 0.6
"""Minimum share of keys among a block's entries that makes all of them keys, if some name their own setting."""


def with_key_tables(definitions: Sequence[Definition]) -> list[Definition]:
    """Mark the definitions whose value is another name of the setting."""
    blocks: dict[int, list[Definition]] = defaultdict(list)
    for definition in definitions:
        if definition.kind == "value" and definition.block_start and definition.context == "literal":
            blocks[definition.block_start].append(definition)
    tables = {block_start for block_start, entries in blocks.items() if _is_table(entries)}
    return [
        replace(definition, is_key=True)
        if definition.context == "literal"
        and (_names_itself(definition) or (definition.block_start in tables and _KEY.fullmatch(definition.value)))
        else definition
        for definition in definitions
    ]


def _is_table(entries: Sequence[Definition]) -> bool:
    return sum(map(_names_itself, entries)) > 1 and sum(map(bool, map(_key, entries))) >= _MIN_KEY_SHARE * len(entries)


def _key(definition: Definition) -> str:
    """Return the key that forms a whole value; empty for any other value."""
    match = _KEY.fullmatch(definition.value) if definition.kind == "value" else None
    return match["key"] if match and _SPELT.search(match["key"]) else ""


def _names_itself(definition: Definition) -> bool:
    """Return whether a value ends with its setting's own name in any spelling; file names do so by chance."""
    last = definition.name.rpartition(".")[2]
    key = _key(definition)
    if not key or not squashed(key).endswith(squashed(last)):
        return False
    return len(pieces(last)) > 1 or key.rpartition(".")[2].isupper()
