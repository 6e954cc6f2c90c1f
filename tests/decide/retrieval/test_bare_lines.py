"""Lines that answer nothing by themselves."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.bare_lines import is_bare


@pytest.mark.parametrize(
    ("path", "lines", "bare"),
    [
        ("docs/a.md", ["## Redirects"], True),
        ("docs/a.md", ["# Hosts", "", "## Redirects"], True),
        ("docs/a.md", ["## Redirects", "Hosts are redirected."], False),
        ("docs/a.md", ["Hosts are redirected."], False),
        ("docs/a.rst", ["Redirects", "========="], True),
        ("docs/a.rst", ["Redirects", "=========", "Hosts are redirected."], False),
        ("docs/a.adoc", ["== Redirects"], True),
        ("rules.yml", ["expr: rate(sent_total[5m]) > 0.01"], True),
        ("rules.yml", ["  sum by (job) (", "    rate(sent_total[5m])", "  )"], True),
        ("rules.yml", ["expr: rate(sent_total[5m])", "summary: 'More than one in a hundred failed.'"], False),
        ("panel.json", ['"expr": "sum(rate(sent_total[5m]))",'], True),
        ("settings.yml", ["rate: 5", "max: 10"], False),
        ("job.py", ["total = sum(counts)"], False),
    ],
)
def test_headings_and_queries_are_bare(path: str, lines: list[str], bare: bool) -> None:
    """A heading without its text, and a query of a rule or a dashboard without what it is for."""
    assert is_bare(path, lines) is bare
