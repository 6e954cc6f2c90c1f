"""Candidates for a fix: what failed again and again, by table, and as the brief shows it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from blocks.announcement import build_announcement
from bot.decide.redaction.redactor import Redactor
from bot.decide.silent_exit import SILENT_END
from bot.models.session import Session
from bot.reports.brief import build_brief, read_brief
from bot.reports.flagging import SilentTurns, failed_tools, silent_turns
from bot.reports.metrics import Sources
from sandbox.blockkit import checked_blocks
from tests.builders import T0
from tests.fakes import MemoryJournal, MemorySessions, MemoryStore

URL = "https://sandbox.slack.com/"


def run(number: int, hours_ago: float = 1, **failed: int) -> Session:
    """A run in which tools failed so often."""
    started = T0 - timedelta(hours=hours_ago)
    return Session(
        session_id=f"{started:%Y%m%dT%H%M%S}-r{number}",
        agent="chat",
        model="m",
        started_at=started,
        saved_at=started,
        failed_tools=failed,
        outcome="answered",
    )


@pytest.mark.parametrize(
    ("failures", "flagged"),
    [
        pytest.param([], [], id="no run"),
        pytest.param([{}, {}], [], id="no failure"),
        pytest.param([{"search": 9}], [], id="one run alone"),
        pytest.param([{"search": 1}, {"search": 1}], [], id="too seldom"),
        pytest.param([{"search": 2}, {"search": 1}, {}], [("search", 3, 2, 3, "r1")], id="just enough"),
        pytest.param(
            [{"search": 3, "read_file": 4}, {"search": 1, "read_file": 4}],
            [("read_file", 8, 2, 2, "r1"), ("search", 4, 2, 2, "r1")],
            id="the worst first",
        ),
        pytest.param(
            [{"b": 2}, {"a": 2}, {"a": 1}, {"b": 1}], [("a", 3, 2, 4, "r2"), ("b", 3, 2, 4, "r3")], id="else by name"
        ),
    ],
)
def test_a_tool_is_flagged_for_failing_in_several_runs(
    failures: list[dict[str, int]], flagged: list[tuple[Any, ...]]
) -> None:
    """Three failures over two runs are the least; the example is the newest run."""
    runs = [run(number, 10 - number, **failed) for number, failed in enumerate(failures)]
    found = failed_tools(reversed(runs))
    shown = [(one.tool, one.failures, one.failed_runs, one.runs, one.example.partition("-")[2]) for one in found]
    assert shown == flagged


def silent(turn: str, hours_ago: float = 1, **changes: Any) -> dict[str, Any]:
    """A line of the audit."""
    line = {"kind": SILENT_END, "at": (T0 - timedelta(hours=hours_ago)).isoformat(), "turn_id": turn}
    return {**line, "session_id": None, "why": "no key", "result": "alarmed", **changes}


def test_silent_turns_are_counted_once_each() -> None:
    """A turn whose alarm was noted twice, as after a crash, is one; other lines are none."""
    lines = [silent("t1"), {"kind": "command", "at": T0.isoformat()}, silent("t1"), silent("t2", session_id="s2")]
    assert silent_turns(lines) == SilentTurns(turns=2, unread=0, why="no key", example="s2")
    assert silent_turns([*lines, silent("t3", result="alarmed, unread")]) == SilentTurns(
        turns=3, unread=1, why="no key", example="t3"
    )
    assert silent_turns([{"kind": "command"}]) is None


async def rows(*sessions: Session, audit: list[dict[str, Any]], kind: Any = "brief") -> list[str]:
    """What the brief lists, in a workspace in which nothing else happened."""
    journal = MemoryJournal()
    journal.kept = audit
    empty = {name: MemoryJournal() for name in ("classified", "replies", "labels", "feedback")}
    sources = Sources(audit=journal, sessions=MemorySessions(*sessions), store=MemoryStore(), **empty)
    since = T0 - timedelta(hours=12)
    said = build_brief(
        await read_brief(sources, open_ids=(), since=since, until=T0, redactor=Redactor()), kind, url=URL
    )
    checked_blocks(build_announcement(said)["blocks"])
    assert said.line.startswith("*Morning brief*: nothing came in") or kind != "brief"
    return [*said.rows]


async def test_the_brief_lists_candidates_of_the_last_day() -> None:
    """Also on a calm night, of a whole day though the brief begins at the evening before; older ones are left out."""
    runs = [run(1, 20, search=2), run(2, 2, search=1), run(3, 1), run(4, 30, search=99)]
    assert await rows(*runs, audit=[silent("t0", 30), silent("t1", 20), silent("t2", why="<!here>")]) == [
        "*Candidates for a fix*",
        "• 2 turns of the chat agent ended in silence, such as `t2`: &lt;!here&gt;",
        f"• `search` failed 3 times, in 2 of 3 runs, such as `{runs[1].session_id}`",
    ]


async def test_the_checks_of_an_outage_are_no_run() -> None:
    """They call no tool, and would make failures look rarer."""
    runs = [run(1, 20, search=2), run(2, 2, search=1), run(3).evolve(agent="checks", model="none")]
    assert "3 times, in 2 of 2 runs" in (await rows(*runs, audit=[]))[1]


async def test_nothing_is_listed_where_nothing_is() -> None:
    """And the end of day never lists any: the next morning's brief does."""
    assert await rows(run(1, search=2), audit=[]) == []
    assert await rows(run(1, search=2), run(2, search=2), audit=[silent("t1")], kind="end_of_day") == []


async def test_slack_takes_candidates_of_any_name_and_number() -> None:
    """Names of other programs' tools mint nothing."""
    hostile = {f"`<!channel>&{'x' * 300}{number}": 9 for number in range(200)}
    shown = await rows(run(1, **hostile), run(2, **hostile), audit=[silent("`" * 90, why="&" * 900)])
    assert "<!channel>" not in str(shown)
    assert shown[-1] == "• … and 191 more."
