"""Feature extraction: matches all patterns of all language packs in a few `re2.Set`s, each in one pass over the
text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import re2

from bot.decide.classify.features import BIT, FOR_HELP, MASKS
from bot.decide.classify.opening_words import load_opening_words
from bot.decide.classify.pack_patterns import for_ascii, patterns
from bot.decide.classify.pack_signs import ERROR_LINE
from bot.decide.classify.told_news import NEWS, drop_news_in_questions, has_explicit_question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.decide.classify.language_packs import Pack

    _Matching = tuple[Callable[[bytes], list[int]], list[int]]

_SHORT_BIT, _LONG_BIT = BIT["short"], BIT["long"]
_MISBEHAVES = MASKS.mask_of("symptom", "problem", "failing", "own_problem", "trouble")
_FREE_TIME = MASKS.mask_of("social", "invitation")
"""Features that do not count in a report: in "movie upload broken" the movie is a company's product."""
_DUTY, _THING, _STATUS = BIT["duty"], BIT["thing"], BIT["status_first"]
_FAILS = MASKS.mask_of("problem", "failing", "own_problem")
_OFF_DUTY = BIT["off_duty"]
"""Feature of a shift named only for its hour: "football on thursday after the late shift?" """
_FEAST = BIT["invitation"]
_OPENS = MASKS.mask_of("question_opening", "question_ending")
_WANTS = MASKS.mask_of("request", "wish", "need", "request_word", "failure", "trace", "pasted", "logged")
_NEED = MASKS.mask_of("need", "need_first", "wish")
_ERROR_LINE = BIT["error_line"]
_OF_PEOPLE = MASKS.mask_of(
    "first_person",
    "question_at_end",
    "thanks",
    "greeting",
    "merry",
    "joke",
    "resolved",
    "announcement",
    "invitation",
    "appeal",
    "social",
    "long",
)
"""Features that only people's messages have."""
SHORT, LONG = 10, 150
"""Lengths in bytes of UTF-8: a Japanese character says about as much as three Latin letters."""
MAX_SET_MEMORY = 32 << 20
"""Maximum memory of a set's states in bytes; re2 clears a full cache."""
_FORM = frozenset({
    "question_at_end", "question_inside", "question_ending", "failure", "trace", "pasted", "tentative_answer", "link",
    "wordless", "addressed", "named",
})  # fmt: skip
_STARTS = frozenset({
    "question_opening", "plain_opening", "instruction", "doing", "status_first", "subject_first", "need_first",
    "praise_first", "news_first", "ack_opening", "greeting", "answer_opening", "ack_only",
    "asked_of_thing", "at_work", "to_name",
})  # fmt: skip
"""Features whose patterns match at the start of a message or a sentence; their states depend on the whole text."""


class FeatureExtractor:
    """Compiled patterns of the selected packs and a team's own words. Reading a text is cheap and pure."""

    def __init__(self, packs: Sequence[Pack], *, acks: Sequence[str] = (), question_words: Sequence[str] = ()) -> None:
        self.patterns = patterns(packs, acks=acks, question_words=question_words)
        self._ascii = for_ascii(packs, acks=acks, question_words=question_words)
        self._sets, self._ascii_sets = (
            _compile_sets(_select_general(pattern_list)) for pattern_list in (self.patterns, self._ascii)
        )
        self._help_sets: dict[bool, list[_Matching]] = {}

    def extract(self, text: str, *, for_help: bool = False, whole: bool = True) -> int:
        """Return the mask of the features in a cleaned text.

        Features that count only in a help channel are searched only with `for_help`. `whole` is false for a single
        sentence of a text.
        """
        encoded = text.encode("utf-8", "ignore")
        size = len(encoded)
        mask = _SHORT_BIT if size < SHORT else _LONG_BIT if size > LONG else 0
        is_ascii = size == len(text)
        for match, bits in self._ascii_sets if is_ascii else self._sets:
            for hit in match(encoded):
                mask |= bits[hit]
        if for_help:
            for match, bits in self._help_channel_sets(is_ascii=is_ascii):
                for hit in match(encoded):
                    mask |= bits[hit]
            if not mask & _OF_PEOPLE and _IS_ERROR_LINE(encoded):
                mask |= _ERROR_LINE
            mask = _adjust_for_help_channel(mask)
            if whole:
                mask |= load_opening_words().levels(text)
        if whole and mask & NEWS and has_explicit_question(mask):
            return drop_news_in_questions(mask, text, partial(self.extract, for_help=for_help, whole=False))
        return mask

    def _help_channel_sets(self, *, is_ascii: bool) -> list[_Matching]:
        """Return the sets of the help-channel features, compiled with the first message that needs them."""
        compiled_sets = self._help_sets.get(is_ascii)
        if compiled_sets is None:
            all_patterns = self._ascii if is_ascii else self.patterns
            compiled_sets = self._help_sets[is_ascii] = _compile_sets(
                [each for each in all_patterns if each[0] in FOR_HELP]
            )
        return compiled_sets


def _adjust_for_help_channel(mask: int) -> int:
    """Remove from a help-channel mask the features that mean nothing next to the others."""
    if mask & _OFF_DUTY and mask & _FEAST and not mask & _FAILS:
        return mask & ~(_THING | BIT["trouble"])  # "anyone fancy a pint after the late shift?"
    if mask & _MISBEHAVES:
        return mask & ~_FREE_TIME
    is_asked = has_explicit_question(mask) or mask & _OPENS
    if mask & _OFF_DUTY and mask & _FREE_TIME:
        return mask & ~_THING
    if mask & _DUTY and is_asked:
        return mask & ~_FREE_TIME | _THING  # "who is on duty at the weekend?"
    if mask & _STATUS and not (is_asked or mask & _WANTS or mask & _LONG_BIT):
        return mask & ~_THING  # "in a meeting till 2"
    return mask & ~_NEED if mask & _FEAST and not is_asked else mask  # "need a beer after that deploy"


def _select_general(patterns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [each for each in patterns if each[0] not in FOR_HELP]


def _compile_sets(patterns: Sequence[tuple[str, str]]) -> list[_Matching]:
    """Compile one set each for form, starts and words; return the match function of each and the bits of its patterns.

    A set builds its states while it reads text. In a single set the states of the words would multiply with those of
    the starts, and warming up would take four times as long.
    """
    groups: dict[str, list[tuple[str, str]]] = {"form": [], "starts": [], "words": []}
    for name, pattern in patterns:
        groups["form" if name in _FORM else "starts" if name in _STARTS else "words"].append((name, pattern))
    return [(_compile_set(group)._set.Match, [BIT[name] for name, _ in group]) for group in groups.values() if group]


def _compile_set(group: Sequence[tuple[str, str]]) -> re2.Set:
    options = re2.Options()
    options.max_mem = MAX_SET_MEMORY
    options.log_errors = False
    search_set = re2.Set.SearchSet(options)
    for _, pattern in group:
        search_set.Add(pattern)
    search_set.Compile()
    return search_set


_IS_ERROR_LINE = _compile_set([("error_line", ERROR_LINE)])._set.Match
"""Separate pattern, which people's messages never need."""
