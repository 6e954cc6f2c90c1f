"""Approval by code in the workflow: for the document that was looked at alone, and for nothing that needs a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.models.advice import Advice
from bot.models.auto_reply import AutoApproval
from bot.models.effect import PostReply
from bot.models.thread import Thread
from bot.models.thread_event import Approve
from tests.builders import LIMITS, OPERATOR, at, fresh, moved, step
from tests.decide.auto_reply.test_preconditions import drafted, passed

BOT = "U0TRIAGE"


def approval(thread: Thread, **changes: Any) -> AutoApproval:
    """An approval of this document."""
    draft_id = thread.draft_pending.draft_id if thread.draft_pending else ""
    values: dict[str, Any] = {"by": BOT, "draft_id": draft_id, "version": thread.version, "figures": "0 of 160."}
    return AutoApproval(at=at(9), fresh=fresh(), **(values | changes))


def test_it_approves_as_a_press_does_with_its_figures() -> None:
    """Another word for the decision, the bot as its author, the same effect."""
    thread = passed()
    made = step(thread, approval(thread))
    assert made.thread
    assert made.thread.decision
    assert (made.thread.status, made.effect) == ("approved", PostReply())
    assert (made.thread.decision.action, made.thread.decision.by) == ("auto_reply", BOT)
    assert made.thread.decision.reason == "0 of 160."


@pytest.mark.parametrize(
    "changes",
    [
        {"stale": "Edited since this draft was made"},
        {"inbox": ("101.000001",)},
        {"opening": "id1"},
        {"mode": "preview"},
        {"found_nothing": True},
        {"status": "closed"},
        {"status": "approved"},
        {"status": "in-doubt"},
        {"draft_pending": None},
        {"unsupported": ("17 minutes",)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_document_that_a_person_must_see_is_left_to_one(changes: dict[str, Any]) -> None:
    """Whatever was found before."""
    thread = passed().evolve(**changes)
    assert not step(thread, approval(thread)).accepted


@pytest.mark.parametrize(
    "changes",
    [{"withheld": "token"}, {"edited_by": OPERATOR}, {"advises": (Advice(kind="delete", words="rm -rf /"),)}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_draft_that_a_person_must_see_is_left_to_one(changes: dict[str, Any]) -> None:
    """One with a secret, one that was edited, and one that names a fault."""
    thread = passed()
    thread = thread.evolve(draft_pending=drafted(thread, **changes))
    assert not step(thread, approval(thread)).accepted


@pytest.mark.parametrize("changes", [{"is_stopped": True}, {"second_approver": True}])
def test_a_stop_and_a_second_approver_come_first(changes: dict[str, Any]) -> None:
    """Neither lets a reply go out without people."""
    thread = passed()
    assert not step(thread, approval(thread), replace(LIMITS, **changes)).accepted


@pytest.mark.parametrize("changes", [{"version": 99}, {"draft_id": "T-C-1/9"}])
def test_an_approval_of_another_document_is_void(changes: dict[str, Any]) -> None:
    """Any change in between leaves the draft to a person."""
    thread = passed()
    assert not step(thread, approval(thread, **changes)).accepted


def test_a_press_that_comes_first_counts() -> None:
    """The approval by code then changes nothing."""
    thread = passed()
    assert thread.draft_pending
    late = approval(thread)
    pressed = moved(thread, Approve(at=at(8), fresh=fresh(), by=OPERATOR, **thread.press_ids))
    assert not step(pressed, late).accepted
