"""Rated passages of one project: in which order they are cited, and what of them, after a bounce too."""

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

_AGAIN = 0.3
"""What a passage of the bounced draft still counts."""
_FOREIGN = 0.7
"""What a passage counts that is code of a language which the project does not name."""
_ASKED_FOR = 3.0
"""What a passage gains in a file of a kind that was asked for."""
_SAME_FILE = 0.7
"""What the other passages of its file still count."""
_WORTH_SHOWING = 0.4
"""A passage is shown when it scores at least this share of the best one."""
_SECOND_LOOK = 0.85
"""A second passage of the best file is shown from this share on."""


@dataclass
class RatedPassages:
    """The passages of the files that were read."""

    ground: SearchIndex
    ranking: Ranking
    texts: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...]
    rated: list[Rated] = field(default_factory=list)

    def best(self, bounced: Bounced, fixed: Sequence[Cited], most: int) -> tuple[Cited, ...]:
        """Passages with their quotes: the best of each of the best files, then a second one of the first file."""
        chosen: list[Cited] = []
        second: Cited | None = None
        for one in self.ordered(bounced):
            if len(chosen) == most or (chosen and one.score < _WORTH_SHOWING * chosen[0].rated.score):
                break
            if any(_stands_in(one, other, whole=not bounced.correction.words) for other in fixed):
                continue
            seen = [cited for cited in chosen if cited.rated.path == one.path]
            if seen and (second or seen[0] is not chosen[0] or one.score < _SECOND_LOOK * chosen[0].rated.score):
                continue
            cited = Cited.of(one, self.texts[one.path], self.ground, self.ranking)
            if cited is None or any(cited.quote.lines == other.quote.lines for other in chosen):
                continue
            if seen:
                second = cited
            else:
                chosen.append(cited)
        return (*chosen, second) if second else tuple(chosen)

    def ordered(self, bounced: Bounced) -> list[Rated]:
        """Best first, without what was taken out; code of a foreign language comes further down, and so does what the
        bounced draft cited, where that was called wrong as a whole. Neither where the question or the feedback names
        the file.
        """
        gone = bounced.gone_spans
        before = [span for ref in bounced.lower if (span := BouncedLines.of(ref))]

        def score(one: Rated) -> float:
            if mentions(self.ground.query.favoured, one.path):
                return one.score
            spans = [span for span in (*before, *gone) if span.path == one.path]
            repeated = any(span.meets(one.path, one.passage.start, one.passage.end) for span in spans)
            wanted = _ASKED_FOR if is_among(one.path, bounced.correction.wanted) else 1.0
            known = _FOREIGN if is_foreign(one.path, self.languages) else 1.0
            return wanted * known * one.score * (_AGAIN if repeated else _SAME_FILE if spans else 1.0)

        left = [
            one
            for one in self.rated
            if (mentions(self.ground.query.favoured, one.path) or not bounced.refuses(one.path))
            and not any(span.meets(one.path, one.passage.start, one.passage.end) for span in gone)
        ]
        return sorted(left, key=lambda one: (-score(one), one.path, one.passage.start))


def _stands_in(one: Rated, other: Cited, *, whole: bool) -> bool:
    """Return whether a passage lies in a file that is cited already, or, unless `whole`, shares lines with what is
    cited."""
    shared = one.passage.start <= other.quote.end and one.passage.end >= other.quote.start
    return one.path == other.rated.path and (whole or shared)
