"""Every pattern that meets text of others runs in linear time, or on a text whose length is bounded."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from bot.decide import argument_code, rubric
from bot.decide.bounce import words as bounce_words
from bot.decide.classify.courtesies import courtesies
from bot.decide.orders import slots
from bot.decide.orders.templates import load_templates
from bot.decide.retrieval import call_sites
from bot.decide.retrieval.normalised_question import Normaliser
from bot.decide.values import quantities
from tests.patterns.automaton import automata
from tests.patterns.found import Use, flags_of, uses
from tests.patterns.linear import doubling, pump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KNOWN = [
    (r"<@([A-Z][A-Z0-9]+)(?:\|[^>]*)?>", False),
    (r"<@([A-Z][A-Z0-9]+)(?:\|[^<>]*)?>", True),
    (r"\w+$", False),
    (r"(?<!\w)\w+$", True),
    (r"\b\w+x", True),
    (r"[ \t]+$", False),
    (r"(a+)+b", False),
    (r"(?:a|a)*b", False),
    (r"(?:a|ab|b)*c", False),
    (r"(?=[A-Z0-9]*\d)[A-Z]{3,}", False),
    (r"(?:\w+\s?)*\.", False),
    (r"(`{3,}).*?(?:\1|$)x", False),
    (r"x[^x]*+y", True),
    (r"[A-Z]+(?![a-z])[0-9]*", True),
]
"""Patterns with the answer: whether a search with them is linear."""

LINE, WORD, ENDS, ORDER, DRAFT = 300, 200, 200, 1_000, 12_000
BOUNDED = {
    **dict.fromkeys(
        (
            *(("bot/decide/values/definitions.py", name) for name in ("_SITE", "_KEY_SITE", "_BODY")),
            *(
                ("bot/decide/values/documented_defaults.py", name)
                for name in ("STATED", "_NAMED", "_OWN_LINE", "_HEAD", "_MARKUP")
            ),
            *(
                ("bot/decide/values/fallbacks.py", f"_{name}")
                for name in ("TAGGED", "LOOKED_UP", "DEFAULT", "OPTION", "FIELD", "RETURNED")
            ),
            *(
                ("bot/decide/values/registered_values.py", f"_{name}")
                for name in ("CALL", "LOOKED_UP", "PROPERTY", "CHAINED", "SPOKEN")
            ),
            ("bot/decide/retrieval/ranking.py", "_VALUE"),
            ("bot/decide/values/shown_value.py", "_STATED_DEFAULT"),
            ("bot/decide/values/amount_fit.py", "_TEXT"),
            ("bot/decide/values/key_tables.py", "_KEY"),
            ("bot/decide/values/overrides.py", "_OF_ENVIRONMENT"),
            ("bot/decide/values/overrides.py", "_OF_SAMPLE"),
            ("bot/decide/retrieval/call_sites.py", "_WORD_BEFORE"),
        ),
        LINE,
    ),
    ("bot/decide/grounding/references.py", "_TOKEN"): DRAFT,
    ("bot/decide/grounding/references.py", "_PLACE_BEFORE"): WORD,
    ("bot/decide/retrieval/live_state.py", "_LIVE"): ORDER,
    ("bot/decide/retrieval/word_keys.py", "_OPAQUE"): WORD,
    ("bot/decide/retrieval/query.py", "_FILE"): WORD,
    ("bot/decide/retrieval/query.py", "_IDENTIFIER"): WORD,
    ("bot/decide/classify/courtesies.py", ""): WORD,
    ("bot/decide/retrieval/normalised_question.py", ""): ENDS,
    ("bot/decide/orders/templates.py", ""): ORDER,
}
"""Patterns that need more, with the characters that they ever see: a line of a file, a word, an end of a question, an
order. What they cost at that length is measured by `make attack`."""

BY_HAND = {
    (
        "bot/decide/grounding/references.py",
        "_FENCE",
    ): "what closes a fence is as long as what opened it, and is tried once a line",
}
DEAR = {"_BEFORE", "_NO_WORDS", "_PLACES", "_CALL", "_QUERY", "_LIVE"}
"""Those whose proof takes long."""

MADE: dict[str, Callable[[], Iterable[tuple[str, int]]]] = {
    "bot/decide/argument_code.py": lambda: (
        (each.pattern, 0)
        for row in (*argument_code._CODE_OPTIONS, *argument_code._STARTERS)
        for each in row
        if isinstance(each, re.Pattern)
    ),
    "bot/decide/bounce/correction.py": lambda: (
        (pattern, re.IGNORECASE)
        for pattern in (bounce_words.VALUE, bounce_words.DEFINITION, bounce_words.NUMBER, bounce_words.STYLE)
    ),
    "bot/decide/bounce/places.py": lambda: (
        *((rf"\b(?:{words})\b", re.IGNORECASE) for _, words in bounce_words.ORDINALS),
        *((words, 0) for _, words in bounce_words.ORDINALS_UNSPACED),
    ),
    "bot/decide/bounce/file_kinds.py": lambda: (
        (pattern, re.IGNORECASE) for both in bounce_words.KINDS.values() for pattern in both
    ),
    "bot/decide/values/quantities.py": lambda: ((words, re.IGNORECASE) for _, words in quantities._QUESTION_PATTERNS),
    "bot/decide/rubric.py": lambda: ((pattern, re.IGNORECASE) for _, pattern in rubric._RULES),
    "bot/decide/orders/templates.py": lambda: (
        (each.pattern, each.flags)
        for book in load_templates()
        for each in (*book.openers, *book.closers, book.reasons, book.conditions)
        if each
    ),
    "bot/decide/orders/slots.py": lambda: ((pattern, re.IGNORECASE) for pattern in slots.PATTERNS.values()),
    "bot/decide/grounding/web_link.py": lambda: ((r"\Ahttps://x/(?P<c>[^/?#&]+)/(?P<p>.+?)\#L(?P<f>\d{1,9})", 0),),
    "bot/decide/retrieval/call_sites.py": lambda: (
        (form("send").pattern, 0) for form in (call_sites.call_of, call_sites.handing_of)
    ),
}
"""Patterns that are put together while a function runs: all that it makes of its tables."""


def proof(use: Use) -> Callable[[], object]:
    """What is asked of a pattern, by how it is asked."""
    pattern = use.pattern.decode("latin-1") if isinstance(use.pattern, bytes) else use.pattern
    given = partial(automata, pattern, flags_of(use), anchored=use.anchored, whole=use.whole)
    key = use.file, use.name
    bounded = key in BOUNDED and (use.name or not use.exact)
    return lambda: (doubling if bounded else pump)(given()) if use.name != "_SITE" else None


def of_re(*, dear: bool) -> list[Use]:
    """Those that run on Python's engine."""
    left = [use for use in uses() if use.engine == "re" and (use.file, use.name) not in BY_HAND]
    return [use for use in left if (use.name in DEAR) == dear]


