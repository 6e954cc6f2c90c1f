"""Findings of the keyword engine in words: an answer with its quote, or a statement that nothing good was found.

A draft has one quote with its place, and at most one more place; the search terms are shown under Show Evidence. The
limits of `InvestigatorReturn` are kept by quoting fewer lines, never by cutting a line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import NOTHING_FOUND
from bot.agents.keyword_answer import list_words, sanitize_words
from bot.decide.retrieval.confidence import ENOUGH
from bot.models.findings import MAX_DRAFT_CHARS, MAX_DRAFT_WORDS, InvestigatorReturn
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.agents.keyword_answer import Cited
    from bot.decide.retrieval.confidence import MatchConfidence
    from bot.decide.retrieval.query import Query

MAX_NOTE_WORDS = 450
_LENGTHS = (8, 6, 5, 4, 3, 2)
"""Lengths of a quote in lines, tried in this order until the draft fits."""
_NEAREST = 3
"""Passages shown when none of them is good enough."""
_NAME_SHOWN = 60
_MOST_ASKED = 3
_CODE_NAME = re.compile(r"(?!\W*\d).*(?:[_./:\d]|[a-z][A-Z])")
"""Names that only occur in code: `max_retries`, `orders.py`, `retryLimit`, `E4012`; not `20`."""


def draft_answer(query: Query, cited: Sequence[Cited], certainty: MatchConfidence, round_: int) -> InvestigatorReturn:
    """Build findings that quote the first of `cited`, with medium confidence."""
    passages = _cut_to_limits(cited, _word_answer)
    files = len({passage.rated.path for passage in passages})
    return InvestigatorReturn(
        confidence="medium",
        confidence_reason=_reason(certainty, passages[0]),
        summary_for_orchestrator=f"Keyword search: {_count(len(passages), 'passage')} in {_count(files, 'file')}.",
        draft_reply=_word_answer(passages),
        draft_language="en",
        evidence_refs=tuple(passage.evidence for passage in passages),
        investigator_round=round_,
        research_notes=_notes(query, cited),
    )


def draft_without_answer(
    project: str,
    query: Query,
    round_: int,
    cited: Sequence[Cited] = (),
    certainty: MatchConfidence | None = None,
    files: int = 0,
) -> InvestigatorReturn:
    """Build findings that say that nothing good was found, with the nearest places if there are any."""
    looked = [term.word for term in query.terms if term.proves] or [term.word for term in query.terms]

    def draft(passages: Sequence[Cited]) -> str:
        nearest = "\n\n".join(map(str, passages))
        return render(
            "keyword_nothing",
            project=sanitize_words(project, _NAME_SHOWN) or "the projects that I know",
            lacks=f" Nowhere in it: {list_words(certainty.nowhere)}." if certainty and certainty.nowhere else "",
            nearest=f"The nearest, which may well be about something else:\n\n{nearest}\n\n" if nearest else "",
        )

    shortened = _cut_to_limits(cited[:_NEAREST], draft)
    if certainty and shortened:
        reason = f"{_reason(certainty, shortened[0])}{_doubt(certainty)}"
    elif looked:
        reason = f"None of these words is in the {_count(files, 'file')} searched: {list_words(looked)}."
    else:
        reason = "The question has no word to search for."
    return InvestigatorReturn(
        confidence="low",
        confidence_reason=reason,
        summary_for_orchestrator=NOTHING_FOUND,
        draft_reply=draft(shortened),
        draft_language="en",
        evidence_refs=tuple(passage.evidence for passage in shortened),
        open_questions=_asked_back(project, certainty) if certainty and shortened else (),
        investigator_round=round_,
        research_notes=_notes(query, cited),
    )


def select_quoted(passages: Sequence[Cited]) -> Sequence[Cited]:
    """Return the passages to quote: those that were named or asked for, else the best one."""
    return [passage for passage in passages if passage.sets or passage.calls or passage.is_pointed_at] or passages[:1]


def _word_answer(passages: Sequence[Cited]) -> str:
    """Write the quotes, with a reference to the kept or next best places; the others are evidence only."""
    whole = select_quoted(passages)
    others = [passage for passage in passages if passage not in whole]
    further = [passage for passage in others if passage.is_kept] or others[:1]
    also = [f"See also {', '.join(f'`{passage.ref}`{passage.place}' for passage in further)}."] if further else []
    return "\n\n".join([*map(str, whole), *also])


def _asked_back(project: str, certainty: MatchConfidence) -> tuple[str, ...]:
    """Return questions about names of code that the project lacks; other missing words are not good questions."""
    names = [word for word in certainty.nowhere if _CODE_NAME.match(word)]
    return tuple(
        f"What is {sanitize_words(name)} called in {sanitize_words(project, _NAME_SHOWN)}?"
        for name in names[:_MOST_ASKED]
    )


def _cut_to_limits(cited: Sequence[Cited], draft: Callable[[Sequence[Cited]], str]) -> list[Cited]:
    """Return as many passages, and as much of each, as the limits of a draft allow."""
    remaining = list(cited)
    while remaining:
        for lines in _LENGTHS:
            shorter = [passage.at_most(lines, whole=True) for passage in remaining]
            if fits_draft(draft(shorter)):
                return shorter
        if len(remaining) == 1:
            shortest = [[passage.at_most(lines) for passage in remaining] for lines in _LENGTHS]
            return next((shorter for shorter in shortest if fits_draft(draft(shorter))), [])
        remaining.pop()
    return remaining


def fits_draft(text: str) -> bool:
    """Return whether a draft keeps the limits of `InvestigatorReturn`."""
    return len(text) <= MAX_DRAFT_CHARS and len(text.split()) <= MAX_DRAFT_WORDS


def _reason(certainty: MatchConfidence, best: Cited) -> str:
    if certainty.is_live:
        return "It asks about the current state, which neither code nor documents show."
    matched = {*certainty.covered_words} - {*certainty.nowhere}
    number = len({*certainty.covered_words, *certainty.lacking, *certainty.nowhere})
    verb = "is" if len(matched) == 1 else "are"
    named = f"{best.ref} was named at a bounce; " if best.is_pointed_at else ""
    words = f"the question's {_count(number, 'distinctive word')}"
    reason = f"{named}{len(matched)} of {words} {verb} in or around {best.ref}"
    return f"{reason}; not in the project: {list_words(certainty.nowhere)}." if certainty.nowhere else f"{reason}."


def _doubt(certainty: MatchConfidence) -> str:
    """Return the reason for low confidence despite most words being found; empty where another reason is given."""
    if certainty.is_live or certainty.nowhere or certainty.share < ENOUGH:
        return ""
    if not certainty.can_answer:
        return " But the lines shown do not have what was asked for."
    return " But little else points to that place."


def _notes(query: Query, cited: Sequence[Cited]) -> str:
    """Return the search terms and the candidates, for the reader of the evidence."""
    lines = [f"searched for: {', '.join(sanitize_words(term.word) for term in query.terms) or 'nothing'}"]
    lines += [
        f"candidate {passage.ref}, score {passage.rated.score:.1f}, has {list_words(passage.words)}"
        for passage in cited
    ]
    return " ".join("\n".join(lines).split(" ")[:MAX_NOTE_WORDS])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
