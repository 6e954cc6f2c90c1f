"""Phrases of commands: the words of a tool's name, as people type them. `project pause` is `pause_project`. Pure.

One rule derives them from the names: the words of a name in any order, singular or plural, and the noun alone for a
`list_` (plural) or a `get_`. Only names in which a verb and nouns are joined by underscores have phrases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.commands.command import find_spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.command import CommandSpec

MOST_WORDS = 5
"""Words of the longest phrase."""
_ARTICLES = frozenset({"the", "a", "an"})
_LINKING = _ARTICLES | {"for", "of"}
"""Words that a phrase may have within it, or lack."""
_IMPLIED = ("list", "get")
"""Verbs that a noun alone implies: the first for a plural."""
_OWN_PLURAL = ("ss", "us", "is")
"""Endings of words whose last letter is no plural."""


@dataclass(frozen=True)
class Phrase:
    """Commands that the first words of a line may mean, more than one if they are ambiguous, and those words' number.

    `is_noun`: the words are a noun alone, such as `task`, and what follows may be another verb.
    """

    specs: tuple[CommandSpec, ...]
    length: int
    is_noun: bool = False


def split_tokens(word: str) -> tuple[str, ...]:
    """Return the parts of a name in the singular: `get_task-results` has `get`, `task` and `result`."""
    return tuple(singular(part) for part in word.lower().replace("-", "_").split("_") if part)


def _without(left_out: frozenset[str], tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(token for token in tokens if token not in left_out)


def singular(word: str) -> str:
    """Return the singular of an English noun with a regular plural; other words stay as they are."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(_OWN_PLURAL):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def find_phrase(words: Sequence[str], catalogue: Mapping[str, CommandSpec]) -> Phrase | None:
    """Return the commands that the first words of a line mean; the longest phrase counts.

    A name with an underscore stands for itself, and so does a name of one word that no longer phrase begins with.
    """
    first = words[0].lower().replace("-", "_") if words else ""
    named = find_spec(first, catalogue)
    if named and ("_" in first or named.rest):
        return Phrase((named,), 1)
    index = _index(tuple(catalogue.values()))
    for length in range(min(MOST_WORDS, len(words)), 0, -1):
        if length == 1 and named:
            return Phrase((named,), 1)
        if phrase := index.find(words[:length]):
            return phrase
    return None


@dataclass(frozen=True)
class _Index:
    """Commands by the words of their names, in order and in any order, and by their nouns alone."""

    ordered: Mapping[tuple[str, ...], CommandSpec]
    unordered: Mapping[tuple[str, ...], Mapping[str, CommandSpec]]
    nouns: Mapping[tuple[str, ...], Mapping[str, CommandSpec]]

    def find(self, words: Sequence[str]) -> Phrase | None:
        """Return the commands of a phrase: the whole name in its order or with the verb last, its noun, any order."""
        typed = _without(_ARTICLES, [token for word in words for token in split_tokens(word)])
        tokens, length = _without(_LINKING, typed), len(words)
        if not tokens or {words[0].lower(), words[-1].lower()} & _LINKING:
            return None
        is_plural = singular(words[-1].lower()) != words[-1].lower()
        for order in (typed, tokens):
            if spec := self.ordered.get(order) or self.ordered.get((order[-1], *order[:-1])):
                return Phrase((spec,), length)
            if spec := self._find_noun(order, is_plural=is_plural):
                return Phrase((spec,), length, is_noun=True)
        specs = self.unordered.get(tuple(sorted(tokens)))
        return Phrase(tuple(specs.values()), length) if specs else None

    def _find_noun(self, tokens: tuple[str, ...], *, is_plural: bool) -> CommandSpec | None:
        verbs = self.nouns.get(tokens, {})
        plural, other = _IMPLIED
        return (verbs.get(plural) if is_plural else None) or verbs.get(other) or verbs.get(plural)


@lru_cache(maxsize=64)
def _index(specs: tuple[CommandSpec, ...]) -> _Index:
    ordered: dict[tuple[str, ...], CommandSpec] = {}
    unordered: dict[tuple[str, ...], dict[str, CommandSpec]] = {}
    nouns: dict[tuple[str, ...], dict[str, CommandSpec]] = {}
    for spec in specs:
        for name in (spec.name, *spec.also):
            tokens = split_tokens(name)
            verb, *noun = tokens
            if not noun:
                continue
            ordered.setdefault(tokens, spec)
            unordered.setdefault(tuple(sorted(_without(_LINKING, tokens))), {})[spec.name] = spec
            if verb in _IMPLIED:
                nouns.setdefault(tuple(noun), {}).setdefault(verb, spec)
                if len(noun) > 1:
                    unordered.setdefault(tuple(sorted(_without(_LINKING, noun))), {})[spec.name] = spec
    return _Index(ordered, unordered, nouns)
