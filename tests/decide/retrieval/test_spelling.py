"""Words of a question that stand nowhere: misspelt ones, and ones of the asker's own."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.spelling import correct_spelling

_HELD = {"constructor": 9, "different": 4, "call": 30, "stor": 40, "keyword": 8, "allow": 12, "prefix": 9, "compres": 5}


def _words(start: str) -> Mapping[str, int]:
    return {word: files for word, files in _HELD.items() if word.startswith(start)}


def _term(question: str, word: str) -> tuple[bool, set[str]]:
    """Whether a project that holds none but `_HELD` may answer without a word, and what else it is searched for as."""
    asked = build_query(question)
    nowhere = {at for at, term in enumerate(asked.terms) if not set(term.keys) & set(_HELD)}
    spelt = correct_spelling(asked, question, nowhere, _words)
    before, after = next((a, b) for a, b in zip(asked.terms, spelt.terms, strict=True) if a.word == word)
    return after.forgiven, set(after.keys) - set(before.keys)


@pytest.mark.parametrize(
    ("question", "word", "meant"),
    [
        ("the constructer throws", "constructer", {"constructor"}),
        ("is it calld twice", "calld", {"call"}),
        ("names that are not alowed", "alowed", {"allow"}),
        ("¿con qué prefijo guarda las claves si no configuro nada?", "prefijo", {"prefix"}),
    ],
)
def test_a_misspelt_word_is_searched_for_as_what_was_meant(question: str, word: str, meant: set[str]) -> None:
    """The project's own words are the dictionary; for another language those that begin alike."""
    forgiven, more = _term(question, word)
    assert forgiven
    assert meant <= more


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("does it work with our Keycloak?", "keycloak"),
        ("is there a graphql endpoint?", "graphql"),
        ("can we store them in a vault?", "vault"),
        ("¿se puede usar con Kafka?", "kafka"),
        ("kann man das mit Kafka oder mit der Datei nutzen?", "kafka"),
    ],
)
def test_a_name_that_nobody_here_uses_stays_one(question: str, word: str) -> None:
    """What names something else is no slip of the hand."""
    assert _term(question, word) == (False, set())
