"""Presses on a fix, at the operator's desk: what each starts, who may press, and what a stale press is told."""

from __future__ import annotations

from typing import Any

import pytest

from blocks.fix import DISCARD, EDIT, OPEN, PROPOSE
from bot.approval.answers import FIX_STOPPED
from bot.decide.workflow.fixes import STOPPED
from bot.models.effect import DraftFix, OpenMergeRequest, SideEffect, StopFix
from bot.models.interaction import Dialog, Press
from bot.models.thread import Thread
from bot.triage.controls import Controls
from tests.approval.test_actions import BEN, Office
from tests.builders import OPERATOR, TEAM, fresh
from tests.fakes import MemoryKept, settle
from tests.fixes import DEFECT, HEAD, drafting, ended, fix_of, proposed, with_defect


def saved_in(office: Office, thread: Thread) -> Thread:
    """The thread, as it is on disk."""
    office.store.saved[thread.thread_id] = thread
    return thread


def now(office: Office, thread: Thread) -> Thread:
    """The thread as it is saved now."""
    return office.store.saved[thread.thread_id]


def on_fix(thread: Thread, action: str, **changes: Any) -> Press:
    """A press on the message of the thread's fix, as it is shown now."""
    fix = fix_of(thread)
    values = {
        "interaction_id": fresh(),
        "team_id": TEAM,
        "user_id": OPERATOR,
        "action": action,
        "thread_id": thread.thread_id,
        "draft_id": f"{thread.thread_id}/{fix.number}",
        "nonce": fix.nonce,
        "channel_id": "D0OPS",
        "trigger_id": "t",
        "confirmed": HEAD if action == OPEN else "",
    }
    return Press(**(values | changes))


def words(thread: Thread, **values: str) -> Dialog:
    """A submitted dialog of *Edit Request*."""
    press = on_fix(thread, EDIT).model_dump(exclude={"channel_id", "trigger_id", "in_queue", "confirmed"})
    return Dialog(**press, values={"title": "Allow five tries", "description": "As promised."} | values)


def begun(office: Office) -> list[Any]:
    """The effects of fixes that were started."""
    return [effect for _, effect in office.effects.started if isinstance(effect, SideEffect)]


async def test_a_press_drafts_a_fix_once() -> None:
    """In the name of the person; a second one learns who was first, and the audit has both."""
    office = Office()
    thread = saved_in(office, with_defect())
    await office.approval.handle_press(office.press(thread, PROPOSE))
    await office.approval.handle_press(office.press(thread, PROPOSE, user_id=BEN))
    await settle()
    fix = fix_of(now(office, thread))
    assert begun(office) == [DraftFix(run_id=fix.order.run_id)]
    assert (fix.order.asked_by, fix.order.repository, fix.order.defect) == (OPERATOR, "shop", DEFECT)
    assert [(entry["action"], entry["user_id"]) for entry in office.audit.kept] == [(PROPOSE, OPERATOR), (PROPOSE, BEN)]
    assert office.audit.kept[0]["result"] == "done"
    assert f"being drafted* for <@{OPERATOR}>" in office.chat.notices[0]
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"refusal": "The project has no check."}, "The project has no check. Nothing was changed."),
        ({"repository": None}, "No repository has the file of the defect. Nothing was changed."),
    ],
)
async def test_a_fix_that_cannot_be_drafted_is_refused_with_the_reason(change: dict[str, Any], answer: str) -> None:
    """Nothing begins."""
    office = Office()
    thread = saved_in(office, with_defect())
    vars(office.drafter).update(change)
    await office.approval.handle_press(office.press(thread, PROPOSE))
    assert (office.chat.notices[0].endswith(answer), now(office, thread)) == (True, thread)
    await office.orchestrator.stop()


@pytest.mark.parametrize(("make", "action", "answer"), [(with_defect, PROPOSE, FIX_STOPPED), (proposed, OPEN, STOPPED)])
async def test_nothing_begins_while_stopped(make: Any, action: str, answer: str) -> None:
    """The press says so."""
    office = Office()
    thread = saved_in(office, make())
    office.orchestrator.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={}, state="stopped")
    press = office.press(thread, action) if action == PROPOSE else on_fix(thread, action)
    await office.approval.handle_press(press)
    assert (office.chat.notices[0].endswith(answer), begun(office)) == (True, [])
    assert now(office, thread) == thread
    await office.orchestrator.stop()


