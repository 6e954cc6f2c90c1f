"""Mentions of the bot that ask a question independent of the author's previous message. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import BIT, feature_names
from bot.decide.classify.text import clean_text
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import POINTING, STOP

if TYPE_CHECKING:
    from bot.decide.classify.feature_extractor import FeatureExtractor

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]{6,}")
"""Minimum run in a script without spaces for a question that names its subject."""
GOES_ON = re.compile(
    r"\W*(?:(?:and|or|also|plus|same|sorry|i mean|what about|how about|und|oder|auch|et|aussi|ou|y|o|también|e|também"
    r"|dan|juga)\b|\u0648 |\u06cc\u0627 |\u305d\u308c|\u3042\u3068)",
    re.IGNORECASE,
)
_NAME = re.compile(r"`|\d|\w_\w|\w\.\w|\b\w*[a-z][A-Z]\w*|\b[A-Z]{2,}\b")
"""Spellings that only code and acronyms have."""
_FEWEST = 2
"""Minimum number of informative words in a question that names no code."""
_ASKING = frozenset({"question_opening", "question_ending", "question_phrase", "asks_unmarked", "request", "wish"})
"""Features of a question by its form; a problem may belong to the question before it."""
_WORD_BEFORE_CAPITAL = re.compile(r"(?<!\w)\w+\s+(?=[A-Z\u00c4\u00d6\u00dc`])")


def is_self_contained(text: str, reader: FeatureExtractor) -> bool:
    """Return whether a text is a question that refers to nothing before it."""
    cleaned_text = clean_text(text).strip()
    words = [word.lower() for word in _WORD.findall(cleaned_text)]
    points = POINTING.intersection(_WORD.findall(_WORD_BEFORE_CAPITAL.sub(" ", text).lower()))  # "das Limit" is named
    if GOES_ON.match(cleaned_text) or points:
        return False
    if _ASKING.isdisjoint(feature_names(reader.extract(cleaned_text) | BIT["opens"])):
        return False
    own = {stem(word) for word in words if word not in STOP}
    return bool(_NAME.search(text)) or len(own) >= _FEWEST or bool(_UNSPACED.search(cleaned_text))
