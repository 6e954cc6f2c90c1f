"""Threads of created tasks: what starts them, what does not, and what their order keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.decide.escalation import DRY_RUN, EscalationPolicy
from bot.decide.workflow import resume
from bot.decide.workflow.created_tasks import MESSAGE_DELETED
from bot.models.effect import Escalate, Investigate
from bot.models.route import Route
from bot.models.thread import Thread
from bot.models.thread_event import (
    Deleted,
    DigDeeper,
    Dismiss,
    Due,
    Edited,
    Overheard,
    Redraft,
    Restarted,
    RunFailed,
    SettledMark,
    Stop,
    TakeOver,
    ThreadEvent,
)
from bot.models.viewed_page import SubjectProject
from tests.builders import ASKER, LIMITS, OPERATOR, added, at, found, fresh, message, moved, step, validated
from tests.decide import test_workflow as questions
from tests.decide.ordered import (
    BEFORE,
    TITLE,
    approved,
    investigating,
    opening,
    order,
    pending,
    replied,
    result,
    started,
    waiting,
)
from tests.decide.test_settled import WORDS as SETTLING
from tests.decide.test_workflow import press

TIERS = replace(LIMITS, escalation=EscalationPolicy(enabled=True, may_start=frozenset({2, 3})))
ROOT = "100.000001"


def test_a_task_waits_for_its_start_without_a_time() -> None:
    """Its name comes from its title, and its asker is the person who created it."""
    thread = waiting()
    assert (thread.status, thread.due_at, thread.is_about_order) == ("collecting", None, True)
    assert thread.task.startswith("list-limits-")
    assert thread.original_sender_id == ASKER
    assert not thread.waits_briefly
    assert resume(thread) is None


@pytest.mark.parametrize(
    "event",
    [
        added("and where is it read?", ts="101.000001", root=ROOT, seconds=5),
        added("@U0BOT now please", ts="101.000001", root=ROOT, seconds=5, mentioned=True),
        added("which one is meant?", ts="101.000001", root=ROOT, seconds=5, sender="U0BEN"),
        Edited(at=at(5), fresh=fresh(), message=message("List all of them", ts=ROOT)),
        Deleted(at=at(5), fresh=fresh(), message_id=ROOT),
        Due(at=at(5), fresh=fresh()),
        Due(at=at(90_000), fresh=fresh()),
        Overheard(at=at(5), fresh=fresh(), message=message("I see", ts="101.000001", root=ROOT)),
    ],
    ids=["asker", "mention", "colleague", "edit", "deletion", "due", "late", "remark"],
)
def test_nothing_that_people_do_in_its_thread_starts_a_task(event: ThreadEvent) -> None:
    """Messages join it; only the scheduler starts it."""
    after = step(waiting(), event)
    assert after.effect is None
    assert after.thread
    assert (after.thread.status, after.thread.due_at, after.thread.run_id) == ("collecting", None, None)


def test_messages_before_the_start_are_part_of_the_task() -> None:
    """The run reads all of them."""
    thread = moved(waiting(), added("only those in code", ts="101.000001", root=ROOT, seconds=5))
    thread = moved(thread, started())
    assert [each.message_id for each in thread.question_messages] == [ROOT, "101.000001"]
    assert not thread.inbox


def test_the_scheduler_starts_a_task_once() -> None:
    """A second start, and one of a task that ended, change nothing."""
    after = step(waiting(), started(fresh="run1", agent="agent-7"))
    assert after.effect == Investigate(run_id="run1")
    assert after.thread
    assert after.thread.order
    assert (after.thread.order.agent, after.thread.order.begun_at) == ("agent-7", at(60))
    assert resume(after.thread) == after.effect
    for thread in (after.thread, pending(), approved(), replied(), questions.collecting()):
        assert step(thread, started()).thread is thread


@pytest.mark.parametrize("inputs", [(), (result(),), (result(), result("T0SANDBOX-C0HELP-91.000001"))])
def test_a_start_counts_only_with_the_result_of_each_dependency(inputs: tuple[object, ...]) -> None:
    """An order that was changed meanwhile has others."""
    thread = waiting(depends_on=(BEFORE,))
    after = step(thread, started(inputs=inputs))
    assert after.accepted is (len(inputs) == 1)
    if after.accepted and after.thread and after.thread.order:
        assert after.thread.order.inputs == inputs


@pytest.mark.parametrize(
    ("policy", "tier", "problem"),
    [
        (EscalationPolicy(enabled=True, may_start=frozenset({2, 3})), 2, None),
        (EscalationPolicy(), 1, None),
        (EscalationPolicy(enabled=True, max_tier=1, may_start=frozenset({2, 3})), 1, None),
        (EscalationPolicy(enabled=True, dry_run=True, may_start=frozenset({2})), 1, f"{DRY_RUN}; "),
    ],
    ids=["longer", "off", "tier 1 only", "dry"],
)
def test_a_task_is_a_longer_run_where_one_may_start(policy: EscalationPolicy, tier: int, problem: str | None) -> None:
    """Its reason names the person who created it."""
    event = opening()
    named = replace(event, message=event.message.evolve(names={ASKER: "Ana"}))
    limits = replace(LIMITS, escalation=policy)
    after = step(moved(None, named, limits), started(), limits)
    assert isinstance(after.effect, Escalate if tier == 2 else Investigate)
    assert after.thread
    assert (after.thread.escalation_problem or "").startswith(problem or "")
    if after.thread.escalation:
        assert after.thread.escalation.reason == "a task of Ana"


def test_a_longer_run_that_cannot_start_leaves_its_task_to_tier_1() -> None:
    """As for any question."""
    thread = moved(waiting(), started(), TIERS)
    ended = RunFailed(at=at(61), fresh=fresh(), run_id=thread.run_id or "", reason="no money", is_started=False)
    after = step(thread, ended, TIERS)
    assert isinstance(after.effect, Investigate)


class _Router:
    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        name = "billing" if "project:billing" in text else subject.project if subject else "web"
        return Route(role="dev", role_name="Dev", project=name, folder="src", why="rule 1")


@pytest.mark.parametrize(("wanted", "project"), [("shop", "shop"), ("billing", "billing"), (None, "billing")])
def test_a_task_keeps_the_project_of_its_order(wanted: str | None, project: str) -> None:
    """Also where its words name another one, and when it is started."""
    limits = replace(LIMITS, router=_Router())
    own = order(project=wanted, description="compare it with project:billing")
    thread = moved(None, opening(own), limits)
    assert thread.route
    assert thread.route.project == project
    thread = moved(thread, started(), limits)
    assert thread.route
    assert thread.route.project == project


def test_its_end_stands_in_its_order() -> None:
    """The approved reply is for the tasks that depend on it; a further question leaves it as it is."""
    thread = replied()
    assert thread.order
    assert (thread.order.outcome, thread.order.result) == ("replied", "It is set in `bot/a.py:1`.")
    asked = moved(thread, added("and where is it read?", ts="180.000001", root=ROOT, seconds=90))
    assert not asked.is_about_order
    assert asked.order == thread.order
    assert asked.due_at == at(90) + LIMITS.debounce
    assert isinstance(step(asked, Due(at=at(92), fresh=fresh())).effect, Investigate)


@pytest.mark.parametrize(
    ("start", "event", "outcome"),
    [
        (pending, lambda thread: press(Dismiss, thread), "dismissed"),
        (pending, lambda thread: press(TakeOver, thread), "taken-over"),
        (waiting, lambda thread: press(Dismiss, thread), "dismissed"),
        (
            waiting,
            lambda _: SettledMark(at=at(9), fresh=fresh(), by=ASKER, message_id=ROOT, emoji="white_check_mark"),
            "settled",
        ),
        (pending, lambda _: Due(at=at(64) + timedelta(hours=80), fresh=fresh()), "expired"),
    ],
    ids=["dismissed", "taken over", "before its start", "check mark", "expired"],
)
def test_other_ends_leave_no_result(
    start: Callable[[], Thread], event: Callable[[Thread], ThreadEvent], outcome: str
) -> None:
    """Nobody has approved one."""
    thread = start()
    after = moved(thread, event(thread), SETTLING)
    assert after.order
    assert (after.order.outcome, after.order.result) == (outcome, "")


def test_a_restarted_task_waits_for_the_scheduler_again() -> None:
    """Its order begins anew, as the current question of its thread."""
    drafted = pending()
    ended = moved(drafted, press(Dismiss, drafted))
    after = step(ended, Restarted(at=at(100), fresh=fresh(), by=OPERATOR, mode="live", operator=OPERATOR))
    assert after.effect is None
    thread = after.thread
    assert thread
    assert thread.order
    assert (thread.status, thread.due_at, thread.is_about_order) == ("collecting", None, True)
    assert (thread.order.outcome, thread.order.agent, thread.order.inputs) == (None, None, ())
    assert step(thread, Due(at=at(101), fresh=fresh())).thread is thread
    assert step(thread, started(seconds=110)).effect


@pytest.mark.parametrize("kind", [Redraft, DigDeeper])
def test_a_press_on_a_task_that_never_began_lets_it_wait_again(kind: type[Redraft | DigDeeper]) -> None:
    """What it depends on comes first; one that had begun goes on at once."""
    before = waiting(depends_on=(BEFORE,))
    stopped = moved(before, press(Stop, before), TIERS)
    again = step(stopped, press(kind, stopped), TIERS)
    assert again.effect is None
    assert again.thread
    assert (again.thread.status, again.thread.stopped_by, again.thread.failure) == ("collecting", None, None)
    running = investigating()
    stopped = moved(running, press(Stop, running))
    assert step(stopped, press(kind, stopped), TIERS).effect


@pytest.mark.parametrize("start", [waiting, investigating, pending])
def test_a_task_outlives_its_first_message(start: Callable[[], Thread]) -> None:
    """Its words stand in the document; the card of its draft says that the message is gone."""
    before = start()
    thread = moved(before, Deleted(at=at(65), fresh=fresh(), message_id=ROOT))
    assert thread.order
    assert thread.order.is_message_deleted
    assert (thread.status, thread.messages, thread.run_id) == (before.status, before.messages, before.run_id)
    assert step(thread, Deleted(at=at(66), fresh=fresh(), message_id=ROOT)).thread is thread
    if thread.status == "collecting":
        thread = moved(thread, started(seconds=67))
    if thread.status == "investigating":
        thread = moved(thread, found(thread, seconds=68))
        thread = moved(thread, validated(thread, seconds=69))
    assert thread.stale == MESSAGE_DELETED


@pytest.mark.parametrize("before", [questions.collecting, questions.investigating, questions.pending])
def test_a_reply_that_was_faster_joins_the_task(before: Callable[[], Thread]) -> None:
    """After a crash a person may have opened the thread by a reply; its run is given up, nothing else starts."""
    asked = moved(None, added("what is this?", ts="100.000009", root=ROOT, sender="U0BEN"))
    base = before()
    reply = base.evolve(thread_id=asked.thread_id, messages=asked.messages, original_message_id="100.000009")
    after = step(reply, opening(seconds=20))
    thread = after.thread
    assert thread
    assert (thread.status, thread.run_id, thread.due_at, after.effect) == ("collecting", None, None, None)
    assert [each.message_id for each in thread.question_messages] == [ROOT, "100.000009"]
    assert (thread.original_sender_id, thread.anchor, thread.is_about_order) == (ASKER, ROOT, True)
    assert thread.draft_pending is None
    assert step(thread, opening(seconds=21)).thread is thread
    assert isinstance(step(thread, started()).effect, Investigate)


def test_a_reply_that_is_being_posted_comes_before_the_task() -> None:
    """Then the task is the next question of the thread."""
    assert not step(questions.approved(), opening(seconds=20)).accepted
    over = questions.replied()
    thread = moved(over, opening(seconds=30))
    assert thread.order
    assert (thread.question_round, thread.order.question_round, thread.due_at) == (2, 2, None)
    assert TITLE in thread.question
