"""Shape of a value: random like keys and tokens, or in words like code names. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

import re2

_RUN = re.compile(r"[a-z]{4,}|[A-Z]{5,}")
"""Letters in a row, as in a word."""
_SAME = re.compile(r"(.)\1{5,}")
_ORDERS = ("abcdefghijklmnopqrstuvwxyz", "0123456789", "qwertyuiop")
_OF_WORDS = 0.5
_BETWEEN_SWITCHES = 8
"""Average number of characters between switches from letters to digits in a random value of one case."""
_FEWEST_SIGNS = 8
_LETTERS_ALONE = 12
"""Minimum number of letters of a random value without a digit."""
_CAMEL = re2.compile(r"[a-z]*(?:[A-Z][a-z]{2,}|[A-Z]{2,})*")


def is_random(value: str) -> bool:
    """Return whether a value mixes letters and digits randomly; dots, dashes and underscores do not count."""
    value = _SAME.sub("", value)
    plain = re.sub(r"[^A-Za-z0-9]", "", value)
    if not any(map(str.isalpha, plain)):
        return False
    if not any(map(str.isdigit, plain)):
        in_camel_case = _CAMEL.fullmatch(plain) or in_words(value) > _OF_WORDS
        return len(plain) >= _LETTERS_ALONE and _is_mixed_case(plain) and not in_camel_case
    if len(set(plain.lower())) < min(_FEWEST_SIGNS, len(plain) / 2):
        return False
    if in_words(value) <= _OF_WORDS or _switches(plain) >= max(3, len(plain) / _BETWEEN_SWITCHES):
        return True
    letters = "".join(filter(str.isalpha, plain))
    return not (letters.islower() or letters.isupper() or _CAMEL.fullmatch(letters))


def in_words(value: str) -> float:
    """Return the share of a value's letters that are in runs as long as words."""
    letters = sum(map(str.isalpha, value))
    return sum(len(run) for run in _RUN.findall(value)) / letters if letters else 0.0


def _is_mixed_case(letters: str) -> bool:
    upper = list(map(str.isupper, letters))
    return sum(here != after for here, after in pairwise(upper)) >= len(letters) / 3


def _switches(plain: str) -> int:
    digits = list(map(str.isdigit, plain))
    return sum(here != after for here, after in pairwise(digits))


def is_in_order(value: str) -> bool:
    """Return whether a value counts up or down or repeats one character, like examples: 12345678, abcdefgh."""
    low = value.lower()
    return len(set(low)) <= 2 or any(low in order * 5 or low[::-1] in order * 5 for order in _ORDERS)
