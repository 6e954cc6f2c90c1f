"""Reports at set hours, as the operators see them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.adapters.sessions import SessionFiles
from bot.models.session import Session
from tests.line.conftest import Line, TriageTime
from tests.line.human import cards, newest, until
from tests.line.test_commands import ADMINS, ada

QUESTION = "how often is a payment tried again?"


def briefs(view: dict[str, Any]) -> list[dict[str, Any]]:
    """The morning briefs that a person sees."""
    return [message for message in cards(view) if "Morning brief" in message["text"]]


def at_six(line: Line) -> TriageTime:
    """The bot's clock at six in the morning, as Slack's is then; it goes on from there."""
    now = datetime.now(UTC)
    ahead = (now.replace(hour=6, minute=0, second=0) + timedelta(days=1) - now).total_seconds() / 3600
    line.slack_time.hours = ahead
    return TriageTime(ahead)


async def failed_runs(line: Line, now: datetime) -> None:
    """Two runs of an hour ago, in each of which the same tool failed twice."""
    started = now - timedelta(hours=1)
    files = SessionFiles(line.home / "sessions")
    for name in ("a", "b"):
        values: dict[str, Any] = {"agent": "investigator", "model": "m", "started_at": started, "saved_at": started}
        run_id = f"{started:%Y%m%dT%H%M%S}-{name}"
        await files.save(Session(session_id=run_id, outcome="answered", failed_tools={"search": 2}, **values))


async def test_the_brief_comes_once_at_its_hour(line: Line) -> None:
    """Over restarts, also of a process that died before it noted it; `/triage brief` shows it at any time."""
    clock, reports = at_six(line), "{brief_at: '08:00', end_of_day_at: off, weekly_at: off}"
    path = line.home / "schedule.json"
    await failed_runs(line, clock.now())
    async with line.bot(clock=clock, more=ADMINS, reports=reports):
        await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        said = await line.olu.command("brief")
        assert said.startswith("*Morning brief*, since ")
        assert "1 question came in; 1 waits for a decision" in said
        assert QUESTION in said
        assert "*Candidates for a fix*\n• `search` failed 4 times, in 2 of 2 runs, such as `2" in said
        assert "Only operators" in await line.ana.command("brief")
        criteria = await line.olu.command("report")
        assert "Acceptance criteria: 0 met" in criteria
        assert "AC-01 The classifier keeps most messages from the agents; too few cases, 99 missing" in criteria
        assert briefs(await line.olu.now()) == []
        clock.move(2.1)
        [brief] = await line.olu.sees(briefs)
        assert newest([brief], ("Waiting, oldest first", QUESTION, "Came in"))
    notes: tuple[list[str] | None, ...] = (None, [])
    for note in notes:
        if note is not None:
            path.write_text(json.dumps(json.loads(path.read_text()) | {"brief": note}))
        async with line.bot(clock=clock, more=ADMINS, reports=reports):
            await line.ana.say(f"{QUESTION} once more, please")
            await line.olu.card("once more, please", "Approve")
            clock.move(1)
            assert "Running" in await ada(line).command("status")
            await until(lambda: len(json.loads(path.read_text())["brief"]) == 1)
    assert len(briefs(await line.olu.now())) == 1
