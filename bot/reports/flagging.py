"""Candidates for a fix: tools that failed repeatedly within a day, and chat turns that ended in silence.

A daily pass over run records and the audit log, listed in the morning brief (spec 4). A single failure may be an
agent's wrong call; failures in several runs point to the tool.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape, format_count
from bot.decide.silent_exit import SILENT_END
from bot.reports.records import records_since

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.models.session import Session
    from bot.reports.metrics import Sources

DAY = timedelta(days=1)
FAILURES = 3
"""Minimum number of failures within the day that make a tool a candidate."""
RUNS = 2
"""Minimum number of runs with a failure."""
_LONGEST = 80


@dataclass(frozen=True, kw_only=True)
class FailedTool:
    """A tool that failed repeatedly; `example` is the newest run in which it did."""

    tool: str
    failures: int
    failed_runs: int
    runs: int
    """Number of all runs of the day."""
    example: str


@dataclass(frozen=True, kw_only=True)
class SilentTurns:
    """Turns that ended without a reply to the asker; `example` is the newest one, named by its run if known."""

    turns: int
    unread: int
    """Turns for which Slack could not be read, so that an answer may have been posted."""
    why: str
    example: str


async def find_fix_candidates(sources: Sources, until: datetime) -> tuple[str, ...]:
    """Return the rows of the brief for the day before `until`, as mrkdwn."""
    since = until - DAY
    sessions = [
        session
        for session in await sources.sessions.list_since(since.date())
        if session.uses_model and since <= session.started_at < until
    ]
    silent = silent_turns(await records_since(sources.audit, "at", since))
    rows = [_tool_row(tool) for tool in failed_tools(sessions)]
    return (*([_silent_row(silent)] if silent else []), *rows)


def failed_tools(sessions: Iterable[Session]) -> tuple[FailedTool, ...]:
    """Return the tools with enough failures over these runs of a day, the worst first."""
    runs = sorted(sessions, key=lambda session: session.started_at)
    failures: Counter[str] = Counter()
    failed_in: dict[str, list[str]] = {}
    for session in runs:
        for tool, count in session.failed_tools.items():
            failures[tool] += count
            failed_in.setdefault(tool, []).append(session.session_id)
    return tuple(
        FailedTool(
            tool=tool, failures=count, failed_runs=len(failed_in[tool]), runs=len(runs), example=failed_in[tool][-1]
        )
        for tool, count in sorted(failures.items(), key=lambda each: (-each[1], each[0]))
        if count >= FAILURES and len(failed_in[tool]) >= RUNS
    )


def silent_turns(audit: Iterable[dict[str, Any]]) -> SilentTurns | None:
    """Count the silent ends among these lines of the audit log, each turn once; `None` for none."""
    ends = {str(record["turn_id"]): record for record in audit if record.get("kind") == SILENT_END}
    if not ends:
        return None
    newest = [*ends.values()][-1]
    return SilentTurns(
        turns=len(ends),
        unread=sum("unread" in str(record["result"]) for record in ends.values()),
        why=str(newest["why"]),
        example=str(newest["session_id"] or newest["turn_id"]),
    )


def _tool_row(tool: FailedTool) -> str:
    share = f"in {tool.failed_runs} of {format_count(tool.runs, 'run')}"
    return f"{_code(tool.tool)} failed {format_count(tool.failures, 'time')}, {share}, such as {_code(tool.example)}"


def _silent_row(silent: SilentTurns) -> str:
    many = f"{format_count(silent.turns, 'turn')} of the chat agent ended in silence"
    unread = f" (Slack could not be read for {silent.unread})" if silent.unread else ""
    return f"{many}{unread}, such as {_code(silent.example)}: {escape(clip(silent.why, 2 * _LONGEST))}"


def _code(word: str) -> str:
    return f"`{escape(clip(word, _LONGEST)).replace('`', chr(39))}`"
