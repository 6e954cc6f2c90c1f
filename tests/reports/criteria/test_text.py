"""The acceptance report as text."""

from __future__ import annotations

from bot.reports.criteria import Recorded, build_report
from bot.reports.criteria.text import format_figure, format_report
from tests.reports.criteria.home import NOW, live, session_of, thread_at


def test_each_criterion_has_its_lines() -> None:
    """Its standing with missing cases, its figure with interval and threshold, its definition, trend and note."""
    threads = [thread_at(NOW)]
    report = build_report(Recorded(sessions=[session_of(each, NOW, 1) for each in threads]), now=NOW)
    lines = format_report(report)
    assert lines[0] == "Acceptance criteria on 2026-05-04 09:00 UTC: 0 met, 0 not met, 11 with too few cases."
    at = lines.index("AC-02  Dispatching costs little context: too few cases, 19 missing")
    assert lines[at + 1] == "       0 tokens; threshold: at most 2,000 tokens; 1 case in 28 days."
    assert lines[at + 4 : at + 6] == [
        "       By week, oldest first: -, -, -, -, -, -, -, 0 tokens.",
        "       The agents themselves took 20,901 tokens a question (median).",
    ]
    assert "       -; threshold: 60 to 90 %; 0 cases in 7 days." in lines


def test_a_full_report_fits_a_terminal() -> None:
    """In lines of at most 110 characters, apart from the summary."""
    lines = format_report(build_report(live(1).recorded(), now=NOW))
    assert max(map(len, lines[1:])) <= 110
    assert lines[0].endswith("7 met, 4 not met, 0 with too few cases.")


def test_figures_have_their_units() -> None:
    """Without a figure there is none."""
    assert [format_figure(0.275, "share"), format_figure(1.0, "share"), format_figure(0.0049, "share")] == [
        "27.5 %",
        "100 %",
        "0.5 %",
    ]
    assert (format_figure(None, "share"), format_figure(3_043.4, "seconds")) == ("-", "3,043 s")
