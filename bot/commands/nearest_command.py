"""Nearest command to words that name none, by meaning and letters; or none. Pure.

Each typed word is compared with the words of commands' names: as the same word, a synonym, or a slip of the keyboard.
The command counts whose name the words cover best, if no other comes near. A verb alone names none of several objects,
and letters alone lead to commands that only read: nobody who types `top` is told of `stop`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from bot.commands.command import READ
from bot.commands.command_phrases import singular, split_tokens
from bot.commands.synonyms import SYNONYMS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from bot.commands.command import CommandSpec

MOST_WORDS = 5
"""Typed words that are compared; what follows is input."""
LONGEST_WORD = 40
_HELP = "help"
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
_SHORTEST, _SHORTEST_SWAP, _SHORTEST_START, _SHORTEST_SYNONYM = 4, 3, 5, 6
"""Letters of a word from which one may be missing or added, two may be swapped; above which its first letter may be
missing or follow another one; and from which a synonym is recognised by a slip."""
_SHORTEST_IN_SUMMARY = 5
"""Letters of a word from which it counts in a summary."""
_WORD = re.compile(r"[^\W\d_]+")

Meanings = Mapping[frozenset[str], float]
"""Groups of words of names that a typed word may mean, with the quality of each match."""


@dataclass(frozen=True, kw_only=True)
class _Typed:
    """What was typed: the meanings of each part of the words, and how many parts the first word has."""

    meanings: tuple[Meanings, ...]
    in_first: int
    is_plural: bool
    has_more: bool
    """True if more was typed than is compared here."""


def find_nearest_command(words: Sequence[str], specs: Collection[CommandSpec]) -> CommandSpec | None:
    """Return the command that typed words are nearest to; `None` if none is near, or several are.

    The first word alone counts where it and the others together mean nothing.
    """
    if spec := _find_misspelt(words, specs):
        return spec
    tokens = _split(words)
    weights = _weigh(tuple(name for spec in specs for name in (spec.name, *spec.also)))
    in_first = len(_split(words[:1]))
    for compared in (tokens, tokens[:in_first]):
        if spec := _find_best(_read(compared, weights.keys(), in_first, len(tokens)), specs, weights):
            return spec
    return _find_by_summary(tokens[:in_first], specs)


def find_commands_of_verb(word: str, specs: Collection[CommandSpec]) -> tuple[CommandSpec, ...]:
    """Return the commands whose verb a word is, means, or begins."""
    vocabulary = {split_tokens(spec.name)[0] for spec in specs}
    token = word.lower()
    verbs = {frozenset({verb}) for verb in vocabulary if verb == token or _begins(token, verb)}
    verbs |= {*SYNONYMS.get(token, ())}
    return tuple(spec for spec in specs if any({split_tokens(spec.name)[0]} == group for group in verbs))


def _begins(token: str, word: str) -> bool:
    return len(token) >= _SHORTEST and word.startswith(token)


def _find_by_summary(tokens: Sequence[str], specs: Collection[CommandSpec]) -> CommandSpec | None:
    """Return the reading command in whose summary alone a long word stands."""
    own = {singular(token) for token in tokens if len(token) >= _SHORTEST_IN_SUMMARY}
    others = (spec for spec in specs if spec.name != _HELP)  # which is about all of them
    matches = [spec for spec in others if own & {*map(singular, _WORD.findall(spec.summary.lower()))}]
    return matches[0] if len(matches) == 1 and matches[0].tier == READ else None


def _find_misspelt(words: Sequence[str], specs: Iterable[CommandSpec]) -> CommandSpec | None:
    """Return the reading command whose whole name, of several words, was typed with one slip."""
    typed = words[0].lower().replace("-", "_") if words else ""
    names = {name: spec for spec in specs if spec.tier == READ for name in (spec.name, *spec.also) if "_" in name}
    near = {spec.name: spec for name, spec in names.items() if len(typed) <= LONGEST_WORD and _is_one_off(typed, name)}
    return next(iter(near.values())) if len(near) == 1 else None


def _find_best(typed: _Typed, specs: Iterable[CommandSpec], weights: Mapping[str, float]) -> CommandSpec | None:
    """Return the command with the best score, if no other comes near."""
    scored = sorted(
        ((max(_score(name, spec, typed, weights) for name in (spec.name, *spec.also)), spec) for spec in specs),
        key=lambda item: -item[0],
    )
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


def _read(tokens: Sequence[str], vocabulary: Collection[str], in_first: int, total: int) -> _Typed:
    meanings = tuple(_find_meanings(token, vocabulary) for token in tokens)
    plurals = [
        singular(token) != token and token not in vocabulary and bool(groups)
        for token, groups in zip(tokens, meanings, strict=True)
    ]
    lists = [any("list" in group for group in groups) and frozenset({"get"}) not in groups for groups in meanings]
    return _Typed(
        meanings=meanings,
        in_first=in_first,
        is_plural=any((*plurals, *lists)),
        has_more=total > len(tokens) or total > 1,
    )


def _find_meanings(typed: str, vocabulary: Collection[str]) -> Meanings:
    """Return what a typed word may mean: itself and its synonyms, else the words of which it is a slip."""
    forms = (typed, singular(typed))
    meanings = {group: _SYNONYM for form in forms for group in SYNONYMS.get(form, ())}
    meanings |= {frozenset({form}): _SAME for form in forms if form in vocabulary}
    long_synonyms = [word for word in SYNONYMS if len(word) >= _SHORTEST_SYNONYM]
    for form, words in product(forms, (vocabulary, long_synonyms)):
        if not meanings:
            slips = [word for word in words if _is_slip(form, word) or _is_slip(form, f"{word}s")]
            groups = [group for word in slips for group in SYNONYMS.get(word, ())]
            own = [frozenset({word}) for word in slips if word in vocabulary]
            meanings = dict.fromkeys((*groups, *own), _SLIP)
    return meanings


def _is_slip(typed: str, word: str) -> bool:
    """Return whether a typed word is this one with one slip that people make, or its beginning."""
    if _begins(typed, word):
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


def _score(name: str, spec: CommandSpec, typed: _Typed, weights: Mapping[str, float]) -> float:
    """Return how well typed words cover a name, and the name covers them: the harmonic mean of both shares."""
    own = split_tokens(name)
    by_word = [_find_matches(own, meanings) for meanings in typed.meanings]
    matches = {
        word: quality for word in own if (quality := max((each.get(word, 0.0) for each in by_word), default=0.0))
    }
    if not matches or not _may_be_meant(spec, own, matches, typed, weights):
        return 0.0
    needed = sum(weights[word] for word in own if word in matches or word not in _IMPLIED)
    covered = sum(weights[word] * quality for word, quality in matches.items()) / needed
    counted = [
        max(each.values(), default=0.0)
        for place, (each, meanings) in enumerate(zip(by_word, typed.meanings, strict=True))
        if meanings or place < typed.in_first
    ]
    understood = sum(counted) / len(counted)
    score = 2 * covered * understood / (covered + understood)
    if score < _ENOUGH:
        return 0.0
    is_right_number = (own[0] == "list") == typed.is_plural
    return score + len(matches) / 20 - (0.0 if is_right_number else _WRONG_NUMBER)


def _find_matches(own: Sequence[str], meanings: Meanings) -> dict[str, float]:
    """Return the words of a name that a typed word means, with the best quality of each."""
    matches: dict[str, float] = {}
    for group, quality in meanings.items():
        if group <= {*own}:
            matches |= {word: max(quality, matches.get(word, 0.0)) for word in group}
    return matches


def _may_be_meant(
    spec: CommandSpec, own: Sequence[str], matches: Mapping[str, float], typed: _Typed, weights: Mapping[str, float]
) -> bool:
    """Return whether a command may be named at all.

    A verb without its noun counts where it is the word itself and no other command has it. A command that changes
    something needs its verb, and more than letters. A noun alone before other words is no name: those may be a verb.
    """
    verb, *noun = own
    if noun and not any(word in matches for word in noun):
        return matches.get(verb) == _SAME and weights[verb] == 1
    if spec.tier != READ:
        return verb in matches and any(quality > _SLIP for quality in matches.values())
    is_noun_alone = verb in _IMPLIED and verb not in matches and all(each == _SAME for each in matches.values())
    return not (is_noun_alone and typed.has_more)
