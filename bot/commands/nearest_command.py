"""Nearest command to words that name none, by meaning and letters; or none. Pure.

Each typed word is compared with the words of commands' names: as the same word, a synonym, or a slip of the keyboard.
The command counts whose name the words cover best, if no other comes near. Letters alone lead to commands that only
read: nobody who types `top` is told of `stop`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from bot.commands.command import READ
from bot.commands.command_phrases import singular, split_tokens
from bot.commands.synonyms import SYNONYMS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bot.commands.command import CommandSpec

MOST_WORDS = 5
"""Typed words that are compared; what follows is input."""
LONGEST_WORD = 40
_IMPLIED = ("get", "list")
"""Verbs that need not be typed."""
_FILLERS = frozenset(
    {"the", "a", "an", "of", "for", "to", "in", "on", "please", "is", "are", "what", "der", "die", "das"}
)
_SAME, _SYNONYM, _SLIP = 1.0, 0.9, 0.75
_ENOUGH = 0.7
"""Score from which a command counts as meant."""
_LEAD = 0.03
"""Distance to the second best command, below which neither counts."""
_WRONG_NUMBER = 0.06
"""What a list loses where a singular was typed, and others where a plural was."""
_SHORTEST, _SHORTEST_SWAP, _SHORTEST_START = 4, 3, 5
"""Letters of a word from which one may be missing or added, two may be swapped, and above which its first letter may be
missing or follow another one."""


@dataclass(frozen=True, kw_only=True)
class _Typed:
    """What was typed: the words of names that each word may mean, with the quality of each match."""

    meanings: tuple[Mapping[str, float], ...]
    is_plural: bool
    has_more: bool
    """True if more than one word was typed."""


@dataclass(frozen=True)
class _Match:
    """Match of one word of a name: its quality, and the number of the typed word."""

    quality: float
    typed: int


def find_nearest_command(words: Sequence[str], specs: Collection[CommandSpec]) -> CommandSpec | None:
    """Return the command that typed words are nearest to; `None` if none is near, or several are.

    The first word alone counts where it and the others together mean nothing.
    """
    tokens = _split(words)
    weights = _weigh(tuple(name for spec in specs for name in (spec.name, *spec.also)))
    if spec := _find_misspelt(words, specs):
        return spec
    has_more = len(tokens) > 1
    nearest = _find_best(tokens, specs, weights, has_more=has_more)
    return nearest or _find_best(tokens[:1], specs, weights, has_more=has_more)


def _find_misspelt(words: Sequence[str], specs: Collection[CommandSpec]) -> CommandSpec | None:
    """Return the reading command whose whole name, of several words, was typed with one slip."""
    typed = words[0].lower().replace("-", "_") if words else ""
    names = {name: spec for spec in specs if spec.tier == READ for name in (spec.name, *spec.also) if "_" in name}
    near = {spec.name: spec for name, spec in names.items() if len(typed) <= LONGEST_WORD and _is_one_off(typed, name)}
    return next(iter(near.values())) if len(near) == 1 else None


def _find_best(
    tokens: Sequence[str], specs: Collection[CommandSpec], weights: Mapping[str, float], *, has_more: bool
) -> CommandSpec | None:
    """Return the command with the best score, if no other comes near."""
    meanings = tuple(_find_meanings(token, weights.keys()) for token in tokens)
    is_plural = any(singular(token) in weights and token not in weights for token in tokens)
    lists = any("list" in found and "get" not in found for found in meanings)
    typed = _Typed(meanings=meanings, is_plural=is_plural or lists, has_more=has_more)
    scored = sorted(((_score_command(spec, typed, weights), spec) for spec in specs), key=lambda item: -item[0])
    (best, spec), (second, _) = [*scored, (0.0, None), (0.0, None)][:2]
    return spec if best >= _ENOUGH and best - second >= _LEAD else None


def _split(words: Sequence[str]) -> tuple[str, ...]:
    parts = (part for word in words[:MOST_WORDS] for part in re.split(r"[\s_-]", word.lower()[:LONGEST_WORD]))
    tokens = (part.strip(".,!?:;`'\"/()<>") for part in parts)
    return tuple(dict.fromkeys(token for token in tokens if token and token not in _FILLERS))[:MOST_WORDS]


@lru_cache(maxsize=64)
def _weigh(names: tuple[str, ...]) -> Mapping[str, float]:
    """Return the weight of each word of the names: the fewer names have it, the more it says."""
    counts = Counter(token for name in names for token in {*split_tokens(name)})
    return {token: 1 / count for token, count in counts.items()}


def _find_meanings(typed: str, vocabulary: Collection[str]) -> dict[str, float]:
    """Return the words of names that a typed word may mean, with the quality of each match."""
    forms = (typed, singular(typed))
    meanings = {word: _SYNONYM for form in forms for word in SYNONYMS.get(form, ())}
    meanings |= {form: _SAME for form in forms if form in vocabulary}
    for form, words in product(forms, (vocabulary, SYNONYMS)):
        if not meanings:
            slips = (word for word in words if _is_slip(form, word) or _is_slip(form, f"{word}s"))
            meanings = {name: _SLIP for word in slips for name in (word, *SYNONYMS.get(word, ()))}
    return {word: quality for word, quality in meanings.items() if word in vocabulary}


def _is_slip(typed: str, word: str) -> bool:
    """Return whether a typed word is this one with one slip that people make, or its beginning."""
    if len(typed) >= _SHORTEST and word.startswith(typed):
        return True
    if not _is_one_off(typed, word):
        return False
    if len(typed) != len(word):
        has_same_start = typed[0] == word[0] or len(word) > _SHORTEST_START
        return has_same_start and max(len(typed), len(word)) >= _SHORTEST
    is_swap = sorted(typed) == sorted(word)
    return len(word) >= _SHORTEST_SWAP if is_swap else len(word) > _SHORTEST and typed[0] == word[0]


def _is_one_off(typed: str, word: str) -> bool:
    """Return whether one letter is wrong, missing or added, or two adjacent ones are swapped."""
    if len(typed) == len(word):
        places = [place for place, (one, other) in enumerate(zip(typed, word, strict=True)) if one != other]
        is_swap = len(places) == 2 and places[1] == places[0] + 1 and sorted(typed) == sorted(word)
        return len(places) == 1 or is_swap
    short, long = sorted((typed, word), key=len)
    return len(long) == len(short) + 1 and any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def _score_command(spec: CommandSpec, typed: _Typed, weights: Mapping[str, float]) -> float:
    return max(_score(name, spec, typed, weights) for name in (spec.name, *spec.also))


def _score(name: str, spec: CommandSpec, typed: _Typed, weights: Mapping[str, float]) -> float:
    """Return how well typed words cover a name, and the name covers them: the harmonic mean of both shares."""
    own = split_tokens(name)
    matches = {word: match for word in own if (match := _best_match(word, typed.meanings))}
    if not matches or not _may_be_meant(spec, own, matches, typed, weights):
        return 0.0
    needed = sum(weights[word] for word in own if word in matches or word not in _IMPLIED)
    covered = sum(weights[word] * match.quality for word, match in matches.items()) / needed
    counted = [found for place, found in enumerate(typed.meanings) if found or place == 0]
    understood = sum(max(found.get(word, 0.0) for word in own) for found in counted) / len(counted)
    score = 2 * covered * understood / (covered + understood)
    if score < _ENOUGH:
        return 0.0
    is_right_number = (own[0] == "list") == typed.is_plural
    return score + len(matches) / 20 - (0.0 if is_right_number else _WRONG_NUMBER)


def _best_match(word: str, meanings: Sequence[Mapping[str, float]]) -> _Match | None:
    matches = [_Match(found[word], place) for place, found in enumerate(meanings) if word in found]
    return max(matches, key=lambda match: match.quality, default=None)


def _may_be_meant(
    spec: CommandSpec,
    own: Sequence[str],
    matches: Mapping[str, _Match],
    typed: _Typed,
    weights: Mapping[str, float],
) -> bool:
    """Return whether a command may be named at all.

    One that changes something needs more: its verb is understood, not all by letters, and it is the only command with
    this verb, or its noun is understood too. A noun alone before other words is no name: those may be a verb.
    """
    verb, *noun = own
    if spec.tier == READ:
        is_noun_alone = (
            verb in _IMPLIED and verb not in matches and all(match.quality == _SAME for match in matches.values())
        )
        return not (is_noun_alone and typed.has_more)
    if verb not in matches or all(match.quality == _SLIP for match in matches.values()):
        return False
    return weights[verb] == 1 or not noun or any(word in matches for word in noun)
