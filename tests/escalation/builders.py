"""Tasks, returns and handoffs for tests, each valid as it is and changed by keyword."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.models.escalation import EscalationTask, HeadlessReturn
from bot.models.findings import Assignment, EngineReport
from bot.models.handoff import QuestionHandoff
from bot.models.session import Session
from bot.models.turn import Usage
from tests.builders import T0, findings

THREAD = "T0SANDBOX-C0HELP-100.000001"
FIRST, SECOND = "20260105T090000-first", "20260105T093000-second"


def assignment(**changes: Any) -> Assignment:
    """An assignment without projects."""
    return Assignment(**{"question": "Why did it take so long?", "projects": (), "task": "take-long-0105"} | changes)


def task(**changes: Any) -> EscalationTask:
    """The task of a run of tier 2."""
    values: dict[str, Any] = {
        "session_id": FIRST,
        "thread_id": THREAD,
        "run_id": "run1",
        "tier": 2,
        "assignment": assignment(),
        "home": Path("/home"),
        "usd": 1.0,
        "seconds": 1800.0,
    }
    return EscalationTask(**values | changes)


def session(**changes: Any) -> Session:
    """A session of a run of tier 2."""
    values: dict[str, Any] = {
        "session_id": FIRST,
        "agent": "investigator",
        "tier": 2,
        "model": "claude-opus-5-5",
        "thread_id": THREAD,
        "started_at": T0,
        "saved_at": T0,
        "usage": Usage(),
    }
    return Session(**values | changes)


def returned(**changes: Any) -> HeadlessReturn:
    """A return with a report."""
    report = EngineReport(project="shop", engine="claude", findings=findings())
    return HeadlessReturn(**{"session_id": FIRST, "outcome": "answered", "report": report} | changes)


def handoff(**changes: Any) -> QuestionHandoff:
    """A handoff of a question to tier 3."""
    values: dict[str, Any] = {
        "kind": "question",
        "schema_version": 1,
        "recommended_tier": 3,
        "thread_id": THREAD,
        "question": "Why did it take so long?",
        "rubric": "technical_qa",
        "findings": "The queue was full from 9:00 to 9:40.",
        "missing": "the logs of the week before",
    }
    return QuestionHandoff(**values | changes)