@pytest.mark.parametrize(("make", "effect"), [(drafting, StopFix), (proposed, None)])
async def test_discard_ends_a_fix(make: Any, effect: Any) -> None:
    """Its process, too, if it still runs."""
    office = Office()
    thread = saved_in(office, make())
    await office.approval.handle_press(on_fix(thread, DISCARD))
    await settle()
    assert fix_of(now(office, thread)).state == "discarded"
    assert [type(each) for each in begun(office)] == ([effect] if effect else [])
    await office.approval.handle_press(on_fix(thread, DISCARD, user_id=BEN))
    assert f"Fix discarded* by <@{OPERATOR}>" in office.chat.notices[0]
    await office.orchestrator.stop()


async def test_the_press_opens_what_its_button_showed() -> None:
    """The audit has the commit; a stranger's press does nothing."""
    office = Office()
    thread = saved_in(office, proposed())
    await office.approval.handle_press(on_fix(thread, OPEN, user_id="U0ANA"))
    assert begun(office) == []
    await office.approval.handle_press(on_fix(thread, OPEN))
    await settle()
    fix = fix_of(now(office, thread))
    assert begun(office) == [OpenMergeRequest(run_id=fix.opening_id or "")]
    assert (fix.state, fix.decided_by) == ("opening", OPERATOR)
    assert (office.audit.kept[-1]["action"], office.audit.kept[-1]["confirmed"]) == (OPEN, HEAD)
    await office.orchestrator.stop()


async def test_the_words_of_a_request_are_edited_in_a_dialog() -> None:
    """It has those that would be opened, and the new ones are shown before the press."""
    office = Office()
    thread = saved_in(office, proposed())
    await office.approval.handle_press(on_fix(thread, EDIT))
    (view,) = office.chat.views
    assert [block["element"]["initial_value"] for block in view["blocks"][:2]] == [
        "Raise the limit to 5",
        "The docs promise five tries.",
    ]
    assert await office.approval.handle_dialog(words(thread, title=" Allow\nfive  tries ")) == {}
    fix = fix_of(now(office, thread))
    assert (fix.title, fix.description, fix.edited_by) == ("Allow five tries", "As promised.", OPERATOR)
    await office.approval.handle_press(on_fix(thread, OPEN))
    assert "has changed since" in office.chat.notices[0]
    await office.approval.handle_press(on_fix(thread, EDIT))
    assert "has changed since" in office.chat.notices[1]
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("values", "block", "why"),
    [
        ({"title": " "}, "title", "Please write a title"),
        ({"title": "--"}, "title", "Please write a title"),
        ({"title": "x" * 121}, "title", "Please shorten this to 120"),
        ({"description": "x" * 1_501}, "description", "Please shorten this to 1,500"),
        ({"description": "x\n" * 700 + "x"}, "description", "Please shorten this to 1,500 characters; quotes and line"),
        ({"description": "token " + "ghp_" + "a1B2" * 9}, "description", "This holds what looks like"),
    ],
)
async def test_words_that_cannot_be_opened_are_named_in_the_dialog(
    values: dict[str, str], block: str, why: str
) -> None:
    """Nothing is changed."""
    office = Office()
    thread = saved_in(office, proposed())
    errors = await office.approval.handle_dialog(words(thread, **values))
    assert [*errors] == [block]
    assert errors[block].startswith(why)
    assert now(office, thread) == thread
    await office.orchestrator.stop()


async def test_words_for_a_fix_that_has_changed_are_not_taken() -> None:
    """The dialog says what happened, and keeps the text."""
    office = Office()
    thread = proposed()
    other = saved_in(office, drafting())
    saved_in(office, other)
    errors = await office.approval.handle_dialog(words(thread))
    assert "Please copy your text" in errors["title"]
    assert ended(other).plan is not None
    await office.orchestrator.stop()
