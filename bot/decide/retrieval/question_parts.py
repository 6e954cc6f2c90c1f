"""Several questions in one message, which are looked for one by one: no place answers both. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.query import query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.decide.retrieval.query import Query

MOST = 3
"""Questions of one message that are looked for by themselves."""
_LONGEST = 1_500
_FEWEST = 2
"""Telling words of a question that stands for itself."""
_QUESTION = re.compile(r"[^?\uff1f\u061f\n]{8,400}[?\uff1f\u061f]")
_REFERS = re.compile(r"^\W*+(?:(?:and|or|but|und|et|y|e)\b\W*+)?(?:why|it|that|this|they|those|these)\b", re.IGNORECASE)
"""How a question begins that needs the one before it."""


def question_parts(text: str, leave_out: Iterable[str] = ()) -> tuple[tuple[str, Query], ...]:
    """Each of several questions that have words of their own; nothing where there is one."""
    found = _QUESTION.findall(text) if len(text) <= _LONGEST and "```" not in text else []
    names = tuple(leave_out)
    parts = [(one.strip(), query(one.strip(), "", names)) for one in found[: MOST + 1]]
    if not 1 < len(parts) <= MOST or any(_REFERS.search(one) for one, _ in parts[1:]):
        return ()
    words = [{term.word for term in asked.terms if term.proves} for _, asked in parts]
    for at, own in enumerate(words):
        others = set().union(*(words[:at] + words[at + 1 :]))
        if len(own) < _FEWEST or len(own - others) * 2 < len(own):
            return ()
    return tuple(parts)
