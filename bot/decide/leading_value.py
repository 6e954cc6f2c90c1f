"""The one definition that a first draft leads with, where its question asks for a value. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.code_languages import is_foreign
from bot.decide.file_standing import is_aside
from bot.decide.value_question import asks_for_default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.terms import Query
    from bot.decide.value import Value

_LIKELY = 0.4
"""The score from which on a definition leads whose name the question does not hold."""
_HOLDS = 0.4
"""The share of the question's telling words that such a definition holds at least."""
_YES_OR_NO = re.compile(r"^\W*(?:does|do|is|are|can|could|will|would|may|should|has|have)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


def leading(values: Sequence[Value], question: str, query: Query, languages: Sequence[str]) -> Sequence[Value]:
    """The definition of a name in the question, else a good one that holds what was asked for; empty without any."""
    names = {literal.lower() for literal in query.literals}
    values = [one for one in values if not is_aside(query, one.path)]
    own = [one for one in values if not is_foreign(one.path, tuple(languages))]
    fit = [one for one in own or values if one.holds and one.found.kind != "function"]
    named = [one for one in fit if one.found.name.rsplit(".", 1)[-1].lower() in names]
    full = [one for one in fit if asks_for_default(question) or _DIGIT.search(one.found.value)]
    if named or (_YES_OR_NO.match(question) and not asks_for_default(question)):
        return named[:1]
    return [one for one in full[:1] if one.score >= _LIKELY and one.holds >= _HOLDS]
