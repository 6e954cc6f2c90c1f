"""Lines without an answer of their own: headings without their text, and queries without a description. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADING = re.compile(r"\s*(?:[#=]{1,6}\s.*|([=\-~^\"'`*+#])\1{2,}\s*|<[^<>]+>\s*)$")
_UNDERLINE = re.compile(r"\s*([=\-~^\"'`*+#])\1{2,}\s*$")
_QUERIES = re.compile(r"\.(?:ya?ml|json|jsonnet|libsonnet|toml|rules)$", re.IGNORECASE)
_QUERY = re.compile(
    r"\b(?:i?rate|i?delta|increase|sum|avg|min|max|count|topk|quantile|histogram_quantile|absent|\w+_over_time)"
    r"\s*(?:(?:by|without)\s*\([^()]*\)\s*)?\(|\bselect\b.{1,200}\bfrom\b|\bexpr[\"']?\s*:",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(
    r"^\s*(?:-\s*)?[\"']?(?:summary|description|message|help|title|doc|note)[\"']?\s*[:=]\s*\S+(?:\s+\S+){3,}"
    r"|^\s*(?:#|//)\s*\S+(?:\s+\S+){3,}",
    re.IGNORECASE,
)


def is_bare(path: str, lines: Sequence[str]) -> bool:
    """Return whether lines of a file are only headings, or contain a query without a sentence that describes it."""
    content_lines = [line for line in lines if line.strip()]
    if is_document(path):
        titles = {at - 1 for at, line in enumerate(content_lines) if _UNDERLINE.match(line)}
        return all(at in titles or _HEADING.match(line) for at, line in enumerate(content_lines))
    return (
        bool(_QUERIES.search(path))
        and any(map(_QUERY.search, content_lines))
        and not any(map(is_description_line, content_lines))
    )


def is_description_line(line: str) -> bool:
    """Return whether a line of a rule or a dashboard is its description in words."""
    return bool(_DESCRIPTION.match(line))
