"""Patterns of hooks: words or re2, without regard to case. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2


def find_pattern_fault(pattern: str) -> str:
    """Return the fault of a pattern of re2, as a clause; empty if it has none."""
    try:
        _compile(pattern)
    except re2.error as problem:
        reason = problem.args[0].decode("utf-8", "replace") if isinstance(problem.args[0], bytes) else problem.args[0]
        return f"expected a pattern of re2: {reason.partition(':')[0]}"  # what follows repeats the pattern
    return ""


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern of re2 is found in a text."""
    return _compile(pattern).search(text.encode("utf-8", "replace").decode()) is not None  # halves of surrogate pairs


def contains_words(words: str, text: str) -> bool:
    """Return whether a text contains each of these words."""
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


@lru_cache(maxsize=1_024)
def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return re2.compile(pattern, options)
