"""Amount fit: checks if a definition can be the amount that a question asks for. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import pieces
from bot.decide.values.quantities import quantity

if TYPE_CHECKING:
    from bot.decide.values.definition import Definition

_MAXIMUM = re.compile(
    r"\b(?:at most|max(?:imum|imal)?|upper|largest|biggest|longest|highest|up to|h[oö]chstens"
    r"|maximal\w*|au (?:plus|maximum)|como m[aá]ximo|m[aá]xim[oa]|no m[aá]ximo)\b|上限|最大",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:at least|min(?:imum|imal)?|lower|smallest|shortest|lowest|mindestens|minimal\w*|au (?:moins|minimum)"
    r"|como m[ií]nimo|m[ií]nim[oa]|no m[ií]nimo)\b|下限|最小",
    re.IGNORECASE,
)
_MAX = frozenset(("max", "maximum", "most", "upper", "largest", "highest", "longest"))
_MIN = frozenset(("min", "minimum", "least", "lower", "smallest", "lowest", "shortest"))
_TEXT = re.compile(r"(?P<sign>[\"'`])(?P<text>(?:\\.|(?!(?P=sign))[^\\])*)(?P=sign)")
_NUMBER = re.compile(r"(?<!\w)\d[\d_.,]*\s*(?:[A-Za-z\u00b5%]{0,3}|(?:milli)?seconds?|minutes?|hours?|days?|bytes?)\b")
_DIGIT = re.compile(r"\d")
_NOTHING = re.compile(r"(?:0(?:\.0)?|None|null|nil|undefined|\"\"|''|\{\}|\[\])[;,)\s]*$")
_COUNTERS = frozenset(("count", "counts", "counter", "total", "sum", "seen", "done", "processed", "imported"))


def holds_number(value: str) -> bool:
    """Return whether a value contains a number; digits of an alphabet or of a key in quotes do not count."""
    texts = [match["text"] for match in _TEXT.finditer(value)]
    return bool(_DIGIT.search(_TEXT.sub(" ", value))) or any(map(_NUMBER.search, texts))


def is_amount(question: str, definition: Definition) -> bool:
    """Return whether a definition may be the requested amount: no counter at its start, no minimum where a maximum
    is asked for."""
    words = frozenset(pieces(definition.name.rpartition(".")[2]))
    if quantity(question) and _NOTHING.match(definition.value) and (words & _COUNTERS or definition.context == "body"):
        return bool(words & {"default", "max", "min", "limit"})
    wants_maximum, wants_minimum = bool(_MAXIMUM.search(question)), bool(_LEAST.search(question))
    if wants_maximum != wants_minimum and words & (_MIN if wants_maximum else _MAX):
        return bool(words & (_MAX if wants_maximum else _MIN))
    return True
