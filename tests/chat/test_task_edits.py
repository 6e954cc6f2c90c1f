"""`edit_task` and `delete_task`: which tasks they change, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from bot.commands.command import SealedRequest
from bot.commands.handler import CommandHandler
from bot.commands.inputs_created import EditTask, NewTask
from bot.commands.registry import bound_commands
from bot.commands.task_changes import DeletedTask, TaskChanges
from bot.models.thread_event import Approve, Dismiss
from bot.triage.thread_removal import ThreadRemoval
from tests.builders import OPERATOR, moved
from tests.chat.crew import Booth, command, handler
from tests.chat.test_task_changes import task
from tests.chat.test_tasks import Desk, asked, dismissed, drafted, failed
from tests.decide import ordered
from tests.decide.test_task_events import failed as failed_run
from tests.decide.test_task_events import running_order, stopped
from tests.decide.test_workflow import press
from tests.fakes import LeapingClock, MemoryJournal, settle
from tests.triage.test_thread_removal import Folders

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread


class Office(Desk):
    """Threads, the commands, and a Slack that shows every end at once unless `is_slow`."""

    def __init__(self, *threads: Thread, is_slow: bool = False) -> None:
        super().__init__(*threads)
        self.journal, self.removed, self.is_slow = MemoryJournal(), Folders(), is_slow
        clock = LeapingClock()
        self.changes = TaskChanges(
            finder=self.tasks.finder,
            states=self.tasks.states,
            index=self.orchestrator.open_threads.tasks,
            removal=ThreadRemoval(
                store=self.store,
                folders=self.removed,
                open_threads=self.orchestrator.open_threads,
                events=self.journal,
                clock=clock,
            ),
            overview=self.overview,
            operators=self,  # type: ignore[arg-type]  # it has what the commands call
            clock=clock,
        )
        clock.sleep = self.show_views  # type: ignore[assignment,method-assign]  # Slack takes the cards

    async def show_views(self, _: float) -> None:
        """Let Slack show what the documents say."""
        await settle()
        for name, thread in [*self.store.saved.items()]:
            if not self.is_slow:
                card = thread.card.evolve(drawn=thread.revision)
                self.store.saved[name] = thread.evolve(card=card, marks=(), asker_line=None)

    def handler(self) -> CommandHandler:
        """A handler with these commands."""
        known = handler(chat=Booth())
        own = {each.spec.name: each for each in bound_commands(self.changes)}
        return CommandHandler(
            commands={**known.commands, **own},
            permission=known.permission,
            audit=known.audit,
            clock=known.clock,
            redactor=known.redactor,
            confirmations=known.confirmations,
            chat=known.chat,
        )

    async def edit(self, thread: Thread, **given: Any) -> CommandAnswer:
        """The command, typed."""
        given = {"task": thread.task, **given}
        return await self.handler().execute("edit_task", given, command(user_id=OPERATOR))

    async def delete(self, thread: Thread) -> CommandAnswer:
        """The command in a terminal, with the typed name."""
        asker, given = command(user_id=OPERATOR, via="cli"), {"task": thread.task}
        asked = await self.handler().execute("delete_task", given, asker)
        assert (asked.typed_again or f"{thread.task}#").startswith(f"{thread.task}#")
        return await self.handler().execute("delete_task", given, asker, typed=asked.typed_again or thread.task)

    def order(self, thread: Thread) -> TaskOrder:
        """The order as it is now."""
        found = self.store.saved[thread.thread_id].order
        assert found
        return found


async def test_a_created_task_is_edited_before_its_start() -> None:
    """Each value alone or together; the words that its run reads change with them."""
    office = Office(thread := task())
    answer = await office.edit(thread, title="Count the parcels", priority=5)
    assert answer.line.startswith(f"Changed the title and priority of `{thread.task}`.")
    assert f"`edit_task {thread.task} priority=100` with the title below changes it back." in answer.line
    assert answer.rows == ("The title before: List the limits",)
    order = office.order(thread)
    assert (order.title, order.priority, order.description) == ("Count the parcels", 5, "Say where the limit is set.")
    assert order.is_title_behind
    answer = await office.edit(thread, description="By depot, and for each week.")
    assert "description" in answer.line
    assert answer.rows == ("The description before: Say where the limit is set.",)
    saved = office.store.saved[thread.thread_id]
    assert saved.question == "Count the parcels\nBy depot, and for each week."
    assert "By depot" in saved.search_text
    again = await office.edit(thread, priority=5)
    assert (again.outcome, again.is_unchanged) == ("done", True)


async def test_a_task_moves_to_another_project() -> None:
    """The way back is named unless its project is gone."""
    office = Office(thread := task(project="attic"))
    answer = await office.edit(thread, project="SHOP")
    assert answer.line == f"Changed the project of `{thread.task}`."
    assert office.order(thread).project == "shop"
    again = await office.edit(office.store.saved[thread.thread_id], project="api", priority=5)
    assert again.line.startswith(f"Changed the project and priority of `{thread.task}`. `edit_task {thread.task} ")
    assert " project=shop" in again.line
    assert " priority=100" in again.line
    unknown = await office.edit(thread, project="shopp")
    assert (unknown.outcome, "There is no project `shopp`" in unknown.line) == ("invalid", True)


@pytest.mark.parametrize("text", ["project=alpha", "depends-on=x", "prio=1", "  weight=3 priority=9"])
async def test_a_field_that_is_none_of_its_own_is_not_taken_for_the_description(text: str) -> None:
    """The text of before would be lost, and the order with it; words with an equals sign further on are text."""
    office = Office(thread := task())
    answer = await office.edit(thread, description=text)
    assert answer.outcome == "invalid"
    assert "it begins like a field that this command does not have" in answer.line
    assert office.order(thread).description == "Say where the limit is set."
    assert (await office.edit(thread, description="Say why retries=3 is set; MAX=4 is not.")).outcome == "done"
    with pytest.raises(ValidationError, match="begins like a field"):
        NewTask.model_validate({"title": "x", "description": "dependson=first Do it after"})


@pytest.mark.parametrize("thread", [stopped(), failed_run(running_order())], ids=["stopped", "failed"])
async def test_a_task_that_was_stopped_is_edited_for_its_restart(thread: Thread) -> None:
    """The next run reads it; the answer names the command that starts it."""
    office = Office(thread)
    answer = await office.edit(thread, description="By depot.")
    assert f"`restart_task {thread.task}` starts it with them" in answer.line
    assert office.order(thread).description == "By depot."
    assert "By depot." in office.store.saved[thread.thread_id].question


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        (
            running_order(),
            "is IN_PROGRESS: only a task that has not started, or was stopped, can be edited. `stop_task",
        ),
        (ordered.pending(), "is AWAITING_APPROVAL: only a task"),
        (ordered.replied(), "`create_task` makes a new one"),
        (moved(one := task(), press(Dismiss, one)), "`restart_task"),
        (asked(), "is a question of a person: its asker edits"),
        (failed(), "is a question of a person"),
    ],
    ids=["at work", "draft", "replied", "dismissed", "question", "failed question"],
)
async def test_what_has_started_is_not_edited(thread: Thread, words: str) -> None:
    """The answer names the next step."""
    office = Office(thread)
    answer = await office.edit(thread, priority=5)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line
    assert office.store.saved[thread.thread_id] is thread


@pytest.mark.parametrize(
    "given",
    [
        {"task": "x-1", "priority": 0},
        {"task": "x-1", "priority": "first"},
        {"task": "x-1", "title": "x" * 121},
        {"task": "x-1", "title": "  "},
        {"task": "x-1", "description": "x" * 12_001},
        {"priority": 5},
        {"task": "a b", "priority": 5},
        {"task": "x-1", "depends_on": "y-1"},
    ],
)
def test_an_edit_that_does_not_fit_is_refused(given: dict[str, Any]) -> None:
    """As for a new task."""
    with pytest.raises(ValidationError):
        EditTask.model_validate(given)


async def test_an_edit_without_a_change_asks_what_is_to_change() -> None:
    """With the words for it."""
    assert "What is to change?" in (await Office(thread := task()).edit(thread)).line


async def test_a_model_edits_nothing_without_a_press() -> None:
    """It is the work that a person has agreed to."""
    office = Office(thread := task())
    given = {"task": thread.task, "description": "Something else."}
    answer = await office.handler().execute("edit_task", given, command(user_id=OPERATOR, via="chat"))
    assert (answer.outcome, "`Something else.`" in answer.line) == ("asked", True)
    assert office.order(thread).description == "Say where the limit is set."


@pytest.mark.parametrize(
    "thread",
    [task(), stopped(), drafted(), failed(), dismissed(), ordered.replied()],
    ids=["ready", "stopped", "draft", "failed", "dismissed", "replied"],
)
async def test_a_task_that_is_not_in_progress_is_deleted(thread: Thread) -> None:
    """An open one is closed first, and goes once Slack shows that; its journals stay."""
    office = Office(thread)
    answer = await office.delete(thread)
    assert (answer.outcome, f"`triage purge --thread {thread.thread_id}`" in answer.line) == ("done", True), answer.line
    assert office.store.saved == {}
    assert office.removed.removed == [f"{thread.thread_id} {thread.task}"]
    assert [(each["kind"], each["thread_id"]) for each in office.journal.kept] == [("removed", thread.thread_id)]
    assert not office.orchestrator.open_threads.is_open(thread.thread_id)
    assert (await office.delete(thread)).outcome == "invalid"


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        (asked(), "is IN_PROGRESS: `stop_task"),
        (running_order(), "is IN_PROGRESS"),
        (moved(one := drafted(), press(Approve, one)), "is IN_PROGRESS"),
        (drafted().evolve(status="in-doubt"), "decide on its card first"),
    ],
    ids=["runs", "created", "approved", "in doubt"],
)
async def test_what_is_in_progress_is_not_deleted(thread: Thread, words: str) -> None:
    """Nor asked about."""
    office = Office(thread)
    answer = await office.delete(thread)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line
    assert office.store.saved[thread.thread_id] is thread


async def test_what_others_depend_on_is_not_deleted() -> None:
    """They are named; not to a model, since their names are made of people's words."""
    first = dismissed(400)
    office = Office(first, second := task(500, depends_on=(first.thread_id,)))
    answer = await office.delete(first)
    assert (answer.outcome, f"`{second.task}`" in answer.line) == ("invalid", True)
    asker = command(user_id=OPERATOR, via="chat")
    answer = await office.handler().execute("delete_task", {"task": first.task}, asker)
    assert (answer.outcome, second.task in answer.line) == ("invalid", False)
    assert (await office.delete(second)).outcome == "done"
    assert (await office.delete(first)).outcome == "done"


