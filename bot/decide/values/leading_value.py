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


def choose_leading(
    values: Sequence[Value], question: str, query: Query, languages: Sequence[str], project: str = ""
) -> Sequence[Value]:
    """Choose the definition of a name in the question, otherwise a good match; empty without any.

    Programs prefix their settings with the `project` name. If a default is asked for, a value in a script, a deployment
    or an example is none, and is shown only as a last resort; a look-up of the value never is.
    """
    values = [value for value in values if not is_aside(query, value.path)]
    values = [value for value in values if query.asks_tests or not any(map(_IN_TESTS.match, value.definition.scope))]
    values = [
        value
        for value in values
        if value.definition.is_value and value.definition.kind != "function" and not _is_tag(value)
    ]
    examples, values = values, [value for value in values if not is_illustration(value.path, question)]
    own = [value for value in values if not is_foreign(value.path, tuple(languages))] or values
    without_overrides = [value for value in own if not is_override(value.path, question)]
    is_place = asks_for_place(question)
    is_default = asks_for_default(question)
    prefixes = frozenset(map(squashed, (project, *pieces(project))))
    fields = (without_overrides,) if is_default else (without_overrides, own)
    named: list[Value] = next(filter(None, (_best_named(field, question, query, prefixes) for field in fields)), [])
    if named:
        return [*_constant(named[0], values), *named]
    if is_place and not asks_for_value(question):
        return []
    named_examples = _best_named(examples, question, query, prefixes) if wants_default(question) else []
    least = _HOLDS_ALL if named_examples else _HOLDS
    return next(filter(None, (_best_unnamed(field, question, least) for field in fields)), named_examples)


def _best_unnamed(values: Sequence[Value], question: str, least: float) -> list[Value]:
    """Return the best definition whose name is not in the question, with the `least` share of its words."""
    if _YES_OR_NO.match(question) and not asks_for_default(question):
        return []
    fit = [value for value in values if value.holds and not value.counts_else and is_amount(question, value.definition)]
    full = [value for value in fit if asks_for_default(question) or holds_number(value.definition.value)]
    good = [value for value in full if _is_asked_for(value) and value.score >= _AS_GOOD * full[0].score]
    if not good or good[0].score < _LIKELY or good[0].holds < least:
        return []
    best = _choose_default(good[0], full, is_default=asks_for_default(question))
    doubtful = any(_is_better_named(value, best) for value in fit) or any(_is_rival(value, best) for value in full)
    return [] if doubtful else [best]


def _best_named(values: Sequence[Value], question: str, query: Query, prefixes: Collection[str]) -> list[Value]:
    """Return the definition of a setting named in the question, stated defaults first.

    For a question about a place, definitions in code precede those in settings files.
    """
    is_place, is_default = asks_for_place(question), asks_for_default(question)
    names = [literal for literal in query.literals if " " not in literal]

    def fitness(name: str, value: Value) -> int:
        if is_default_of(name, value.definition):
            return EXACT if is_default else PREFIXED
        return names_setting(name, value.definition, value.path, prefixes)

    fits = [(max(fitness(name, value) for name in names), value) for value in values if names]
    best = max((fit for fit, _ in fits), default=0)
    same = [value for fit, value in fits if fit and fit == best]
    same.sort(
        key=lambda value: (
            not (_says_default(value) or is_place),
            value.definition.context in _PASSING,
            is_place and value.path.endswith(PLAIN_ENDINGS),
            -value.score,
        )
    )
    return same[:1]


def _constant(value: Value, values: Sequence[Value]) -> list[Value]:
    """Return the definition of the constant that provides the value, if it is available."""
    name = value.definition.follows
    return [
        value for value in values if name and _last_part(value) == name and value.definition.context not in _PASSING
    ][:1]


def _is_tag(value: Value) -> bool:
    """Return whether a number is the tag of a field in `.proto` or Thrift files."""
    return value.path.endswith(_WIRE) and "default" not in value.definition.name.lower()


def _is_asked_for(value: Value) -> bool:
    """Return whether a definition has the most informative word, or most of the others, and its name matches the
    question."""
    is_named = (
        bool(value.named)
        or (value.names_quantity and not value.counts_else)
        or not value.definition.name
        or (value.definition.generic and not value.definition.scope)
    )
    return is_named and (value.has_rarest or value.holds >= _HOLDS_MOST)


def _choose_default(best: Value, values: Sequence[Value], *, is_default: bool) -> Value:
    """Return the best definition, or one whose name matches as much of the question with fewer unrelated words."""
    plainer = [
        value
        for value in values
        if value.unasked < best.unasked
        and value.named >= best.named
        and value.holds >= best.holds
        and value.score >= _PLAINER * best.score
        and not (value.definition.context in _PASSING and best.definition.context not in _PASSING)
        and not (is_default and _says_default(best) and not _says_default(value))
    ]
    return min(plainer, key=lambda value: (value.unasked, -len(value.named), -value.score), default=best)


def _says_default(value: Value) -> bool:
    return (
        value.definition.is_default or "default" in " ".join((value.definition.name, *value.definition.scope)).lower()
    )


def _is_better_named(value: Value, best: Value) -> bool:
    """Return whether another definition's name matches more of the question, unless its value comes from the best
    one."""
    named = value.named > best.named and value.unasked <= best.unasked and value.holds >= best.holds
    return named and value.score >= _BETTER_NAMED * best.score and _last_part(best) not in value.definition.value


def _is_rival(value: Value, best: Value) -> bool:
    """Return whether another definition fits as well, or has a requested word that the best one lacks."""
    if value.definition.value == best.definition.value or _split_name(value) == _split_name(best):
        return False
    if not value.named <= best.held_terms and value.score >= _NEARLY_AS_GOOD * best.score:
        return value.holds >= _RIVALS * best.holds
    if value.definition.is_default and not best.definition.is_default and value.score >= _NEARLY_AS_GOOD * best.score:
        return value.holds >= best.holds
    alike = (
        value.named == best.named
        and value.unasked == best.unasked
        and len(_split_name(value)) == len(_split_name(best))
    )
    return alike and value.score >= _AS_GOOD * best.score


def _last_part(value: Value) -> str:
    return value.definition.name.rsplit(".", 1)[-1]


def _split_name(value: Value) -> tuple[str, ...]:
    return tuple(pieces(_last_part(value)))
