"""Tasks that commands change, by table: skipped, settled, stopped, restarted, edited."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from blocks.notification import notification
from blocks.outcome import describe_outcome
from bot.decide.workflow import Transition, advance, resume
from bot.decide.workflow.marking import state_of
from bot.decide.workflow.next_question import may_restart
from bot.models.decision import Decision
from bot.models.markup import search_text
from bot.models.route import Route
from bot.models.status import Outcome
from bot.models.task_event import OrderEdited, TaskSkipped, TitleShown
from bot.models.task_status import COMPLETED_OUTCOMES, find_task_status
from bot.models.thread_event import Due, Posted, Redraft, Restarted, RunFailed, Settle, Stop
from tests.builders import LIMITS, OPERATOR, T0, added, at, fresh, moved, step
from tests.decide import ordered as ordered_threads
from tests.decide.exact import closed, noted, same
from tests.decide.ordered import BEFORE, TITLE, order
from tests.decide.test_workflow import approved, awaiting, collecting, in_doubt, investigating, pending, press, replied

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.thread import Thread
    from bot.models.viewed_page import SubjectProject

FAILED: tuple[Outcome, ...] = tuple(outcome for outcome in get_args(Outcome) if outcome not in COMPLETED_OUTCOMES)


def ordered(**changes: Any) -> Thread:
    """A created task that waits for another one."""
    return ordered_threads.waiting(**({"depends_on": (BEFORE,)} | changes))


def failed(thread: Thread | None = None) -> Thread:
    """A task whose run has failed."""
    running = thread or investigating()
    return moved(
        running, RunFailed(at=at(9), fresh=fresh(), run_id=running.run_id or "", reason="no key", why="no-key")
    )


def running_order() -> Thread:
    """A created task at work."""
    return ordered_threads.investigating()


def skip() -> TaskSkipped:
    """The command of an operator."""
    return TaskSkipped(at=at(30), fresh=fresh(), by=OPERATOR)


def restart(**changes: Any) -> Restarted:
    """The command of an operator."""
    return Restarted(at=at(40), fresh=fresh(), by=OPERATOR, operator="U0BEN", mode="live", **changes)


SKIPPED = Decision(action="skip", by=OPERATOR, at=at(30))


def test_a_failed_task_that_is_skipped_is_closed_and_counts_as_completed() -> None:
    """Nothing is posted; its card names the person."""
    thread, event = failed(), skip()
    after = step(thread, event)
    same(after, Transition(closed(thread, event, "skipped", decision=SKIPPED)))
    assert after.thread
    assert find_task_status(after.thread) == "COMPLETED"
    assert (resume(after.thread), state_of(after.thread)) == (None, "failure")
    assert describe_outcome(after.thread).startswith(f"*Skipped* by <@{OPERATOR}>")
    assert notification(after.thread).endswith("Settled: skipped.")


def test_a_created_task_that_waits_for_others_may_be_skipped() -> None:
    """Its order says by whom, too."""
    thread, event = ordered(), skip()
    done = order(depends_on=(BEFORE,), outcome="skipped", skipped_by=OPERATOR)
    assert moved(thread, event) == closed(thread, event, "skipped", decision=SKIPPED, order=done)


@pytest.mark.parametrize("outcome", FAILED)
def test_a_task_that_ended_without_a_result_may_be_skipped_afterwards(outcome: Outcome) -> None:
    """It stays closed, with another outcome."""
    thread = pending().evolve(status="closed", outcome=outcome, closed_at=at(20))
    event = skip()
    assert moved(thread, event) == noted(thread, event, outcome="skipped", decision=SKIPPED)


@pytest.mark.parametrize(
    "story", [collecting, lambda: ordered(depends_on=()), investigating, awaiting, pending, approved, in_doubt, replied]
)
def test_a_task_that_is_neither_blocked_nor_failed_is_not_skipped(story: Callable[[], Thread]) -> None:
    """One that is ready, at work, waits for a decision or is completed."""
    assert not step(story(), skip()).accepted


def test_the_order_of_a_thread_that_went_on_is_skipped_without_its_questions() -> None:
    """Further questions of people stay as they are."""
    thread = investigating().evolve(question_round=2, order=order(outcome="dismissed"))
    assert find_task_status(thread) == "FAILED"
    event = skip()
    assert moved(thread, event) == noted(thread, event, order=order(outcome="skipped", skipped_by=OPERATOR))
    for outcome in (None, "replied"):
        assert not step(thread.evolve(order=order(outcome=outcome)), skip()).accepted


def test_a_settled_task_is_closed_without_a_reply_and_named_as_an_operators_decision() -> None:
    """As against one that its asker settles."""
    thread = pending()
    after = moved(thread, press(Settle, thread))
    assert (after.outcome, after.decision and after.decision.action) == ("settled", "settle")
    assert describe_outcome(after).startswith(f"*Settled* by <@{OPERATOR}>")
    assert notification(after).endswith("closed by an operator.")
    assert find_task_status(after) == "COMPLETED"


@pytest.mark.parametrize(("name", "reason"), [("Olu", "Olu stopped"), ("", "an operator stopped")])
def test_a_stopped_task_names_the_person_where_the_name_is_known(name: str, reason: str) -> None:
    """Before its start as well as at work."""
    for thread in (ordered(), investigating()):
        after = moved(thread, press(Stop, thread, name=name))
        assert (after.failure, after.stopped_by) == (f"{reason} the investigation", OPERATOR)
        assert find_task_status(after, ("FAILED",)) == "BLOCKED"


def stopped() -> Thread:
    """A created task that was stopped at work."""
    return moved(thread := running_order(), press(Stop, thread))


@pytest.mark.parametrize("story", [stopped, lambda: failed(running_order())])
def test_a_created_task_is_restarted_by_the_scheduler(story: Callable[[], Thread]) -> None:
    """It waits for a slot again, on the same card; the next run takes an agent anew."""
    thread = story()
    assert thread.order
    assert thread.order.agent == "agent-1"
    after = moved(thread, restart())
    assert (after.status, after.due_at, after.failure, after.stopped_by) == ("collecting", None, None, None)
    assert (after.operator, after.question_round) == ("U0BEN", thread.question_round)
    assert after.order == order()
    assert find_task_status(after) == "READY"
    assert not step(after, restart()).accepted


def test_a_failed_question_of_a_person_is_not_requeued() -> None:
    """Redraft on its card investigates it at once."""
    thread = failed()
    assert not step(thread, restart()).accepted
    assert moved(thread, press(Redraft, thread)).status == "investigating"


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_endings_of_created_tasks_that_are_taken_back(outcome: Outcome) -> None:
    """All but silence and a deleted message; the result so far stays for those that read it."""
    result = order(outcome=outcome, result="It is 3.", agent="agent-1", begun_at=T0, skipped_by=OPERATOR)
    thread = pending().evolve(status="closed", outcome=outcome, closed_at=at(20), due_at=None, order=result)
    after = step(thread, restart())
    assert after.accepted == may_restart(thread) == (outcome not in ("withdrawn", "muted", "recovered"))
    question = thread.evolve(order=None)
    assert may_restart(question) == step(question, restart()).accepted
    if after.accepted:
        assert after.thread
        assert (after.thread.status, after.thread.due_at) == ("collecting", None)
        assert after.thread.question == thread.question
        assert after.thread.order == order(question_round=2, result="It is 3.")
        assert [each.outcome for each in after.thread.earlier] == [outcome]


def test_a_created_task_is_restarted_below_later_questions_once_they_are_closed() -> None:
    """With its own messages, not with theirs."""
    first = pending().evolve(status="closed", outcome="replied", closed_at=at(20), due_at=None)
    later = moved(
        first.evolve(order=order(outcome="replied")),
        added("and the timeout?", ts="120.000001", root="100.000001", seconds=21),
    )
    assert (later.question_round, later.is_about_order, find_task_status(later)) == (2, False, "COMPLETED")
    assert not may_restart(later)
    assert not step(later, restart()).accepted
    ended = later.evolve(status="closed", outcome="replied", closed_at=at(25), due_at=None)
    assert may_restart(ended)
    after = moved(ended, restart())
    assert (after.question_round, after.question, after.due_at) == (3, first.question, None)
    assert after.order == order(question_round=3)


def test_a_restarted_question_of_a_person_leaves_the_order_of_its_thread_alone() -> None:
    """An asker takes the settling mark of a later question back."""
    first = pending().evolve(status="closed", outcome="dismissed", closed_at=at(20), due_at=None)
    after = moved(first, restart())
    assert (after.order, after.due_at) == (None, at(40))


def test_the_order_of_a_task_is_edited_before_its_start() -> None:
    """Each value alone, with the words that its run reads, and nothing where nothing changes."""
    thread = moved(ordered(), added("all of them", ts="110.000001", root="100.000001"))
    event = OrderEdited(at=at(30), fresh=fresh(), by=OPERATOR, title="Count them", priority=5)
    edited = order(depends_on=(BEFORE,), title="Count them", priority=5, is_title_behind=True)
    first = thread.messages[0].evolve(content=edited.words, asks=search_text(edited.words))
    assert moved(thread, event) == noted(thread, event, order=edited, messages=(first, *thread.messages[1:]))
    text = OrderEdited(at=at(31), fresh=fresh(), by=OPERATOR, description="All of them.")
    assert moved(thread, text).order == order(depends_on=(BEFORE,), description="All of them.")
    assert not step(thread, OrderEdited(at=at(31), fresh=fresh(), by=OPERATOR, title=TITLE)).accepted


def test_a_task_is_routed_to_the_project_that_an_edit_names() -> None:
    """As its order says, whatever it was routed to before."""
    router = FixedRouter()
    limits = replace(LIMITS, router=router)
    thread = ordered(project="attic").evolve(route=None)
    edit = OrderEdited(at=at(30), fresh=fresh(), by=OPERATOR, project="shop")
    after = advance(thread, edit, limits).thread
    assert after
    assert after.order
    assert (after.order.project, after.route and after.route.project) == ("shop", "shop")
    assert router.subjects == ["shop"]
    assert moved(thread, edit).route is None
    assert not step(moved(thread, edit), replace(edit, at=at(31))).accepted


class FixedRouter:
    """Router to the project of the subject, which it notes."""

    def __init__(self) -> None:
        self.subjects: list[str] = []

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        """The route of a question."""
        self.subjects.append(subject.project if subject else "")
        return Route(role="r", role_name="R", project=self.subjects[-1], why=f"{channel} {len(text)}")


def test_the_first_message_of_a_task_follows_its_title() -> None:
    """Until it shows the newest one; an older one that arrives late counts for nothing."""
    thread = moved(ordered(), OrderEdited(at=at(30), fresh=fresh(), by=OPERATOR, title="Count them"))
    assert thread.is_behind
    late = TitleShown(at=at(31), fresh=fresh(), title=TITLE)
    assert not step(thread, late).accepted
    again = moved(thread, OrderEdited(at=at(32), fresh=fresh(), by=OPERATOR, priority=7))
    assert again.order
    assert again.order.is_title_behind
    shown = TitleShown(at=at(33), fresh=fresh(), title="Count them")
    after = moved(again, shown)
    assert after == again.evolve(order=again.order.evolve(is_title_behind=False))
    assert not step(after, shown).accepted
    assert not step(collecting(), shown).accepted


@pytest.mark.parametrize(
    "thread",
    [
        collecting(),
        failed(),
        running_order(),
        ordered_threads.pending(),
        ordered(question_round=2),
        ordered().evolve(status="closed", outcome="skipped"),
    ],
    ids=["no order", "a question", "at work", "draft", "another question", "closed"],
)
def test_an_order_is_not_edited_otherwise(thread: Thread) -> None:
    """Its run has read it, or there is none."""
    assert not step(thread, OrderEdited(at=at(30), fresh=fresh(), by=OPERATOR, priority=5)).accepted


def test_a_reply_completes_a_created_task() -> None:
    """As for any question."""
    thread = approved().evolve(order=order())
    done = moved(thread, Posted(at=at(30), fresh=fresh(), ts="130.000001"))
    assert find_task_status(done) == "COMPLETED"


def test_a_created_task_never_starts_by_its_debounce() -> None:
    """It has no due time; the scheduler starts it."""
    assert not step(ordered(), Due(at=at(99), fresh=fresh())).accepted
