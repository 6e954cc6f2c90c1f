"""The baseline of a team: measured from an export on disk, kept in the home, and measured alike since."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.cli.baseline import measure_export
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.errors import Misconfigured
from bot.reports.baseline import measure_weeks
from bot.wiring.file_storage import FileStorage
from bot.wiring.report_records import keep_baseline, read_baseline

if TYPE_CHECKING:
    from pathlib import Path

START = 1_767_600_000
ASKED = "how do I reset my password? it says 'account locked'"


def classifier() -> StreamClassifier:
    """The built-in rules."""
    return StreamClassifier(compile_rules(bot_id="U0"))


def said(user: str, seconds: float, text: str, *, root: float | None = None) -> dict[str, Any]:
    """A message of Slack."""
    thread = {} if root is None else {"thread_ts": f"{START + root:.6f}"}
    return {"type": "message", "user": user, "ts": f"{START + seconds:.6f}", "text": text, **thread}


WEEK = [
    said("U0BEN", 400, "unlock it in the admin page", root=0),
    said("U0ANA", 0, ASKED),
    said("U0ANA", 1_000, "why does the build of main fail since noon?"),
    said("U0BEN", 1_090, "the cache is full, I cleared it", root=1_000),
    said("U0BEN", 2_000, "lunch!"),
]


def export(folder: Path) -> Path:
    """An unpacked export of one channel."""
    (folder / "help-platform").mkdir(parents=True)
    (folder / "channels.json").write_text(json.dumps([{"id": "C0HELP", "name": "help-platform"}]))
    (folder / "help-platform" / "2026-01-05.json").write_text(json.dumps(WEEK))
    return folder


async def test_an_export_is_measured_and_kept(tmp_path: Path) -> None:
    """In the order of the messages' times; a second one replaces it."""
    baseline = measure_export(export(tmp_path / "export"), classifier(), until=None)
    assert [(each.channel, each.name, each.seconds) for each in baseline.channels] == [
        ("C0HELP", "help-platform", (90, 400))
    ]
    assert await read_baseline(FileStorage(tmp_path)) == (None, "")
    await keep_baseline(FileStorage(tmp_path), baseline)
    await keep_baseline(FileStorage(tmp_path), baseline.evolve(source="again"))
    assert await read_baseline(FileStorage(tmp_path)) == (baseline.evolve(source="again"), "")


def test_what_triage_may_have_answered_is_no_baseline(tmp_path: Path) -> None:
    """Only messages before it came count."""
    came = datetime.fromtimestamp(START + 500, UTC)
    baseline = measure_export(export(tmp_path / "export"), classifier(), until=came)
    assert baseline.seconds == (400,)
    with pytest.raises(Misconfigured, match="found no message before"):
        measure_export(tmp_path / "export", classifier(), until=datetime.fromtimestamp(START, UTC))


def test_the_time_since_is_measured_alike(tmp_path: Path) -> None:
    """The journals of a home with the same messages give the same times, and replies of Triage are answers."""
    records = [
        {
            "content": message["text"],
            "team_id": "T0",
            "chat_id": "C0HELP",
            "chat_name": "help-platform",
            "message_id": message["ts"],
            "thread_id": f"T0-C0HELP-{message['thread_ts']}" if "thread_ts" in message else None,
            "sender": {"id": message["user"], "type": "user"},
        }
        for message in WEEK
    ]
    before = measure_export(export(tmp_path / "export"), classifier(), until=None)
    now = datetime.fromtimestamp(START, UTC) + timedelta(days=6)
    [since] = measure_weeks(records, [], classifier(), now=now, weeks=1)
    assert since
    assert since.channels == before.channels
    reply = {
        "thread_id": f"T0-C0HELP-{START + 1_000:.6f}",
        "posted_at": datetime.fromtimestamp(START + 1_030, UTC).isoformat(),
    }
    damaged = [*records, {"content": 3}], [reply, {"posted_at": "soon"}]
    [faster] = measure_weeks(*damaged, classifier(), now=now, weeks=1)
    assert faster
    assert faster.seconds == (30, 400)


def test_a_question_counts_in_the_week_in_which_it_was_asked() -> None:
    """Also if its answer came in the next one."""
    records = [
        {
            "content": "where is the limit of retries set?" if user == "U0ANA" else "in the settings",
            "team_id": "T0",
            "chat_id": "C0HELP",
            "message_id": f"{START + seconds:.6f}",
            "thread_id": f"T0-C0HELP-{START + root:.6f}" if root != seconds else None,
            "sender": {"id": user, "type": "user"},
        }
        for user, seconds, root in (
            ("U0ANA", 0, 0),
            ("U0BEN", 7_200, 0),
            ("U0ANA", 8_000, 8_000),
            ("U0BEN", 8_030, 8_000),
        )
    ]
    now = datetime.fromtimestamp(START, UTC) + timedelta(days=7, hours=1)
    weeks = measure_weeks(records, [], classifier(), now=now, weeks=2)
    assert [week and week.seconds for week in weeks] == [(7_200,), (30,)]
    assert measure_weeks([], [], classifier(), now=now, weeks=2) == [None, None]