async def test_a_deletion_waits_for_the_typed_name() -> None:
    """In Slack as well; what is shown says what goes and what stays."""
    office = Office(thread := dismissed())
    asker = command(user_id=OPERATOR)
    answer = await office.handler().execute("delete_task", {"task": thread.task}, asker)
    assert (answer.outcome, answer.typed_again) == ("asked", thread.task)
    shown = await office.changes.show_deletion(EditTask.model_validate({"task": thread.task, "priority": 1}), asker)  # type: ignore[arg-type]  # it has the one field
    assert isinstance(shown, SealedRequest)
    assert f"`tasks/{thread.task}` and its long runs are deleted" in shown.shown
    assert "Its messages in Slack stay" in shown.shown
    wrong = await office.handler().execute(
        "delete_task", {"task": thread.task}, command(user_id=OPERATOR, via="cli"), typed="delete_task"
    )
    assert wrong.outcome == "refused"
    assert thread.thread_id in office.store.saved


async def test_a_card_that_slack_does_not_take_keeps_the_document() -> None:
    """It is closed, and goes at a later try."""
    office = Office(thread := drafted(), is_slow=True)
    answer = await office.delete(thread)
    assert (answer.outcome, "Give the command again" in answer.line) == ("failed", True)
    assert office.store.saved[thread.thread_id].outcome == "dismissed"
    office.is_slow = False
    assert (await office.delete(thread)).outcome == "done"


