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

_MAX_CALLS = 3
_BESIDE = 2
"""Lines shown before and after a call."""


def find_cited_calls(
    question: str, query: Query, texts: Mapping[str, Sequence[str]], at: Callable[[str, int], Rated]
) -> list[Cited]:
    """Return the calls to cite, best first; tests and recursive calls come last."""
    for name in called_names(question):
        last = re.split(r"\W+", name)[-1]
        by_function: dict[tuple[str, int], Cited] = {}
        for path, line in _sites(name, texts):
            rated = at(path, line)
            part = rated.passage
            snippet = stretch(texts[path], max(part.start, line - _BESIDE), min(part.end, line + _BESIDE), line)
            if snippet and (path, part.start) not in by_function:
                by_function[path, part.start] = replace(Cited.from_lines(rated, snippet, texts[path], line), calls=last)
        order = sorted(
            by_function.values(),
            key=lambda call: (
                is_test(call.rated.path) and not query.asks_tests,
                last in call.rated.passage.names[-1:],
                -call.rated.score,
            ),
        )
        own = [call for call in order if query.asks_tests or not is_test(call.rated.path)] or order
        if own:
            return _spread(own)[:_MAX_CALLS]
    return []


def _spread(cited: Sequence[Cited]) -> list[Cited]:
    """Order by file: the first place of each file before the second of any."""
    counts: Counter[str] = Counter()
    ranks = []
    for call in cited:
        ranks.append(counts[call.rated.path])
        counts[call.rated.path] += 1
    return [call for _, call in sorted(zip(ranks, cited, strict=True), key=lambda pair: pair[0])]


def _sites(name: str, texts: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """Return the lines with calls, those by the full name alone where there are any.

    Where only tests call it, code that passes it on as a value counts too.
    """
    sites = [(path, line) for path, lines in texts.items() for line in call_sites(name, path, lines)]
    if all(is_test(path) for path, _ in sites):
        sites += [(path, line) for path, lines in texts.items() for line in handing_sites(name, path, lines)]
    whole = [(path, line) for path, line in sites if name in texts[path][line - 1]]
    return whole or sites
