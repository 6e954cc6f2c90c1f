"""Commands that change the status of a task: stop, restart, skip, and the statuses that can be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from bot.commands.inputs_work import SetTaskStatus
from bot.models.task_status import find_task_status
from bot.models.thread_event import Approve, Dismiss, TaskSkipped
from tests.builders import OPERATOR, added, at, fresh, moved
from tests.chat.crew import command
from tests.chat.test_tasks import Desk, asked, dismissed, drafted, failed, of
from tests.decide import ordered
from tests.decide.test_task_events import running_order, stopped
from tests.decide.test_workflow import press
from tests.fakes import settle

if TYPE_CHECKING:
    from bot.models.thread import Thread


def task(number: int = 300, **changes: Any) -> Thread:
    """A created task that waits for its start."""
    return moved(None, ordered.opening(ordered.order(**changes), ts=f"{number}.000001"))


def setting(thread: Thread, status: str) -> SetTaskStatus:
    """The input of `set_task_status`."""
    return SetTaskStatus.model_validate({"task": thread.task, "status": status})


def after(desk: Desk, thread: Thread) -> Thread:
    """The thread as it is now."""
    return desk.store.saved[thread.thread_id]


@pytest.mark.parametrize("before", [asked(), failed(), dismissed(), drafted()])
async def test_a_task_that_waits_for_others_is_skipped(before: Thread) -> None:
    """Whatever holds it, unless all that it depends on is completed."""
    desk = Desk(before, thread := task(depends_on=(before.thread_id,)))
    answer = await desk.tasks.skip(of(thread.task), command(user_id=OPERATOR))
    assert (answer.outcome, f"`restart_task {thread.task}` takes it back" in answer.line) == ("done", True)
    skipped = after(desk, thread)
    assert (skipped.outcome, skipped.order and skipped.order.skipped_by) == ("skipped", OPERATOR)
    assert (await desk.tasks.skip(of(thread.task), command())).outcome == "invalid"


async def test_a_task_whose_dependency_is_gone_is_blocked() -> None:
    """Nobody knows how it ended; skipping frees it."""
    desk = Desk(thread := task(depends_on=("T0SANDBOX-C0HELP-1.000001",)))
    assert (await desk.tasks.states.find_state(thread)).status == "BLOCKED"
    assert (await desk.tasks.skip(of(thread.task), command())).outcome == "done"


@pytest.mark.parametrize("thread", [failed(), dismissed(), stopped()], ids=["failed", "dismissed", "stopped"])
async def test_a_task_that_failed_or_was_stopped_is_skipped_and_taken_back(thread: Thread) -> None:
    """Its dependents may start meanwhile; a restart begins it again."""
    desk = Desk(thread)
    assert (await desk.tasks.skip(of(thread.task), command())).outcome == "done"
    assert find_task_status(after(desk, thread)) == "COMPLETED"
    assert (await desk.tasks.restart(of(thread.task), command())).outcome == "done"
    assert after(desk, thread).status == "collecting"
    await settle()


@pytest.mark.parametrize(
    ("thread", "status"),
    [
        (asked(), "IN_PROGRESS"),
        (drafted(), "AWAITING_APPROVAL"),
        (moved(None, added()), "READY"),
        (task(), "READY"),
        (moved(one := drafted(), press(Approve, one)), "IN_PROGRESS"),
        (moved(two := failed(), TaskSkipped(at=at(30), fresh=fresh(), by=OPERATOR)), "COMPLETED"),
    ],
)
async def test_no_other_task_is_skipped(thread: Thread, status: str) -> None:
    """The answer names its status, and the next step."""
    desk = Desk(thread)
    answer = await desk.tasks.skip(of(thread.task), command())
    assert (answer.outcome, f"is {status}" in answer.line, answer.line.count(".") > 1) == ("invalid", True, True)
    assert after(desk, thread) is thread


async def test_a_created_task_is_stopped_before_its_start_and_waits_again_after_a_restart() -> None:
    """The scheduler starts it, not the command."""
    desk = Desk(thread := task())
    assert (await desk.tasks.stop(of(thread.task), command(user_id=OPERATOR))).line.startswith("Stopped")
    assert find_task_status(after(desk, thread)) == "BLOCKED"
    answer = await desk.tasks.restart(of(thread.task), command())
    assert "waits for its turn again" in answer.line
    assert (after(desk, thread).status, after(desk, thread).due_at) == ("collecting", None)
    assert (await desk.tasks.restart(of(thread.task), command())).outcome == "invalid"


async def test_a_created_task_is_restarted_after_its_reply() -> None:
    """Its result so far stays in its order; a question of a person is not investigated again."""
    desk = Desk(thread := ordered.replied())
    assert (await desk.tasks.restart(of(thread.task), command())).outcome == "done"
    again = after(desk, thread)
    assert again.order
    assert (again.status, again.order.result, again.order.outcome) == ("collecting", "It is set in `bot/a.py:1`.", None)


async def test_a_created_task_in_a_direct_message_is_restarted() -> None:
    """That channel has no mode; a silent channel keeps its silence."""
    thread = stopped()
    direct = thread.evolve(thread_id="T0SANDBOX-D0OPS-100.000001", chat_id="D0OPS")
    assert (await Desk(direct, mode=None).tasks.restart(of(direct.thread_id), command())).outcome == "done"
    assert "not watched" in (await Desk(thread, mode=None).tasks.restart(of(thread.task), command())).line


async def test_a_task_whose_thread_goes_on_is_restarted_after_the_questions_in_it() -> None:
    """An open question of a person comes first."""
    later = moved(ordered.replied(), added("and now?", ts="180.000001", root="100.000001", seconds=90))
    desk = Desk(later)
    answer = await desk.tasks.restart(of(later.task), command())
    assert (answer.outcome, "after that" in answer.line) == ("invalid", True)


@pytest.mark.parametrize(
    ("thread", "word", "status", "outcome"),
    [
        (drafted(), "FAILED", "closed", "dismissed"),
        (drafted(), "dismissed", "closed", "dismissed"),
        (asked(), "closed", "closed", "dismissed"),
        (drafted(), "COMPLETED", "closed", "settled"),
        (asked(), "completed", "closed", "settled"),
        (task(), "Completed", "closed", "settled"),
        (asked(), "BLOCKED", "pending-user", None),
        (task(), "blocked", "pending-user", None),
        (stopped(), "READY", "collecting", None),
        (dismissed(), "ready", "collecting", None),
        (failed(), "READY", "investigating", None),
    ],
)
async def test_a_status_is_set_by_what_it_means(thread: Thread, word: str, status: str, outcome: str | None) -> None:
    """Restart, stop, settle or dismiss; never by the document alone."""
    desk = Desk(thread)
    answer = await desk.tasks.set_status(setting(thread, word), command(user_id=OPERATOR))
    changed = after(desk, thread)
    assert (answer.outcome, changed.status, changed.outcome) == ("done", status, outcome)
    assert "restart_task" in answer.line or "stop_task" in answer.line
    await settle()


@pytest.mark.parametrize(
    ("thread", "word"),
    [
        (dismissed(), "FAILED"),
        (moved(one := drafted(), press(Approve, one)), "COMPLETED"),
        (drafted(), "BLOCKED"),
        (drafted(), "READY"),
        (running_order(), "READY"),
    ],
)
async def test_a_status_that_the_task_cannot_get_now_is_refused(thread: Thread, word: str) -> None:
    """Nothing changes, and the answer says how it stands."""
    desk = Desk(thread)
    answer = await desk.tasks.set_status(setting(thread, word), command())
    assert answer.outcome == "invalid"
    assert after(desk, thread) is thread


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("IN_PROGRESS", "a run leads to it"),
        ("in progress", "a run leads to it"),
        ("awaiting-approval", "a run that ends with a draft"),
        ("COMPLETE", "the nearest is COMPLETED"),
        ("approved", "expected READY, BLOCKED, COMPLETED or FAILED"),
        ("", "expected READY"),
    ],
)
def test_a_status_that_no_command_sets_says_what_leads_to_it(word: str, reason: str) -> None:
    """A run, or a word that is not a status."""
    with pytest.raises(ValidationError, match=reason):
        SetTaskStatus.model_validate({"task": "x-1", "status": word})


@pytest.mark.parametrize("word", ["READY", "BLOCKED", "COMPLETED", "FAILED"])
async def test_a_person_who_may_not_decide_changes_no_status(word: str) -> None:
    """An operator of another channel."""
    desk = Desk(thread := failed())
    desk.refused = "Only an operator of this channel can decide this."
    assert (await desk.tasks.set_status(setting(thread, word), command())).outcome == "refused"
    for run in (desk.tasks.skip, desk.tasks.stop, desk.tasks.restart):
        assert (await run(of(thread.task), command())).outcome == "refused"
    assert after(desk, thread) is thread


async def test_a_press_that_came_first_is_not_overtaken() -> None:
    """The card was dismissed between the look and the change."""
    desk = Desk(thread := failed())
    find = desk.tasks.finder.find

    async def find_late(*args: Any, **kwargs: Any) -> Thread:
        found = await find(*args, **kwargs)
        await desk.orchestrator.submit(thread.thread_id, press(Dismiss, thread))
        return found

    object.__setattr__(desk.tasks.finder, "find", find_late)
    answer = await desk.tasks.set_status(setting(thread, "COMPLETED"), command())
    assert (answer.outcome, "just changed" in answer.line) == ("invalid", True)
    assert after(desk, thread).outcome == "dismissed"
