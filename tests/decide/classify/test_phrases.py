"""Phrases are found by their words as they would be one after the other."""

from __future__ import annotations

import random
from functools import partial

from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import Phrases, beginning, ending, is_inside, phrases


def test_phrases_are_found_as_if_each_was_tried_in_turn() -> None:
    """The first that fits counts, whether they stand longest first or as a file lists them; chance makes the words."""
    chance = random.Random(5)
    made = partial(chance.choices, "abc")
    lists = [Phrases(dict.fromkeys(tuple(made(k=chance.randint(1, 3))) for _ in range(8))) for _ in range(60)]
    lists += [Phrases(), phrases(load(("en",)), "settled", "openers")]
    for known in lists:
        for length in (0, 1, 2, 4, 6):
            words = (*made(k=length), *(chance.choice(known) if known else ()))
            heads = [phrase for phrase in known if words[: len(phrase)] == phrase]
            tails = [phrase for phrase in known if words[-len(phrase) :] == phrase]
            assert (beginning(words, known), ending(words, known)) == ((*heads, ())[0], (*tails, ())[0])
            inside = any(words[at : at + len(each)] == each for each in known for at in range(len(words)))
            assert is_inside(words, known) == inside


def test_an_empty_phrase_is_found_nowhere() -> None:
    """It would begin every text."""
    assert beginning(("a", "b"), Phrases([(), ("a",)])) == ("a",)
