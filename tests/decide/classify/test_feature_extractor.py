"""The patterns: what a text of ASCII is read with says the same of it as what any text is read with."""

from __future__ import annotations

import random

from bot.decide.classify import language_packs
from bot.decide.classify.feature_extractor import FeatureExtractor
from bot.decide.classify.text import clean_text

ODDS = (
    "?",
    "!",
    " ",
    "\n",
    ", ",
    ": ",
    "...",
    "@U0BOB ",
    "`x = 1`",
    "https://example.org/?q ",
    "zebra",
    "can't",
    "+1",
    "#",
)
BEYOND = "\u3000"
"""A gap as a space is, but not of ASCII; at the end of a text it changes nothing that the text shows."""


def test_ascii_is_read_as_any_text_is() -> None:
    """Hundreds of messages put together from the packs' own words."""
    found = language_packs.load()
    words = sorted({word for pack in found for words in pack.words.values() for word in words if word.isascii()})
    chance, reader, seen = random.Random(7), FeatureExtractor(found), set()
    for _ in range(800):
        said = "".join(chance.choice((chance.choice(words), chance.choice(ODDS), " ")) for _ in range(12))
        text = clean_text(f"{said} and this is so long that neither way of reading it takes it for a short message")
        masks = {reader.extract(text + ending) for ending in ("." * len(BEYOND.encode()), BEYOND)}
        assert len(masks) == 1, text
        seen |= masks
    assert len(seen) > 200
