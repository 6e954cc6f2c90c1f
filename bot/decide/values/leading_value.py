"""Leading value: the definition that a first draft starts with if its question asks for a value. Pure.

A wrong value stated with confidence is worse than none: a definition leads only if it matches the most informative word
of the question, no plainer name beats it, and no other definition fits as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.code_languages import is_foreign
from bot.decide.retrieval.file_prior import is_aside
from bot.decide.retrieval.stemmer import pieces
from bot.decide.values.amount_fit import holds_number, is_amount
from bot.decide.values.definitions import PLAIN_ENDINGS
from bot.decide.values.overrides import is_illustration, is_override
from bot.decide.values.place_question import asks_for_place
from bot.decide.values.setting_names import EXACT, PREFIXED, is_default_of, names_setting, squashed
from bot.decide.values.value_question import asks_for_default, asks_for_value, wants_default

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bot.decide.retrieval.query import Query
    from bot.decide.values.value import Value

_LIKELY = 0.4
"""Minimum score of a definition whose name is not in the question."""
_HOLDS = 0.4
"""Minimum share of the question's informative words in such a definition."""
_HOLDS_ALL = 0.9
"""Minimum share where an example names the setting."""
_HOLDS_MOST = 0.6
"""Minimum share for a definition without the most informative word."""
_PLAINER = 0.5
"""Share of the best score from which a definition with fewer unrelated words leads instead."""
_AS_GOOD, _NEARLY_AS_GOOD = 0.95, 0.8
"""Share of the best score that makes a definition equal or a rival; and for one with a requested word that the best
lacks."""
_RIVALS = 0.6
"""Minimum share of the question in such a rival, relative to the best."""
_BETTER_NAMED = 0.4
"""Share of the best score from which a better matching name makes the choice doubtful."""
_PASSING = ("body", "argument")
"""Contexts of incidental assignments."""
_WIRE = (".proto", ".thrift", ".avdl", ".capnp", ".fbs")
_IN_TESTS = re.compile(r"tests?(?:_|$)|Test(?:[A-Z]|$)")
_YES_OR_NO = re.compile(r"^\W*(?:does|do|is|are|can|could|will|would|may|should|has|have)\b", re.IGNORECASE)


def leading(
    values: Sequence[Value], question: str, query: Query, languages: Sequence[str], project: str = ""
) -> Sequence[Value]:
    """Choose the definition of a name in the question, otherwise a good match; empty without any.

    Programs prefix their settings with the `project` name. If a default is asked for, a value in a script, a deployment
    or an example is none, and is shown only as a last resort; a look-up of the value never is.
    """
    values = [one for one in values if not is_aside(query, one.path)]
    values = [one for one in values if query.tests or not any(map(_IN_TESTS.match, one.found.scope))]
    values = [one for one in values if one.found.is_value and one.found.kind != "function" and not _is_tag(one)]
    examples, values = values, [one for one in values if not is_illustration(one.path, question)]
    own = [one for one in values if not is_foreign(one.path, tuple(languages))] or values
    settled = [one for one in own if not is_override(one.path, question)]
    is_place = asks_for_place(question)
    is_default = asks_for_default(question)
    prefixes = frozenset(map(squashed, (project, *pieces(project))))
    fields = (settled,) if is_default else (settled, own)
    named: list[Value] = next(filter(None, (_named(field, question, query, prefixes) for field in fields)), [])
    if named:
        return [*_constant(named[0], values), *named]
    if is_place and not asks_for_value(question):
        return []
    shown = _named(examples, question, query, prefixes) if wants_default(question) else []
    least = _HOLDS_ALL if shown else _HOLDS
    return next(filter(None, (_unnamed(field, question, least) for field in fields)), shown)


def _unnamed(values: Sequence[Value], question: str, least: float) -> list[Value]:
    """Return the best definition whose name is not in the question, with the `least` share of its words."""
    if _YES_OR_NO.match(question) and not asks_for_default(question):
        return []
    fit = [one for one in values if one.holds and not one.counts_else and is_amount(question, one.found)]
    full = [one for one in fit if asks_for_default(question) or holds_number(one.found.value)]
    good = [one for one in full if _is_asked_for(one) and one.score >= _AS_GOOD * full[0].score]
    if not good or good[0].score < _LIKELY or good[0].holds < least:
        return []
    best = _plainest(good[0], full, is_default=asks_for_default(question))
    doubtful = any(_is_better_named(one, best) for one in fit) or any(_is_rival(one, best) for one in full)
    return [] if doubtful else [best]


