"""The demonstration team: its home is read by `triage report` as it was written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.adapters.home import Home
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.reports.criteria import build_report
from bot.wiring.report_records import read_recorded
from measure.recorded_team import QUESTIONS, WEEKS, record_team, write_home

if TYPE_CHECKING:
    from pathlib import Path


async def test_the_report_of_the_team_has_every_criterion(tmp_path: Path) -> None:
    """Two have too few cases, as the page of the documents shows; nothing of the four weeks is lost."""
    now = datetime(2026, 11, 26, 9, tzinfo=UTC)
    records = record_team(2, now)
    await write_home(tmp_path, records, now)
    classifier = StreamClassifier(compile_rules(bot_id="U0"))
    recorded = await read_recorded(Home(tmp_path), classifier, now=now)
    assert (len(recorded.threads), len(recorded.replies)) == (WEEKS * QUESTIONS, WEEKS * QUESTIONS)
    assert len(recorded.sessions) == len(records.sessions)
    report = build_report(recorded, now=now)
    standings = [each.standing for each in report.criteria]
    assert (standings.count("met"), standings.count("too few cases")) == (9, 2)
