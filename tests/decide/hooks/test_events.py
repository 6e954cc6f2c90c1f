"""Causes that events are for hooks, by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.hooks.events import (
    find_file_cause,
    find_merge_request_cause,
    find_message_cause,
    find_service_cause,
    find_task_cause,
)
from bot.models.check_result import CheckResult
from bot.models.hook import Hook
from bot.models.hook_record import MAX_EVENT_CHARS
from bot.models.opened_merge_request import OpenedMergeRequest
from bot.models.service_state import ServiceState
from bot.models.status_change import StatusChange
from bot.models.task_order import TaskOrder
from tests.builders import CHANNEL, T0, added, at, message, moved

WORDS = {"kind": "message", "channel": CHANNEL, "pattern": "deploy failed"}
REGEX = {"kind": "message", "channel": CHANNEL, "pattern": "dep.*fail", "is_regex": True}


def hook(trigger: dict[str, Any]) -> Hook:
    """A hook with this trigger."""
    values = {"name": "h", "trigger": trigger, "prompt": "Look.", "owner": "U0ADMIN", "changed_at": T0}
    return Hook.model_validate(values)


@pytest.mark.parametrize(
    ("trigger", "text", "expected"),
    [
        (WORDS, "The deploy has FAILED", True),
        (WORDS, "The deploy went well", False),
        (REGEX, "Deployment failed", True),
        (REGEX, "failed deployment", False),
        (WORDS | {"channel": "C0OTHER"}, "deploy failed", False),
        ({"kind": "task"}, "deploy failed", False),
    ],
)
def test_messages(trigger: dict[str, Any], text: str, expected: bool) -> None:
    """Of the channel, by words or by a pattern; the event has the author and the text, cut."""
    cause = find_message_cause(hook(trigger), message(text + "!" * 3_000, create_time=at(5)))
    assert (cause is not None) is expected
    if cause:
        assert cause.at == at(5)
        assert cause.text.startswith(f"Message of U0ANA in #help-platform:\n{text}")
        assert len(cause.text) == MAX_EVENT_CHARS


def order(**changes: Any) -> TaskOrder:
    """A created task."""
    values = {"order_id": "0" * 32, "title": "List", "description": "It.", "created_by": "U0OPS", "created_at": T0}
    return TaskOrder.model_validate(values | changes)


@pytest.mark.parametrize(
    ("trigger", "changes", "expected"),
    [
        ({"kind": "task"}, {"failure": "no answer"}, True),
        ({"kind": "task"}, {"stopped_by": "U0OPS"}, False),
        ({"kind": "task"}, {"status": "closed", "outcome": "dismissed"}, False),
        ({"kind": "task"}, {"status": "collecting"}, False),
        ({"kind": "task"}, {"order": None}, False),
        ({"kind": "task"}, {"order": order(is_by_hook=True)}, False),
        (WORDS, {}, False),
    ],
)
def test_tasks(trigger: dict[str, Any], changes: dict[str, Any], expected: bool) -> None:
    """A run that ended without a draft, at the time of that; not what a person ended."""
    values = {"status": "pending-user", "order": order(), **changes}
    history = (StatusChange(at=at(9), previous="investigating", next="pending-user"),)
    task = moved(None, added()).evolve(status_history=history, **values)
    cause = find_task_cause(hook(trigger), task)
    assert (cause is not None) is expected
    if cause:
        assert (cause.at, cause.text) == (at(9), f"The task {task.task} (List) failed: no answer")


def service(status: Any, **changes: Any) -> ServiceState:
    """A service with one check, in this status since T0."""
    result = CheckResult(service="shop", check_type="http", status=status, error="answered 503")
    return ServiceState(service="shop", group="shop", status=status, results=(result,), changes=(T0,), **changes)


@pytest.mark.parametrize(
    ("trigger", "state", "expected"),
    [
        ({"kind": "service"}, service("down"), True),
        ({"kind": "service", "service": "shop"}, service("degraded"), True),
        ({"kind": "service", "service": "web"}, service("down"), False),
        ({"kind": "service"}, service("healthy"), False),
        ({"kind": "task"}, service("down"), False),
    ],
)
def test_services(trigger: dict[str, Any], state: ServiceState, expected: bool) -> None:
    """Of this name or any, from the first unhealthy run on."""
    cause = find_service_cause(hook(trigger), state)
    assert (cause is not None) is expected
    if cause:
        assert (cause.at, cause.text) == (T0, f"The service shop is {state.status}: http: answered 503")


@pytest.mark.parametrize(
    ("pattern", "paths", "expected"),
    [
        ("docs/**", ("src/a.py", "docs/a.md", "docs/x/b.md"), "Changed files:\ndocs/a.md\ndocs/x/b.md"),
        ("*.py", ("src/a.py",), "Changed files:\nsrc/a.py"),
        ("docs/", ("src/docs.py",), None),
    ],
)
def test_files(pattern: str, paths: tuple[str, ...], expected: str | None) -> None:
    """By patterns as in `.gitignore`."""
    cause = find_file_cause(hook({"kind": "file", "pattern": pattern}), paths, at(3))
    assert (cause.text if cause else None) == expected
    assert find_file_cause(hook({"kind": "task"}), paths, at(3)) is None


def test_many_files_are_counted() -> None:
    """The first fifty are named."""
    cause = find_file_cause(hook({"kind": "file", "pattern": "*"}), [f"f{number}" for number in range(60)], T0)
    assert cause
    assert cause.text.endswith("f49\nand 10 more")


def opened(**changes: Any) -> OpenedMergeRequest:
    """A pull request that somebody has opened."""
    values = {
        "forge": "github",
        "project": "team/shop",
        "number": 12,
        "url": "https://github.com/team/shop/pull/12",
        "title": "Close the flyout",
        "author": "ana",
        "branch": "fix-flyout",
        "target": "main",
        "is_draft": False,
        "opened_at": at(5),
    }
    return OpenedMergeRequest.model_validate(values | changes)


@pytest.mark.parametrize(
    ("project", "changes", "expected"),
    [
        ("", {}, True),
        ("Team/Shop", {}, True),
        ("team/web", {}, False),
        ("shop", {}, False),
        ("", {"branch": "triage/fix"}, False),
    ],
)
def test_merge_requests(project: str, changes: dict[str, Any], expected: bool) -> None:
    """Of the repository; one of a branch of Triage begins nothing."""
    cause = find_merge_request_cause(hook({"kind": "merge_request", "project": project}), opened(**changes))
    assert (cause is not None) is expected
    if cause:
        assert (cause.kind, cause.at) == ("merge_request", at(5))
        assert cause.text == (
            "Pull request 12 of team/shop, opened by ana, fix-flyout into main:\nClose the flyout\n"
            "https://github.com/team/shop/pull/12"
        )
    assert find_merge_request_cause(hook(WORDS), opened()) is None


def test_a_draft_is_named_as_one() -> None:
    """And a long title is cut with the rest."""
    cause = find_merge_request_cause(hook({"kind": "merge_request"}), opened(is_draft=True, title="t" * 300))
    assert cause
    assert "into main (draft):" in cause.text
