"""Kinds of errors of tasks, by table: from the end of the run, else from its agent's session."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from bot.decide.endings import why_of
from bot.decide.task_errors import find_error
from bot.errors import Misconfigured, NoKey, OverCap, Refused, Stalled, Stopped, Unreachable
from bot.models.external import KEPT_BACK
from bot.models.task import Abort
from bot.models.task_error import ErrorKind
from bot.models.thread_event import Dismiss, Redraft, RunFailed, Stop
from bot.models.verdict import GateVerdict
from tests.builders import at, fresh, moved, ran
from tests.decide.test_workflow import investigating, pending, press

if TYPE_CHECKING:
    from bot.errors import TriageError
    from bot.models.thread import Thread


def failed(why: str | None, *sessions: str) -> Thread:
    """A task whose run ended for a reason, after sessions of its agent with these outcomes."""
    thread = investigating()
    runs = tuple(ran(number, outcome=outcome) for number, outcome in enumerate(sessions))
    event = RunFailed(at=at(9), fresh=fresh(), run_id=thread.run_id or "", reason="it is over", why=why, runs=runs)
    return moved(thread, event)


def kind(thread: Thread) -> ErrorKind | None:
    """The kind of its last error."""
    error = find_error(thread)
    return error.kind if error else None


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("no-key", "no-key"),
        ("unreachable", "unreachable"),
        ("stalled", "stalled"),
        ("over-cap", "over-cap"),
        ("time", "time"),
        ("limit", "limit"),
        ("repeats", "repeats"),
        ("ping-pong", "repeats"),
        ("same-error", "repeats"),
        ("stopped", "stopped"),
        ("settings", "settings"),
        (KEPT_BACK, "settings"),
        (None, "crashed"),
    ],
)
def test_the_end_of_a_run_names_its_kind(why: str | None, expected: ErrorKind) -> None:
    """With the reason and the run."""
    error = find_error(failed(why))
    assert error
    assert (error.kind, error.reason) == (expected, "it is over")
    assert error.run
    assert error.run.journal_file == "investigator.md"


@pytest.mark.parametrize(
    ("sessions", "expected"),
    [
        (("refused",), "refused-request"),
        (("answered", "unusable"), "unusable"),
        (("unusable", "failed"), "crashed"),
        (("limit", "answered"), "limit"),
        (("died",), "crashed"),
        (("answered",), "crashed"),
    ],
)
def test_a_run_that_only_failed_is_explained_by_its_agents_last_session(
    sessions: tuple[str, ...], expected: ErrorKind
) -> None:
    """That of the agent which ended without an answer."""
    assert kind(failed(None, *sessions)) == expected
    assert kind(failed("over-cap", *sessions)) == "over-cap"


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (NoKey("no key"), "no-key"),
        (OverCap("the day's money", limit="day"), "over-cap"),
        (Unreachable("no answer"), "unreachable"),
        (Stalled("the model", seconds=60), "stalled"),
        (Stopped("twice the same", why="repeats"), "repeats"),
        (Refused("the settings start no tier 2 any more", code="not_escalated"), "settings"),
        (Misconfigured("a folder that is gone"), "settings"),
        (Refused("400", code="400"), "crashed"),
    ],
)
def test_the_error_of_a_run_leads_to_its_kind(problem: TriageError, expected: ErrorKind) -> None:
    """From the exception to the document."""
    assert kind(failed(why_of(problem))) == expected


def test_every_reason_to_abort_a_run_has_a_kind_or_is_a_decision() -> None:
    """A new one must be classified."""
    decisions = {"superseded", "dismissed", "withdrawn", "muted", "taken-over", "settled", "recovered"}
    assert {why for why in get_args(Abort) if kind(failed(why)) == "crashed"} == decisions


def test_a_persons_stop_is_no_failure_of_the_agent() -> None:
    """Before any run as well."""
    thread = investigating()
    assert kind(moved(thread, press(Stop, thread))) == "stopped"


def test_a_draft_that_was_sent_back_for_its_evidence_is_refused() -> None:
    """Until a person edits it."""
    verdict = GateVerdict(verdict="bounce", reasons=("`a.py:1` is gone.",), checks=())
    refused = pending().evolve(verdict=verdict)
    error = find_error(refused)
    assert error
    assert (error.kind, error.reason, error.run) == ("refused-evidence", "`a.py:1` is gone.", None)
    draft = refused.draft_pending
    assert draft
    assert find_error(refused.evolve(draft_pending=draft.evolve(edited_by="U0OPS"))) is None


def test_a_draft_without_a_validator_names_its_validators_error() -> None:
    """The run of the investigator is fine."""
    thread = pending().evolve(unvalidated="no answer", runs=(ran(1), ran(2, "validator", outcome="unreachable")))
    assert kind(thread) == "unreachable"


def test_a_draft_of_the_fallback_engine_names_the_first_engines_error() -> None:
    """Its dispatch was ended."""
    thread = pending()
    ended = thread.dispatches[-1].evolve(status="aborted: unreachable")
    assert kind(thread.evolve(fallback="no answer", dispatches=(ended, *thread.dispatches))) == "unreachable"


def test_what_went_well_or_was_decided_has_no_error() -> None:
    """A run that was dismissed did not fail; one that failed stays the last error until another one."""
    assert kind(pending()) is None
    thread, before = investigating(), failed("time")
    assert kind(moved(thread, press(Dismiss, thread))) is None
    assert kind(moved(before, press(Redraft, before))) == "time"
