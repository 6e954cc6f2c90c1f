"""Clauses that advise: orders, forms after *you should* and similar words, and recommended nouns. Pure, on re2.

Negated clauses, clauses with another subject (*orders are deleted*) and advice about the reader's own machine do not
count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.risk.forms import CODE, KINDS, forms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.decide.risk.forms import LanguageForms
    from bot.models.advice import AdviceKind

_MOST_PARTS, _FAR = 60, 30
"""Maximum of parts of a clause that are checked, and of words of each."""
_ORDER_GROUP, _MARKED_GROUP = 2, 3
"""Numbers of the groups with the form, in the patterns for orders and for recommendations."""
_PREPOSITIONS = frozenset(("of", "to", "not", "from", "with", "by"))


def negated(tongue: LanguageForms, words: str) -> bool:
    """Return whether words negate the text beside them."""
    return bool(tongue.negations.search(words)) and not tongue.despite.search(words)


def advises(tongue: LanguageForms, kind: AdviceKind, clauses: list[str], whole: str) -> bool:
    """Return whether a sentence of this language gives the advice."""
    names = tongue.names.get(kind)
    if not names or not names.search(whole):
        return False
    if kind == "change production" and not tongue.production.search(whole):
        return False
    if any(_is_recommended(tongue, kind, clause) for clause in (*clauses, *([whole] if len(clauses) > 1 else []))):
        return True
    was_order = False
    leads = _leads(tongue, whole)
    for number, clause in enumerate(clauses):
        if number == 0 and _after_place(tongue, kind, clause):
            return True
        is_told = _is_told_of(tongue, clause)
        for at, (part, to_next) in enumerate(_split_conjunctions(clause)):
            is_start = (number == 0 or leads) if at == 0 else not is_told
            if (is_start or was_order or (at == 0 and _may_open_order(tongue, part))) and _orders(tongue, kind, part):
                return True
            if _ends_as_order(tongue, kind, to_next):
                return True
            was_order = was_order or (at == 0 and is_start and _gives_order(tongue, part))
    return False


def _gives_order(tongue: LanguageForms, part: str) -> bool:
    return any(_orders(tongue, kind, part) for kind in KINDS)


def _split_conjunctions(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a clause after its start and after each conjunction: their first words, and the whole part."""
    words = clause.split()
    starts = [0, *(at + 1 for at, word in enumerate(words) if at and word in forms().joins)][:_MOST_PARTS]
    ends = [*(start - 1 for start in starts[1:]), len(words)]
    for start, end in zip(starts, ends, strict=True):
        yield f" {' '.join(words[start : start + _FAR])} ", f" {' '.join(words[start:end])} "


def _leads(tongue: LanguageForms, whole: str) -> bool:
    """Return whether a sentence begins with a subordinate clause: *if it hangs, restart it*."""
    words = tongue.opener.sub(" ", whole).split(maxsplit=1)
    return whole.split(maxsplit=1)[0] in tongue.leads or bool(words and words[0] in tongue.leads)


def _may_open_order(tongue: LanguageForms, part: str) -> bool:
    """Return whether words such as *please* or *then* begin a possible order."""
    match = tongue.opener.search(part)
    return bool(match and match["opener"].strip())


def _is_told_of(tongue: LanguageForms, clause: str) -> bool:
    """Return whether a clause has a subject, so that a verb after *and* describes it."""
    words = clause.split(maxsplit=7)[:6]
    return words[0] in tongue.subjects or words[0] == CODE or any(word in tongue.finite for word in words)


def _orders(tongue: LanguageForms, kind: AdviceKind, part: str) -> bool:
    pattern = tongue.starts.get(kind)
    match = pattern.search(part) if pattern else None
    if not match or negated(tongue, match["opener"].join("  ")):
        return False
    after = part[match.end(_ORDER_GROUP) :]
    following = after.split()
    if not following and not match["opener"].strip() and " " not in match["form"]:
        return False  # a heading, a button, a cell of a table
    if (following and following[0] in tongue.compound_words) or _is_harmless(tongue, after):
        return False
    return not negated(tongue, f" {' '.join(following[: _FAR if tongue.denies_late else 1])} ")


def _after_place(tongue: LanguageForms, kind: AdviceKind, clause: str) -> bool:
    """Return whether an order follows a short phrase: *in rare cases delete the pod*."""
    words = clause.split()
    if words[0] not in tongue.places:
        return False
    for at in range(2, min(6, len(words))):
        if words[at - 1] in tongue.finite or words[at - 1] in _PREPOSITIONS:
            return False
        if words[at - 1] not in tongue.subjects and _orders(tongue, kind, f" {' '.join(words[at:])} "):
            return True
    return False


def _is_harmless(tongue: LanguageForms, after: str) -> bool:
    return bool(tongue.harmless.search(f" {' '.join(after.split()[:4])} "))


def _ends_as_order(tongue: LanguageForms, kind: AdviceKind, clause: str) -> bool:
    pattern = tongue.ends.get(kind)
    match = pattern.search(clause) if pattern else None
    if not match or negated(tongue, clause) or _is_harmless(tongue, clause):
        return False
    words = clause.split()
    return not (words[0] in tongue.subjects or any(word in tongue.finite for word in words))


def _is_recommended(tongue: LanguageForms, kind: AdviceKind, clause: str) -> bool:
    pattern, helping = tongue.recommended.get(kind), tongue.helping.get(kind)
    for match in pattern.finditer(clause) if pattern else ():
        before = " ".join(clause[: match.start()].split()[-1:])
        if not negated(tongue, f" {before} {match['before']} ") and not _is_harmless(
            tongue, clause[match.end(_MARKED_GROUP) :]
        ):
            return True
    match = helping.search(clause) if helping else None
    return bool(match) and not negated(tongue, clause) and not _is_harmless(tongue, clause)


def advises_unspaced(kind: AdviceKind, sentence: str) -> bool:
    """Return whether a sentence gives the advice in a language without spaces between words."""
    for tongue in forms().unspaced:
        if kind == "change production" and not tongue.production.search(sentence):
            continue
        match = tongue.advises[kind].search(sentence)
        if not match and not tongue.describes.search(sentence):
            match = tongue.plain[kind].search(sentence)
        if match and not tongue.negations.search(sentence[match.start() :]) and not tongue.harmless.search(sentence):
            return True
    return False
