"""Whether an edit leaves nothing of a question: it thanks, greets or tells something else, and asks nothing. Pure.

A plain statement may add to a question (`I meant the websocket`), and so may any word that stood in it: neither is such
an edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.classify.features import names
from bot.decide.classify.text import prose
from bot.decide.classify.weights import around
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import STOP
from bot.models.context import MessageContext

if TYPE_CHECKING:
    from bot.decide.classify.feature_extractor import FeatureExtractor

_BEGINS = MessageContext(opens=True, for_help=True)
_SHOWN = frozenset(
    {"failure", "trace", "pasted", "coded", "link", "amount", "resolved", "wordless", "tentative_answer"}
)
"""What may tell more of a question without asking."""
_EDGES = ".,:;!?()[]\"'\u2019*_~<>`"


def asks_nothing(text: str, reader: FeatureExtractor) -> bool:
    """Return whether a text that begins something shows no sign of a question, a need or trouble, in plain words."""
    found = frozenset(names(reader.read(prose(text), for_help=True) | around(_BEGINS)))
    if not found.isdisjoint(_SHOWN):
        return False
    return "only_social" in found or "ack_only" in found


def keeps_nothing(before: str, after: str) -> bool:
    """Return whether no telling word of a question stands in what it was edited into."""
    return _telling(before).isdisjoint(_telling(after))


def _telling(text: str) -> frozenset[str]:
    words = (word.strip(_EDGES) for word in prose(text).lower().split())
    return frozenset(stem(word) for word in words if word and word not in STOP)
