"""Edits that remove a question: the new text only thanks, greets or tells something else. Pure.

A plain statement may add to a question (`I meant the websocket`), and so may any word of the original: such an edit
does not remove it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import feature_names
from bot.decide.classify.text import clean_text
from bot.decide.classify.weights import context_mask
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import STOP
from bot.models.context import MessageContext

if TYPE_CHECKING:
    from bot.decide.classify.feature_extractor import FeatureExtractor

_BEGINS = MessageContext(opens=True, for_help=True)
_EVIDENCE = frozenset(
    {"failure", "trace", "pasted", "coded", "link", "amount", "resolved", "wordless", "tentative_answer"}
)
"""Features that may add information to a question without asking."""
_MENTION = re.compile(r"@[UW][A-Z0-9]+")
_EDGES = ".,:;!?()[]\"'\u2019*_~<>`"


def asks_nothing(text: str, reader: FeatureExtractor) -> bool:
    """Return whether a first message shows no sign of a question, a need or trouble, in plain words."""
    features = frozenset(feature_names(reader.extract(clean_text(text), for_help=True) | context_mask(_BEGINS)))
    if not features.isdisjoint(_EVIDENCE):
        return False
    return "only_social" in features or "ack_only" in features


def keeps_nothing(before: str, after: str) -> bool:
    """Return whether an edited text keeps no informative word of the question."""
    return _informative_stems(before).isdisjoint(_informative_stems(after))


def _informative_stems(text: str) -> frozenset[str]:
    words = (word.strip(_EDGES) for word in clean_text(_MENTION.sub(" ", text)).lower().split())
    return frozenset(stem(word) for word in words if word and word not in STOP)
