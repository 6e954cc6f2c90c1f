"""Exact documents after a step: all fields that change, for tables of steps."""

from __future__ import annotations

from typing import Any

from bot.decide.workflow import Transition
from bot.models.effect import Investigate
from bot.models.external import External
from bot.models.sent_file import SentFile
from bot.models.status import Status
from bot.models.status_change import StatusChange
from bot.models.task import Dispatch
from bot.models.thread import Thread
from bot.models.thread_event import ThreadEvent
from tests.builders import ASKER, CHANNEL, LIMITS, TEAM

ROOT = "100.000001"
HOME = f"{TEAM}-{CHANNEL}-{ROOT}"
EXPIRY = LIMITS.expiry
LOG = SentFile(id="F0LOG", name="app.log", filetype="text", size=10)
OUTSIDERS = External(asker=False, channel=True)
ALL: dict[str, Any] = {"names": {ASKER: "Ana"}, "unread": ("a.png",), "shared": ("Bo",), "files": (LOG,)}
"""What a message may have beside its text."""


def same(step: Transition, expected: Transition) -> None:
    """Compare two steps; a difference is shown by its fields."""
    assert step.thread
    assert expected.thread
    expected_fields = dict(expected.thread)
    differ = {name: (value, expected_fields[name]) for name, value in step.thread if value != expected_fields[name]}
    assert not differ, differ
    assert step == expected, (step.effect, expected.effect)


def noted(before: Thread, event: ThreadEvent, status: Status | None = None, **changes: Any) -> Thread:
    """The document after an event that its card shows, perhaps in another status."""
    if status:
        line = StatusChange(at=event.at, previous=before.status, next=status)
        changes |= {"status": status, "status_history": (*before.status_history, line)}
    return before.evolve(revision=before.revision + 1, last_event_at=event.at, **changes)


def closed(before: Thread, event: ThreadEvent, outcome: str, **changes: Any) -> Thread:
    """The document after its end."""
    ending: dict[str, Any] = {"outcome": outcome, "closed_at": event.at, "run_id": None, "due_at": None}
    return noted(before, event, "closed", **(ending | changes))


def waits(before: Thread, event: ThreadEvent, **changes: Any) -> Thread:
    """The document once a draft waits on its first card."""
    times = {"due_at": event.at + EXPIRY, "expires_at": event.at + EXPIRY}
    return noted(before, event, "pending-user", card=before.card.evolve(asks=True), **(times | changes))


def again(before: Thread, event: ThreadEvent, status: Status, **changes: Any) -> Transition:
    """A step that begins another run."""
    number = len({each.journal_file for each in before.dispatches}) + 1
    begun = Dispatch(
        run_id=event.fresh,
        role="investigator",
        cwd="",
        model="keyword",
        started_at=event.at,
        journal_file="investigator.md" if number == 1 else f"investigator-{number}.md",
    )
    run: dict[str, Any] = {
        "due_at": None,
        "waiting": None,
        "run_id": event.fresh,
        "investigator_task_id": event.fresh,
        "question_type": "technical_qa",
        "rubric": 'a technical question, since it says "where is"',
        "investigator_round": before.investigator_round + 1,
        "inbox": (),
        "stale": None,
        "failure": None,
        "stopped_by": None,
        "opening": None,
        "dispatches": (*before.dispatches, begun),
    }
    return Transition(noted(before, event, status, **(run | changes)), Investigate(run_id=event.fresh))


def ended(before: Thread, how: str = "completed") -> tuple[Dispatch, ...]:
    """The dispatches, the last of which has ended."""
    return (*before.dispatches[:-1], before.dispatches[-1].evolve(status=how))
