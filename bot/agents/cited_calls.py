"""Call sites for a first question about callers: one per calling function."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.agents.keyword_answer import Cited
from bot.decide.retrieval.call_sites import call_sites, called_names, handing_sites
from bot.decide.retrieval.snippets import stretch
from bot.decide.retrieval.test_files import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.decide.retrieval.query import Query
    from bot.decide.retrieval.ranking import Rated

_MOST = 3
_BESIDE = 2
"""Lines shown before and after a call."""


def cited_calls(
    question: str, query: Query, texts: Mapping[str, Sequence[str]], at: Callable[[str, int], Rated]
) -> list[Cited]:
    """Return the calls to cite, best first; tests and recursive calls come last."""
    for name in called_names(question):
        last = re.split(r"\W+", name)[-1]
        found: dict[tuple[str, int], Cited] = {}
        for path, line in _sites(name, texts):
            rated = at(path, line)
            part = rated.passage
            shown = stretch(texts[path], max(part.start, line - _BESIDE), min(part.end, line + _BESIDE), line)
            if shown and (path, part.start) not in found:
                found[path, part.start] = replace(Cited.opened(rated, shown, texts[path], line), calls=last)
        order = sorted(
            found.values(),
            key=lambda one: (
                is_test(one.rated.path) and not query.tests,
                last in one.rated.passage.names[-1:],
                -one.rated.score,
            ),
        )
        own = [one for one in order if query.tests or not is_test(one.rated.path)] or order
        if own:
            return _spread(own)[:_MOST]
    return []


def _spread(cited: Sequence[Cited]) -> list[Cited]:
    """Order by file: the first place of each file before the second of any."""
    seen: Counter[str] = Counter()
    ranks = []
    for one in cited:
        ranks.append(seen[one.rated.path])
        seen[one.rated.path] += 1
    return [one for _, one in sorted(zip(ranks, cited, strict=True), key=lambda pair: pair[0])]


def _sites(name: str, texts: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """Return the lines with calls, those by the full name alone where there are any.

    Where only tests call it, code that passes it on as a value counts too.
    """
    sites = [(path, line) for path, lines in texts.items() for line in call_sites(name, path, lines)]
    if all(is_test(path) for path, _ in sites):
        sites += [(path, line) for path, lines in texts.items() for line in handing_sites(name, path, lines)]
    whole = [(path, line) for path, line in sites if name in texts[path][line - 1]]
    return whole or sites
