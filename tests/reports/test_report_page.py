"""The page of the acceptance report: one file that loads nothing, with a row and a plot for each criterion."""

from __future__ import annotations

from datetime import date
from html.parser import HTMLParser
from typing import Any

from bot.models.cost import Cost
from bot.reports.criteria import Recorded, build_report
from bot.reports.report_page import render_page
from bot.reports.spending import Spending
from tests.reports.criteria.home import NOW, live

HOSTILE = "shop<script>alert(1)</script>"


class Elements(HTMLParser):
    """All elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep it."""
        self.text += f"{data} "

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a name."""
        return [attributes for name, attributes in self.found if name == tag]


def spent(project: str = "shop", **changes: Any) -> Spending:
    """A row of costs."""
    values: dict[str, Any] = {
        "week": date(2026, 4, 27),
        "project": project,
        "cost": Cost(usd=12.5),
        "by_agent": {},
        "answers": 5,
        "without_model": {"keyword": 2},
        "usd_by_model": 2.0,
    }
    return Spending(**(values | changes))


def test_each_criterion_has_its_row_and_its_plot() -> None:
    """With the figures of each week as words for those who do not see it."""
    report = build_report(live(1).recorded(), now=NOW)
    elements = Elements(render_page(report, [spent()]))
    plotted = [each for each in report.criteria if any(week.figure is not None for week in each.trend)]
    assert len(plotted) > 5
    assert [svg["role"] for svg in elements.named("svg")] == ["img"] * len(plotted)
    for criterion, svg in zip(plotted, elements.named("svg"), strict=True):
        assert str(svg["aria-label"]).startswith(f"{criterion.name}, by week: 2026-")
    for criterion in report.criteria:
        assert criterion.id in elements.text
        assert criterion.definition in elements.text
    assert "$12.50 5 $2.50 2 keyword $4.00" in elements.text


def test_an_empty_home_has_a_page() -> None:
    """Without any plot or cost, and nothing is met."""
    elements = Elements(render_page(build_report(Recorded(), now=NOW), []))
    assert elements.named("svg") == []
    assert "Cost of approved answers" not in elements.text
    assert "0 met" in elements.text


def test_nothing_is_loaded_or_run() -> None:
    """Whatever a project is called; the page's own policy forbids it, too."""
    elements = Elements(render_page(build_report(live(1).recorded(), now=NOW), [spent(HOSTILE), spent("", answers=0)]))
    names = {name for name, _ in elements.found}
    assert not names & {"script", "link", "img", "iframe", "object", "a", "form"}
    assert HOSTILE in elements.text
    policies = [str(meta["content"]) for meta in elements.named("meta") if "http-equiv" in meta]
    assert [policy.startswith("default-src 'none'") for policy in policies] == [True]