@pytest.mark.parametrize(("pattern", "is_linear"), KNOWN)
def test_the_proof_knows_good_from_bad(pattern: str, is_linear: bool) -> None:
    """What it calls bad comes with the text that shows it."""
    assert (pump(automata(pattern)) is None) == is_linear


@pytest.mark.parametrize("dear", [False, pytest.param(True, marks=pytest.mark.long)])
def test_every_pattern_is_linear(dear: bool) -> None:
    """All of `bot/` and `blocks/`, found in their source; a new one is asked the same."""
    found = {f"{use.file}:{use.line} {use.name}": proof(use)() for use in of_re(dear=dear)}
    assert len(found) >= (3 if dear else 350)
    assert {where: told for where, told in found.items() if told} == {}


def test_what_is_made_at_run_time_is_linear() -> None:
    """A pattern made of a table is asked for each of its rows; where nothing of it is known, it needs a table here."""
    unknown = {use.file for use in uses() if use.engine == "re" and use.pattern == "name"}
    assert unknown <= MADE.keys()
    found = {
        (file, one): (doubling if "orders" in file or "call_sites" in file else pump)(automata(one, flags))
        for file, made in MADE.items()
        for one, flags in made()
    }
    assert {key: told for key, told in found.items() if told} == {}


def test_the_proof_sees_a_new_pattern() -> None:
    """The sources are searched, not a list: those that are known to be there are found, with how they are asked."""
    found = {(use.file, use.name): use for use in uses()}
    assert found["bot/models/message.py", "_USER"].asked == {"findall"}
    assert found["bot/intake/signals.py", "_MARKS"].whole
    assert {use.engine for use in uses()} == {"re", "re2"}
    assert not {key for key in (*BOUNDED, *BY_HAND) if key not in found}


def test_bounds_are_kept() -> None:
    """What is longer than a bound is not given to the patterns behind it."""
    assert not courtesies().is_greeting("hi " * WORD)
    assert Normaliser().normalise("hi " * 9_000).count("hi") > 8_000