async def test_a_deletion_that_was_overtaken_changes_nothing() -> None:
    """Its task was restarted between the question and the press, or is gone."""
    office = Office(thread := dismissed())
    request = DeletedTask(task=thread.task, thread_id=thread.thread_id)
    office.store.saved[thread.thread_id] = asked()
    assert "is IN_PROGRESS" in (await office.changes.delete(request, command(user_id=OPERATOR))).line
    del office.store.saved[thread.thread_id]
    answer = await office.changes.delete(request, command(user_id=OPERATOR))
    assert (answer.outcome, answer.is_unchanged) == ("done", True)


async def test_a_person_who_may_not_decide_edits_and_deletes_nothing() -> None:
    """An operator of another channel; a member never."""
    office = Office(thread := task())
    office.refused = "Only an operator of this channel can decide this."
    assert (await office.edit(thread, priority=5)).outcome == "refused"
    assert (await office.delete(thread)).outcome == "refused"
    office.refused = None
    for name, given in (("edit_task", {"priority": 5}), ("delete_task", {})):
        answer = await office.handler().execute(name, {"task": thread.task, **given}, command(user_id="U0ANA"))
        assert answer.outcome == "refused"
    assert office.store.saved[thread.thread_id] is thread


async def test_a_decision_that_came_first_is_not_overwritten() -> None:
    """The card was dismissed between the look and the deletion."""
    office = Office(thread := drafted())
    submit = office.orchestrator.submit

    async def submit_late(thread_id: str, event: Any) -> Any:
        if isinstance(event, Dismiss) and event.by == OPERATOR and event.fresh != "late":
            await submit(thread_id, press(Dismiss, thread, by="U0BEN", fresh="late"))
        return await submit(thread_id, event)

    office.orchestrator.submit = submit_late  # type: ignore[method-assign]  # a colleague is faster
    assert "just changed" in (await office.delete(thread)).line
    decision = office.store.saved[thread.thread_id].decision
    assert decision
    assert decision.by == "U0BEN"
