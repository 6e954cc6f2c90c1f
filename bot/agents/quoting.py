"""The keyword engine's findings in words: the draft with its quotes, or that nothing good was found.

Called by `agents/keyword`. The caps of `InvestigatorReturn` are kept by quoting less, never by cutting a quote's lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.bounced import NOTHING_FOUND
from bot.decide.quotes import Quote, quote, stretch
from bot.models.findings import MAX_DRAFT_CHARS, EvidenceRef, InvestigatorReturn
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bot.decide.certainty import Certainty
    from bot.decide.ground import Ground
    from bot.decide.ranking import Ranking, Rated
    from bot.decide.terms import Query
    from bot.decide.values import Value
    from bot.models.findings import EvidenceKind

MAX_DRAFT_WORDS = 300
MAX_NOTE_WORDS = 450
_LENGTHS = (8, 6, 5, 4, 3, 2)
"""Lines of a quote, tried in this order until the draft fits."""
_NEAREST = 3
"""Passages shown when none of them is good enough."""
_WORDS_SHOWN = 10
_NAME_SHOWN = 60
_MOST_ASKED = 3
_CODE_NAME = re.compile(r"(?!\W*\d).*(?:[_./:\d]|[a-z][A-Z])")
"""What only the name of something in code holds: `max_retries`, `orders.py`, `retryLimit`, `E4012`; none is `20`."""
_PARTS = re.compile(r"[\W_]+")
_PATH = re.compile(r"[^`\x00-\x1f\x7f\ufffd]+")
"""A path that can stand in a reply."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage to cite, with all that is needed to quote more or less of it."""

    rated: Rated
    quote: Quote
    words: tuple[str, ...]
    """The asker's words that stand in it or around it."""
    lines: Sequence[str]
    worth: Mapping[int, Mapping[int, float]]
    sets: str = ""
    """The name whose value it shows; empty for a passage that was found by its words."""
    line: int = 0
    """The line that a shorter quote must hold; 0 for none."""
    stays: bool = False
    """Whether it is a reference of the draft before."""
    pointed: bool = False
    """Whether an operator named it as the place to look at."""
    kind: EvidenceKind = "file"
    """`memory` for a note that lies outside the project's root."""

    @classmethod
    def of(cls, rated: Rated, lines: Sequence[str], ground: Ground, ranking: Ranking) -> Cited | None:
        """The passage with its best quote; `None` when its path or its lines cannot stand in a reply."""
        worth = ranking.worth_by_line(rated)
        found = quote(lines, rated.passage, worth) if _PATH.fullmatch(rated.path) else None
        if found is None:
            return None
        return cls(rated, found, _held(rated, ground), lines, worth)

    @classmethod
    def defining(cls, rated: Rated, lines: Sequence[str], value: Value) -> Cited | None:
        """The definition that shows a value, whole where that can be quoted; `None` where its own line cannot."""
        if not _PATH.fullmatch(rated.path):
            return None
        found = stretch(lines, value.start, value.end, value.found.line)
        name = value.found.name or "the default"
        return cls(rated, found, (name,), lines, {}, sets=name, line=value.found.line) if found else None

    @classmethod
    def kept(cls, rated: Rated, lines: Sequence[str], start: int, end: int, ground: Ground, ranking: Ranking) -> Cited:
        """A reference of the draft before, with the same lines."""
        found = Quote(start, end, tuple(lines[start - 1 : end]))
        return cls(rated, found, _held(rated, ground), lines, ranking.worth_by_line(rated), line=start, stays=True)

    def holds(self, value: Value) -> bool:
        """Whether its quote holds a definition whole."""
        return self.rated.path == value.path and self.quote.start <= value.start and self.quote.end >= value.end

    def showing(self, value: Value) -> Cited:
        """The same place, for the definition in it."""
        return replace(self, sets=value.found.name or "the default", line=value.found.line)

    def at_most(self, lines: int, *, whole: bool = False) -> Cited:
        """The same passage with a shorter quote; with `whole` a definition stays as long as it is."""
        if self.line:
            last = self.quote.start + lines - 1
            if (whole and self.sets) or last >= self.quote.end:
                return self
            first = self.quote.start if self.line <= last else self.line
            shorter = stretch(self.lines, first, min(self.quote.end, first + lines - 1), self.line)
            return replace(self, quote=shorter or self.quote)
        shorter = quote(self.lines, self.rated.passage, self.worth, lines)
        return replace(self, quote=shorter or self.quote)

    @property
    def ref(self) -> str:
        """`path:12-20`, or `path:12` for a single line."""
        span = f"{self.quote.start}-{self.quote.end}" if self.quote.end > self.quote.start else f"{self.quote.start}"
        return f"{self.rated.path}:{span}"

    @property
    def place(self) -> str:
        """The class, function or heading that encloses it, as ` in X`; empty at the top of a file."""
        names = " / ".join(shown(name, _NAME_SHOWN) for name in self.rated.passage.names[-2:])
        return f" in {names}" if names.strip() else ""

    @property
    def evidence(self) -> EvidenceRef:
        """The reference that code can check word for word."""
        claim = f"These lines{self.place} hold the asker's words: {_listed(self.words)}."
        if self.sets:
            claim = f"These lines{self.place} set {shown(self.sets, _NAME_SHOWN)}."
        return EvidenceRef(kind=self.kind, ref=self.ref, quote="\n".join(self.quote.lines), supports_claim=claim)

    def __str__(self) -> str:
        body = "\n".join(self.quote.lines)
        return f"`{self.ref}`{self.place}\n```\n{body}\n```"


