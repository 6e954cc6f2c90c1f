"""`triage report` on a home on disk."""

from __future__ import annotations

import argparse
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.sessions import SessionFiles
from bot.cli import report
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.errors import Misconfigured
from bot.models.message_sample import MessageSample
from bot.reports.criteria import Recorded, build_report
from bot.runtime.system_events import STARTED
from bot.wiring.file_storage import FileStorage
from bot.wiring.report_records import find_first_message, keep_baseline, read_recorded
from tests.cli.test_baseline import export
from tests.reports.criteria.home import NOW, evaluation, live, row


async def write(folder: Path) -> Home:
    """Write a part of the home of the tests of criteria, with some lines that do not parse."""
    home, recorded = Home(folder), live(1)
    for path, records in ((home.classified, recorded.classified), (home.replies, recorded.replies)):
        path.write_text("".join(f"{json.dumps(each)}\n" for each in [*records[:200], {"at": 3}]))
    for thread in recorded.threads[:20]:
        await Documents(home.state, stop=None).save(thread)
    for session in recorded.sessions[:60]:
        await SessionFiles(home.sessions).save(session)
    lines = [{"at": f"{at:%Y-%m-%dT%H:%M:%S%z}", "message": STARTED % (1, 2, 3)} for at in recorded.starts]
    home.system.write_text(
        "".join(f"{json.dumps(each)}\n" for each in lines) + f"not JSON {STARTED % (1, 2, 3)}\n{{}}\n"
    )
    sample = MessageSample(
        day=NOW.date(), operator="U0OPS", drawn_at=NOW, messages=9, rows=tuple(recorded.samples[:50])
    )
    home.samples.write_text(json.dumps({"2026-05-04": sample.model_dump(mode="json"), "2026-04-27": {}}))
    home.evaluations.mkdir()
    (home.evaluations / "20260501.json").write_text(evaluation(NOW, row("wrong path", 3, 3, 3)).model_dump_json())
    (home.evaluations / "20260502.json").write_text("{")
    assert recorded.before
    await keep_baseline(FileStorage(home.path), recorded.before)
    return home


async def test_the_figures_are_those_of_the_records(tmp_path: Path) -> None:
    """As counted from the same records in memory."""
    home, recorded = await write(tmp_path), live(1)
    classifier = StreamClassifier(compile_rules(bot_id="U0"))
    found = build_report(await read_recorded(home, FileStorage(home.path), classifier, now=NOW), now=NOW)
    expected = build_report(
        Recorded(
            classified=recorded.classified[:200],
            replies=recorded.replies[:200],
            threads=recorded.threads[:20],
            sessions=recorded.sessions[:60],
            starts=[at.replace(microsecond=0) for at in recorded.starts],
            samples=recorded.samples[:50],
            evaluations=[evaluation(NOW, row("wrong path", 3, 3, 3))],
            before=recorded.before,
        ),
        now=NOW,
    )
    assert [each.evolve(trend=()) for each in found.criteria] == [each.evolve(trend=()) for each in expected.criteria]
    assert found.criteria[3].standing == "met"


def options(folder: Path, **changes: Any) -> argparse.Namespace:
    """The options of a call."""
    values = {"home": folder, "config": None, "json": False, "baseline": None, "html": None}
    return argparse.Namespace(**(values | changes))


def test_a_baseline_is_measured_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is kept in the home, and compared with from then on."""
    home = tmp_path / "home"
    home.mkdir()
    assert report.main(options(home, baseline=str(export(tmp_path / "export")))) == 0
    assert "No baseline: 18 answers from before Triage are missing" in capsys.readouterr().out
    assert report.main(options(home, json=True)) == 0
    criteria = json.loads(capsys.readouterr().out)["criteria"]
    assert [each["id"] for each in criteria] == [f"AC-{number:02}" for number in range(1, 12)]
    assert criteria[9]["missing"] == 20


def test_reading_creates_nothing_in_a_home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where it has no record at all."""
    assert report.main(options(tmp_path)) == 0
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("content", ["{}", "{", ""])
def test_what_is_damaged_is_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """The baseline in its criterion, documents of threads with their number and place; another one replaces it."""
    (tmp_path / "baseline.json").write_text(content)
    (tmp_path / "state").mkdir()
    ids = [f"T0SANDBOX-C0HELP-{time.time() - age:.6f}" for age in (400, 300, 200, 100)]
    for name in ids:
        (tmp_path / "state" / f"{name}.json").write_text(content)
    assert report.main(options(tmp_path, html=tmp_path / "page.html")) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"No comparison: baseline.json in {tmp_path} does not parse" in out
    left_out = f"Left out: 4 documents of threads do not parse, in {tmp_path}: {', '.join(ids[:3])}, …."
    assert left_out in out
    assert left_out in (tmp_path / "page.html").read_text()
    assert report.main(options(tmp_path, baseline=str(export(tmp_path / "export")))) == 0
    assert "does not parse" not in capsys.readouterr().out


async def test_triage_came_with_its_first_message(tmp_path: Path) -> None:
    """Records without one are passed over; without any it has not come."""
    home = Home(tmp_path)
    classified = FileStorage(home.path).journal("events-classified", None)
    assert await find_first_message(classified) is None
    home.classified.write_text('{"message_id": "odd"}\n{"message_id": "1767600000.000100"}\n')
    assert await find_first_message(classified) == datetime.fromtimestamp(1_767_600_000.0001, UTC)


def test_a_home_is_needed(tmp_path: Path) -> None:
    """Nothing is created."""
    with pytest.raises(Misconfigured, match="there is no home, which the first `triage run` makes; name another"):
        report.main(options(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
