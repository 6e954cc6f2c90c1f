"""Clauses of a bounce's feedback, each with its references and its verdict on them. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.decide.bounce.clause import Clause
from bot.decide.bounce.places import named_references
from bot.decide.bounce.words import ASKER, DO_NOT, NEGATIVE, OMITS, POSITIVE, WANTS_NOT
from bot.decide.grounding.tokens import LINE_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE_AHEAD = rf"(?:\w+ )?(?:{'|'.join(LINE_WORDS.split())})\b"
_VERDICT = (
    r"(?:right|correct|answer|best|point|place|one|richtige\w*|bonne?|correct[oa]|cert[oa]|lugar|stelle|fichier)\b"
)
"""Words after *not the* in a verdict on the place before it."""
_CLAUSE = re.compile(
    rf"[;!?\n\u3002\uff1b\u061b\u061f]+|\.(?=\s|$)|[,\u060c]\s(?!{_LINE_AHEAD})|\u3001|,(?=[^\x00-\u02ff])"
    rf"|\s{1, 9}[-\u2013\u2014]\s+|:\s(?!{_LINE_AHEAD})"
    r"|\b(?:but|and|aber|und|sondern|mais|et|pero|mas|sino|tapi|tetapi|melainkan|اما|ولی|بلکه)\b"
    r"|(?<=なく)(?:て)?|(?=\b(?:instead of|rather than|statt|au lieu de|en vez de|em vez de)\b)"
    r"|\s(?=(?:not|nicht|pas|no|não|bukan|نه) "
    r"(?:the|that|in|der|die|das|den|dem|le|la|el|los|las|o|a|os|as|[\w./-]+\.\w+)\b"
    rf"(?! {_VERDICT}))"
    r"|\s(?=(?:bukan|نه)\b)",
    re.IGNORECASE,
)
_JOINING = re.compile(r"\s*(?:,|:|and|und|et|y|e)\s*", re.IGNORECASE)
_MENTION = re.compile(r"<@[^<>]*>|@\w+")


def read_clauses(text: str, refs: Sequence[str]) -> list[Clause]:
    """Return the clauses of the feedback on a draft with these references."""
    ends = [(match.start(), match.end()) for match in _CLAUSE.finditer(text)]
    bounds = [(0, 0), *ends, (len(text), len(text))]
    clauses = []
    for (_, start), (end, after) in pairwise(bounds):
        clause = text[start:end]
        if clause.strip():
            omits = bool(re.search(OMITS, clause, re.IGNORECASE)) and not re.search(DO_NOT, clause, re.IGNORECASE)
            clauses.append(
                Clause(
                    clause,
                    is_negative=not omits and bool(re.search(rf"{NEGATIVE}|{WANTS_NOT}", clause, re.IGNORECASE)),
                    is_positive=omits or bool(re.search(POSITIVE, clause, re.IGNORECASE)),
                    omits=omits,
                    named=frozenset(named_references(clause, refs)),
                    is_joined=bool(_JOINING.fullmatch(text[end:after])),
                )
            )
    return clauses


def stance(clauses: Sequence[Clause], at: int) -> tuple[bool, bool]:
    """Return whether a clause calls its places wrong, and whether right; without a verdict, its neighbour's counts."""
    clause, judged = clauses[at], None
    if clause.is_negative or clause.is_positive:
        judged = clause
    elif at and clauses[at - 1].is_bare:
        judged = clauses[at - 1]
    else:
        for current, following in pairwise(clauses[at:]):
            if not current.is_joined or not (following.named or following.is_bare):
                break
            if following.is_negative or following.is_positive:
                judged = following
                break
    return (judged.is_negative, judged.is_positive and not judged.is_negative) if judged else (False, False)


def without_asker(text: str, asker: str) -> str:
    """Return the text without statements about people: their names, and that they want, mean or ask."""
    text = _MENTION.sub(" ", text)
    for name in [asker, *asker.split()] if asker else ():
        if len(name) > 1:
            text = re.sub(rf"(?<![\w./`]){re.escape(name)}(?:['\u2019]s)?(?![\w./`(])", " she ", text)
    return re.sub(ASKER, " ", text)