def _held(rated: Rated, ground: Ground) -> tuple[str, ...]:
    terms = ground.query.terms
    held = sorted(rated.terms)
    return tuple(terms[term].word for term in held if terms[term].proves) or tuple(terms[t].word for t in held)


def answer(project: str, query: Query, cited: Sequence[Cited], certainty: Certainty, round_: int) -> InvestigatorReturn:
    """Findings that quote `cited`, with medium confidence."""

    def draft(passages: Sequence[Cited]) -> str:
        return render(
            "keyword_draft",
            project=shown(project, _NAME_SHOWN),
            words=_listed(_whole(certainty.held) or certainty.lacking or ("the place that was named",)),
            passages="\n\n".join([*map(str, quoted(passages)), *_further(passages[len(quoted(passages)) :])]),
        )

    kept = _fitting(cited, draft)
    files = len({one.rated.path for one in kept})
    return InvestigatorReturn(
        confidence="medium",
        confidence_reason=_reason(certainty, kept[0]),
        summary_for_orchestrator=f"Keyword search: {_count(len(kept), 'passage')} in {_count(files, 'file')}.",
        draft_reply=draft(kept),
        draft_language="en",
        evidence_refs=tuple(one.evidence for one in kept),
        investigator_round=round_,
        research_notes=_notes(query, cited),
    )


def nothing(
    project: str,
    query: Query,
    round_: int,
    cited: Sequence[Cited] = (),
    certainty: Certainty | None = None,
    files: int = 0,
) -> InvestigatorReturn:
    """Findings that say plainly that nothing good was found, with the nearest places when there are any."""
    looked = [term.word for term in query.terms if term.proves] or [term.word for term in query.terms]

    def draft(passages: Sequence[Cited]) -> str:
        nearest = "\n\n".join(map(str, passages))
        return render(
            "keyword_nothing",
            project=shown(project, _NAME_SHOWN) or "the projects that I know",
            tried=_tried(looked, certainty),
            nearest=f"The nearest that I saw, which may well be about something else:\n\n{nearest}\n\n"
            if nearest
            else "",
        )

    kept = _fitting(cited[:_NEAREST], draft)
    if certainty and kept:
        reason = _reason(certainty, kept[0])
    elif looked:
        reason = f"None of these words stands in the {_count(files, 'file')} searched: {_listed(looked)}."
    else:
        reason = "The question holds no word to search for."
    return InvestigatorReturn(
        confidence="low",
        confidence_reason=reason,
        summary_for_orchestrator=NOTHING_FOUND,
        draft_reply=draft(kept),
        draft_language="en",
        evidence_refs=tuple(one.evidence for one in kept),
        open_questions=_asked_back(project, certainty) if certainty and kept else (),
        investigator_round=round_,
        research_notes=_notes(query, cited),
    )


