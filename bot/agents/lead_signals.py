"""Lead signals: features of a search, beside its words, that tell how likely the first place is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.retrieval.live_state import asks_live_state
from bot.decide.retrieval.passages import is_document
from bot.decide.values.setting_names import spellings, squashed
from bot.decide.values.shown_value import holds_value
from bot.decide.values.value_question import wants_amount, wants_default

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.keyword_answer import Cited
    from bot.decide.retrieval.confidence import MatchConfidence
    from bot.decide.retrieval.query import Query
    from bot.decide.retrieval.ranking import Rated


def weigh_lead(
    best: MatchConfidence,
    cited: Sequence[Cited],
    rated: Iterable[Rated],
    query: Query,
    question: str,
    *,
    is_first: bool,
) -> MatchConfidence:
    """Return the confidence with the probability estimated from the cited passages."""
    names = set(map(squashed, query.literals))
    scores: dict[str, float] = {}
    for passage in rated:
        scores[passage.path] = max(passage.score, scores.get(passage.path, 0.0))
    first, second = sorted([*scores.values(), 0.0, 0.0], reverse=True)[:2]
    lead = cited[0] if cited else None
    shows = {
        name for passage in cited if passage.sets or passage.calls for name in spellings(passage.sets or passage.calls)
    }
    return best.with_chance(
        {
            "named": float(not names.isdisjoint(shows)),
            "value": float(bool(lead and (lead.sets or lead.calls))),
            "told": float(bool(lead and is_document(lead.rated.path))),
            "margin": 1 - second / first if first else 0.0,
        },
        is_live=asks_live_state(question),
        is_first=is_first,
        tells=lead is None or _can_answer(lead, query, question),
    )


def _can_answer(lead: Cited, query: Query, question: str) -> bool:
    """Return whether the first lines shown can answer the question at all."""
    is_test = any(name.lower() == "tests" or name.startswith("test_") for name in lead.rated.passage.names)
    if is_test and not query.asks_tests and (wants_amount(question) or wants_default(question)):
        return False
    first, last = lead.quote.start, lead.quote.end
    return not lead.bare and holds_value(question, lead.rated.path, lead.lines, first, last, sets=bool(lead.sets))
