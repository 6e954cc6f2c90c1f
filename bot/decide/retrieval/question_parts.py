"""Parts of a message with several questions, which are searched for separately: no single place answers both. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.query import build_query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.decide.retrieval.query import Query

MAX_QUESTIONS = 3
"""Maximum number of questions in one message that are searched for separately."""
_LONGEST = 1_500
_FEWEST = 2
"""Minimum number of informative words in an independent question."""
_QUESTION = re.compile(r"[^?\uff1f\u061f\n]{8,400}[?\uff1f\u061f]")
_REFERS = re.compile(r"^\W*+(?:(?:and|or|but|und|et|y|e)\b\W*+)?(?:why|it|that|this|they|those|these)\b", re.IGNORECASE)
"""Openings of a question that depends on the previous one."""


def question_parts(text: str, leave_out: Iterable[str] = ()) -> tuple[tuple[str, Query], ...]:
    """Split a message into questions with words of their own; empty for a single question."""
    questions = _QUESTION.findall(text) if len(text) <= _LONGEST and "```" not in text else []
    names = tuple(leave_out)
    parts = [
        (question.strip(), build_query(question.strip(), "", names)) for question in questions[: MAX_QUESTIONS + 1]
    ]
    if not 1 < len(parts) <= MAX_QUESTIONS or any(_REFERS.search(question) for question, _ in parts[1:]):
        return ()
    words = [{term.word for term in part_query.terms if term.proves} for _, part_query in parts]
    for at, own in enumerate(words):
        others = set().union(*(words[:at] + words[at + 1 :]))
        if len(own) < _FEWEST or len(own - others) * 2 < len(own):
            return ()
    return tuple(parts)
