"""The record of runs in a thread's document, by table: each has an end, named as its task's status."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.route import Route
from bot.models.task_manifest import manifest
from bot.models.thread_event import Deleted, Dismiss, Due, Edited, Mute, RunFailed, Stop, TakeOver
from tests.builders import LIMITS, added, at, check, fresh, message, moved, validated
from tests.builders import found as findings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.thread import Thread

ROUTE = Route(role="portal-dev", role_name="Portal Dev", project="portal", folder="web", why="rule 1")


def begun(route: Route | None = None) -> Thread:
    """A thread whose first run is alive."""
    thread = moved(None, added("fix the flyout", ts="1708353000.678900")).evolve(route=route)
    return moved(thread, Due(at=at(3), fresh=fresh()))


def failed(thread: Thread, why: str | None) -> RunFailed:
    """The live run ended without findings."""
    return RunFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", reason="so it is", why=why)


def statuses(thread: Thread) -> list[str]:
    """Of all dispatches, oldest first."""
    return [one.status for one in thread.dispatches]


def press(kind: Any, thread: Thread) -> Any:
    """A press on the card before there is a draft."""
    draft_id = f"{thread.thread_id}/0"
    return kind(at=at(5), fresh=fresh(), by="U0OPS", draft_id=draft_id, nonce=thread.card.nonce)


def test_a_run_is_recorded_when_it_begins() -> None:
    """With its role, where it works, what it is made with, and a journal of its own."""
    (one,) = begun(ROUTE).dispatches
    said = (one.role, one.cwd, one.model, one.status, one.journal_file)
    assert said == ("portal-dev", "portal/web", "keyword", "running", "portal-dev.md")


def test_a_route_to_the_whole_project_works_in_its_folder() -> None:
    """A dot is no folder."""
    (one,) = begun(ROUTE.evolve(folder=".")).dispatches
    assert one.cwd == "portal"


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (lambda t: failed(t, None), "failed"),
        (lambda t: failed(t, "ping-pong"), "aborted: ping-pong"),
        (lambda t: failed(t, "repeats"), "aborted: repeats"),
        (lambda t: failed(t, "same-error"), "aborted: same-error"),
        (lambda t: failed(t, "stalled"), "aborted: stalled"),
        (lambda t: failed(t, "time"), "aborted: time"),
        (lambda t: failed(t, "no such word"), "failed"),
        (lambda t: press(Dismiss, t), "aborted: dismissed"),
        (lambda t: press(TakeOver, t), "aborted: taken-over"),
        (lambda t: press(Stop, t), "aborted: stopped"),
        (lambda _: Mute(at=at(5), fresh=fresh()), "aborted: muted"),
        (lambda _: Deleted(at=at(5), fresh=fresh(), message_id="1708353000.678900"), "aborted: withdrawn"),
    ],
)
def test_each_end_of_a_run_has_its_status(ending: Callable[[Thread], Any], status: str) -> None:
    """In the words of `models/task`; a reason that stands nowhere there is a failure."""
    thread = begun()
    assert statuses(moved(thread, ending(thread))) == [status]


def test_a_run_lives_until_its_draft_is_checked() -> None:
    """Then it is completed, whatever the verdict; without a route the findings say where it worked."""
    thread = begun()
    drafted = moved(thread, findings_of(thread))
    assert statuses(drafted) == ["running"]
    judged = moved(drafted, validated(drafted))
    assert [(one.status, one.cwd) for one in judged.dispatches] == [("completed", "triage")]


def test_an_answer_that_serves_again_was_made_with_no_model() -> None:
    """Whatever the settings would have had it made with; an earlier run stays as it was."""
    thread = begun()
    thread = moved(thread, Edited(at=at(4), fresh=fresh(), message=message("fix the menu", ts="1708353000.678900")))
    again = findings_of(thread)
    again = replace(again, report=again.report.evolve(engine=ANSWERED_BEFORE))
    dispatches = moved(thread, again).dispatches
    assert [(one.model, one.cwd) for one in dispatches] == [("keyword", ""), (ANSWERED_BEFORE, "triage")]


def test_a_draft_that_is_sent_back_is_a_second_run() -> None:
    """The same role has a journal with a number then."""
    thread = begun(ROUTE)
    drafted = moved(thread, findings_of(thread))
    again = moved(drafted, validated(drafted, check("failed")))
    assert statuses(again) == ["completed", "running"]
    assert [one.journal_file for one in again.dispatches] == ["portal-dev.md", "portal-dev-2.md"]


def test_an_edited_question_supersedes_its_run() -> None:
    """The first one ends by that."""
    edited = Edited(at=at(4), fresh=fresh(), message=message("fix the menu", ts="1708353000.678900"))
    assert statuses(moved(begun(), edited)) == ["aborted: superseded", "running"]


def test_the_engine_that_steps_in_is_a_run_of_its_own() -> None:
    """So that the one on the model keeps its reason."""
    thread = moved(None, added("fix the flyout", ts="1708353000.678900"))
    thread = moved(thread, Due(at=at(3), fresh=fresh()), replace(LIMITS, model="claude"))
    drafted = findings_of(thread, fallback="there was no progress for 2 minutes: the model", seconds=9)
    stalled = replace(drafted, report=drafted.report.evolve(fallback_why="stalled"))
    thread = moved(thread, stalled)
    thread = moved(thread, validated(thread))
    said = [(one.status, one.model, one.started_at, one.journal_file) for one in thread.dispatches]
    assert said == [
        ("aborted: stalled", "claude", at(3), "investigator.md"),
        ("completed", "keyword", at(9), "investigator.md"),
    ]


def test_a_follow_up_goes_on_in_the_same_task_with_what_was_found() -> None:
    """The document of a second question has the slug, the dispatches and the findings of the first."""
    thread = begun()
    thread = moved(thread, findings_of(thread))
    thread = moved(thread, validated(thread))
    closed = moved(thread, dismissed(thread))
    asked = moved(closed, added("and the menu?", seconds=9, ts="1708353100.000001", root="1708353000.678900"))
    second = moved(asked, Due(at=at(20), fresh=fresh()))
    assert second.task == thread.task
    assert statuses(second) == ["completed", "running"]
    (known,) = second.earlier
    assert (known.question, known.summary) == ("fix the flyout", "The limit is set in one place.")
    assert [one.ref for one in known.refs] == ["bot/a.py:1"]
    assert (known.outcome, known.journal_file) == ("dismissed", "investigator.md")


def dismissed(thread: Thread) -> Dismiss:
    """Dismiss of the draft that waits."""
    draft = thread.draft_pending
    assert draft is not None
    return Dismiss(at=at(6), fresh=fresh(), by="U0OPS", draft_id=draft.draft_id, nonce=draft.nonce)


def test_task_json_has_the_keys_of_the_spec() -> None:
    """Times in UTC with a Z; the thread as Slack names it."""
    thread = begun(ROUTE)
    made = manifest(thread)
    assert made == {
        "slug": thread.task,
        "created": "2026-01-05T09:00:00Z",
        "threadTs": "1708353000.678900",
        "threadId": thread.thread_id,
        "dispatches": [
            {
                "role": "portal-dev",
                "cwd": "portal/web",
                "model": "keyword",
                "startedAt": "2026-01-05T09:00:03Z",
                "status": "running",
                "journalFile": "portal-dev.md",
            }
        ],
    }
