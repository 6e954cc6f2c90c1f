"""Wording of an opening: words and pairs, and the features that their sum shows."""

from __future__ import annotations

import pytest

from bot.decide.classify.features import MASKS
from bot.decide.classify.opening_words import OpeningWords, extract_terms, levels, load_opening_words

MANY = "x" * 20


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("gate 4 beeps?", {"gate", "0", "beeps", "?", "^ gate", "gate 0", "0 beeps", "beeps ?", "? $"}),
        ("don\u2019t", {"don't", "^ don't", "don't $"}),
        ("\x01 \x02", {"\x01", "\x02", "^ \x01", "\x01 \x02", "\x02 $"}),
        ("教えて", {"教え", "えて", "^ 教え", "教え えて", "えて $"}),
        ("", {"^ $"}),
    ],
)
def test_a_text_is_its_words_and_its_pairs(said: str, expected: set[str]) -> None:
    """Numbers are alike, signs of prose are words, and where no spaces stand each two letters are one."""
    assert extract_terms(said) == expected


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (0.0, []),
        (0.31, ["worded_as_opening"]),
        (1.01, ["worded_as_opening", "worded_much_as_opening"]),
        (-0.31, ["worded_as_talk"]),
        (-1.01, ["worded_as_talk", "worded_much_as_talk"]),
    ],
)
def test_a_sum_shows_features_from_its_limits_on(score: float, expected: list[str]) -> None:
    """A sum beyond the second limit shows both features of its side."""
    assert MASKS.names_in(levels(score)) == expected


def test_each_word_counts_once() -> None:
    """Who writes one word many times says it once."""
    wording = OpeningWords({"please": 0.4, "^ please": 0.1, "thanks": -0.4}, 0.05)
    assert wording.score("please " * 3 + MANY) == pytest.approx(0.55)


@pytest.mark.parametrize(
    "said", ["could someone restart the scanner at gate 4?", "the export has half the rows since monday"]
)
def test_the_packaged_words_know_an_opening(said: str) -> None:
    """Whoever asks or tells of trouble words it like others who came for help."""
    assert load_opening_words().score(said) > 0


@pytest.mark.parametrize(
    "said", ["happy birthday tom, have a great day", "cake in the kitchen, first come first served"]
)
def test_the_packaged_words_know_talk(said: str) -> None:
    """Wishes and invitations are worded like others that asked nothing."""
    assert load_opening_words().score(said) < 0