def _whole(words: Sequence[str]) -> list[str]:
    """Leave out the words that are parts of a longer one, as `ms` is of `debounce_ms`."""
    return [word for word in words if not any(word != other and word in _PARTS.split(other) for other in words)]


def quoted(passages: Sequence[Cited]) -> Sequence[Cited]:
    """Those whose lines the draft shows: what was named or asked for at a bounce, else the best one."""
    return [one for one in passages if one.sets or one.pointed] or passages[:1]


def _further(passages: Sequence[Cited]) -> list[str]:
    """Name the other places, likeliest first; their lines stand in the evidence."""
    return [f"Also {', '.join(f'`{one.ref}`{one.place}' for one in passages)}."] if passages else []


def _asked_back(project: str, certainty: Certainty) -> tuple[str, ...]:
    """Ask for names of code alone, and where something is near: another word for lunch finds nothing in a project."""
    names = [word for word in certainty.nowhere if _CODE_NAME.match(word)]
    return tuple(f"What is {shown(name)} called in {shown(project, _NAME_SHOWN)}?" for name in names[:_MOST_ASKED])


def shown(text: str, most: int = 40) -> str:
    """A person's words made fit to stand in a sentence: no markup, no controls, no more than `most` characters."""
    plain = " ".join(re.sub(r"[^\w\s.,:/()'&+-]", " ", text).split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def _fitting(cited: Sequence[Cited], draft: Callable[[Sequence[Cited]], str]) -> list[Cited]:
    """As many passages, and as much of each, as the caps of a draft allow."""
    kept = list(cited)
    while kept:
        for lines in _LENGTHS:
            shorter = [one.at_most(lines, whole=True) for one in kept]
            if _fits(draft(shorter)):
                return shorter
        if len(kept) == 1:
            shortest = [[one.at_most(lines) for one in kept] for lines in _LENGTHS]
            return next((shorter for shorter in shortest if _fits(draft(shorter))), [])
        kept.pop()
    return kept


def _fits(text: str) -> bool:
    return len(text) <= MAX_DRAFT_CHARS and len(text.split()) <= MAX_DRAFT_WORDS


def _tried(looked: Sequence[str], certainty: Certainty | None) -> str:
    if not looked:
        return "There was no word in the question that I could search for."
    if certainty and certainty.nowhere:
        return f"I looked for {_listed(looked)}. Nowhere in it: {_listed(certainty.nowhere)}."
    return f"I looked for {_listed(looked)}. No place holds enough of these words together."


def _reason(certainty: Certainty, best: Cited) -> str:
    held = {*certainty.held} - {*certainty.nowhere}
    words = len({*certainty.held, *certainty.lacking, *certainty.nowhere})
    named = f"{best.ref} was named at a bounce; " if best.pointed else ""
    reason = (
        f"{named}{len(held)} of {_count(words, 'telling word')} of the question stand in or around {best.ref}, "
        f"{certainty.share:.0%} by rarity"
    )
    return f"{reason}; nowhere in the project: {_listed(certainty.nowhere)}." if certainty.nowhere else f"{reason}."


def _notes(query: Query, cited: Sequence[Cited]) -> str:
    """What was searched for and what was considered, for the person who reads the evidence."""
    lines = [f"searched for: {', '.join(shown(term.word) for term in query.terms) or 'nothing'}"]
    lines += [f"candidate {one.ref}, score {one.rated.score:.1f}, holds {_listed(one.words)}" for one in cited]
    return " ".join("\n".join(lines).split(" ")[:MAX_NOTE_WORDS])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(words: Iterable[str]) -> str:
    kept = [word for word in dict.fromkeys(map(shown, words)) if word]
    more = f" and {len(kept) - _WORDS_SHOWN} more" if len(kept) > _WORDS_SHOWN else ""
    return ", ".join(kept[:_WORDS_SHOWN]) + more
