"""Rated passages of one project: the order in which they are cited, also after a bounce."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import BouncedLines
from bot.agents.keyword_answer import Cited
from bot.decide.bounce.file_kinds import is_among
from bot.decide.retrieval.code_languages import is_foreign
from bot.decide.retrieval.file_prior import mentions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.agents.bounced_drafts import Bounced
    from bot.decide.retrieval.index import SearchIndex
    from bot.decide.retrieval.ranking import Ranking, Rated

_REPEATED_WEIGHT = 0.3
"""Weight of a passage that the bounced draft cited."""
_FOREIGN = 0.7
"""Weight of a passage in a language that the project does not name."""
_ASKED_FOR = 3.0
"""Weight of a passage in a file of a requested kind."""
_SAME_FILE = 0.7
"""Weight of other passages in the bounced draft's files."""
_WORTH_SHOWING = 0.4
"""Share of the best score from which on a passage is shown."""
_SECOND_LOOK = 0.85
"""Share of the best score from which on a second passage of the best file is shown."""


@dataclass
class RatedPassages:
    """Passages of the files that were read."""

    index: SearchIndex
    ranking: Ranking
    texts: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...]
    rated: list[Rated] = field(default_factory=list)

    def best(self, bounced: Bounced, fixed: Sequence[Cited], limit: int) -> tuple[Cited, ...]:
        """Return quoted passages: the best of each of the best files, then a second one of the first file."""
        chosen: list[Cited] = []
        second: Cited | None = None
        for passage in self.ordered(bounced):
            if len(chosen) == limit or (chosen and passage.score < _WORTH_SHOWING * chosen[0].rated.score):
                break
            if any(_is_covered(passage, other, whole=not bounced.correction.words) for other in fixed):
                continue
            from_same_file = [cited for cited in chosen if cited.rated.path == passage.path]
            if from_same_file and (
                second or from_same_file[0] is not chosen[0] or passage.score < _SECOND_LOOK * chosen[0].rated.score
            ):
                continue
            cited = Cited.from_rated(passage, self.texts[passage.path], self.index, self.ranking)
            if cited is None or any(cited.quote.lines == other.quote.lines for other in chosen):
                continue
            if from_same_file:
                second = cited
            else:
                chosen.append(cited)
        return (*chosen, second) if second else tuple(chosen)

    def ordered(self, bounced: Bounced) -> list[Rated]:
        """Return the passages best first, without removed ones.

        Code in a foreign language is ranked lower, and so are demoted references. Neither applies to files that the
        question or the feedback names.
        """
        removed_spans = bounced.removed_spans
        before = [span for ref in bounced.demoted if (span := BouncedLines.parse(ref))]

        def score(passage: Rated) -> float:
            if mentions(self.index.query.favoured, passage.path):
                return passage.score
            spans = [span for span in (*before, *removed_spans) if span.path == passage.path]
            repeated = any(span.meets(passage.path, passage.passage.start, passage.passage.end) for span in spans)
            wanted = _ASKED_FOR if is_among(passage.path, bounced.correction.wanted) else 1.0
            language_weight = _FOREIGN if is_foreign(passage.path, self.languages) else 1.0
            return (
                wanted
                * language_weight
                * passage.score
                * (_REPEATED_WEIGHT if repeated else _SAME_FILE if spans else 1.0)
            )

        left = [
            passage
            for passage in self.rated
            if (mentions(self.index.query.favoured, passage.path) or not bounced.refuses(passage.path))
            and not any(span.meets(passage.path, passage.passage.start, passage.passage.end) for span in removed_spans)
        ]
        return sorted(left, key=lambda passage: (-score(passage), passage.path, passage.passage.start))


def _is_covered(passage: Rated, other: Cited, *, whole: bool) -> bool:
    """Return whether a passage is in a cited file, or, unless `whole`, overlaps with the cited lines."""
    shared = passage.passage.start <= other.quote.end and passage.passage.end >= other.quote.start
    return passage.path == other.rated.path and (whole or shared)
