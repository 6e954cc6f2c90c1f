"""The demonstration team: its home is read by `triage report` as it was written."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.home import Home
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.reports.criteria import build_report
from bot.reports.spending import count_spending
from bot.wiring.file_storage import FileStorage
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
    recorded = await read_recorded(Home(tmp_path), FileStorage(tmp_path), classifier, now=now)
    assert (len(recorded.threads), len(recorded.replies)) == (WEEKS * QUESTIONS, WEEKS * QUESTIONS)
    assert len(recorded.sessions) == len(records.sessions)
    report = build_report(recorded, now=now)
    standings = [each.standing for each in report.criteria]
    assert (standings.count("met"), standings.count("too few cases")) == (9, 2)


async def test_the_costs_are_those_of_the_files(tmp_path: Path) -> None:
    """Recomputed from the raw files of the home, without any code of the report."""
    now = datetime(2026, 11, 26, 9, tzinfo=UTC)
    await write_home(tmp_path, record_team(3, now), now)
    project_of = {
        path.stem: json.loads(path.read_text())["thread"]["1"]["project"]
        for path in (tmp_path / "state").glob("T0*.json")
    }
    spent: dict[tuple[str, str], float] = defaultdict(float)
    answers: dict[tuple[str, str], int] = defaultdict(int)
    for session in (json.loads(path.read_text()) for path in (tmp_path / "sessions").glob("*.json")):
        begun = datetime.fromisoformat(session["started_at"]).astimezone(ZoneInfo("Europe/Berlin"))
        spent[f"{begun:%G-W%V}", project_of.get(session["thread_id"], "")] += session["cost_usd"]
    for line in (tmp_path / "replies.ndjson").read_text().splitlines():
        reply = json.loads(line)
        posted = datetime.fromisoformat(reply["posted_at"]).astimezone(ZoneInfo("Europe/Berlin"))
        answers[f"{posted:%G-W%V}", reply["project"]] += 1
    classifier = StreamClassifier(compile_rules(bot_id="U0"))
    recorded = await read_recorded(Home(tmp_path), FileStorage(tmp_path), classifier, now=now)
    rows = count_spending(
        sessions=recorded.sessions, replies=recorded.replies, threads=recorded.threads, zone="Europe/Berlin"
    )
    found = {(f"{row.week:%G-W%V}", row.project): (round(row.cost.usd, 4), row.answers) for row in rows}
    assert found == {key: (round(spent[key], 4), answers[key]) for key in {*spent, *answers}}
    assert len(found) > 10