def _named(values: Sequence[Value], question: str, query: Query, prefixes: Collection[str]) -> list[Value]:
    """Return the definition of a setting named in the question, stated defaults first.

    For a question about a place, definitions in code precede those in settings files.
    """
    is_place, is_default = asks_for_place(question), asks_for_default(question)
    names = [literal for literal in query.literals if " " not in literal]

    def fitness(name: str, one: Value) -> int:
        if is_default_of(name, one.found):
            return EXACT if is_default else PREFIXED
        return names_setting(name, one.found, one.path, prefixes)

    fits = [(max(fitness(name, one) for name in names), one) for one in values if names]
    best = max((fit for fit, _ in fits), default=0)
    same = [one for fit, one in fits if fit and fit == best]
    same.sort(
        key=lambda one: (
            not (_says_default(one) or is_place),
            one.found.context in _PASSING,
            is_place and one.path.endswith(PLAIN_ENDINGS),
            -one.score,
        )
    )
    return same[:1]


def _constant(one: Value, values: Sequence[Value]) -> list[Value]:
    """Return the definition of the constant that provides the value, if it is available."""
    name = one.found.follows
    return [one for one in values if name and _last(one) == name and one.found.context not in _PASSING][:1]


def _is_tag(one: Value) -> bool:
    """Return whether a number is the tag of a field in `.proto` or Thrift files."""
    return one.path.endswith(_WIRE) and "default" not in one.found.name.lower()


def _is_asked_for(one: Value) -> bool:
    """Return whether a definition has the most informative word, or most of the others, and its name matches the
    question."""
    is_named = (
        bool(one.named)
        or (one.measures and not one.counts_else)
        or not one.found.name
        or (one.found.generic and not one.found.scope)
    )
    return is_named and (one.has_rarest or one.holds >= _HOLDS_MOST)


def _plainest(best: Value, values: Sequence[Value], *, is_default: bool) -> Value:
    """Return the best definition, or one whose name matches as much of the question with fewer unrelated words."""
    plainer = [
        one
        for one in values
        if one.unasked < best.unasked
        and one.named >= best.named
        and one.holds >= best.holds
        and one.score >= _PLAINER * best.score
        and not (one.found.context in _PASSING and best.found.context not in _PASSING)
        and not (is_default and _says_default(best) and not _says_default(one))
    ]
    return min(plainer, key=lambda one: (one.unasked, -len(one.named), -one.score), default=best)


def _says_default(one: Value) -> bool:
    return one.found.is_default or "default" in " ".join((one.found.name, *one.found.scope)).lower()


def _is_better_named(one: Value, best: Value) -> bool:
    """Return whether another definition's name matches more of the question, unless its value comes from the best
    one."""
    named = one.named > best.named and one.unasked <= best.unasked and one.holds >= best.holds
    return named and one.score >= _BETTER_NAMED * best.score and _last(best) not in one.found.value


def _is_rival(one: Value, best: Value) -> bool:
    """Return whether another definition fits as well, or has a requested word that the best one lacks."""
    if one.found.value == best.found.value or _words(one) == _words(best):
        return False
    if not one.named <= best.held and one.score >= _NEARLY_AS_GOOD * best.score:
        return one.holds >= _RIVALS * best.holds
    if one.found.is_default and not best.found.is_default and one.score >= _NEARLY_AS_GOOD * best.score:
        return one.holds >= best.holds
    alike = one.named == best.named and one.unasked == best.unasked and len(_words(one)) == len(_words(best))
    return alike and one.score >= _AS_GOOD * best.score


def _last(value: Value) -> str:
    return value.found.name.rsplit(".", 1)[-1]


def _words(value: Value) -> tuple[str, ...]:
    return tuple(pieces(_last(value)))
