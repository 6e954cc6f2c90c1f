"""`approve_task`: the draft that was shown, by the press of the person who asked, once, with the rights of its card."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.approval.answers import FIRST_OF_TWO, STOPPED
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.handler import CommandHandler
from bot.commands.inputs_work import OfTask
from bot.commands.permission import Permission
from bot.commands.registry import bound_commands
from bot.commands.search import TaskFinder
from bot.commands.task_approvals import MAX_SHOWN, ShownDraft, TaskApprovals
from bot.decide.redaction.redactor import Redactor
from bot.decide.workflow.approvals import ASKER as ASKER_MAY_NOT
from bot.decide.workflow.approvals import NO_ANSWER, OPENING, TWICE
from bot.models.pending_command import ConfirmationPress
from bot.models.thread_event import Dismiss
from bot.triage.controls import Controls
from tests.approval.test_actions import BEN, Office
from tests.builders import ASKER, CHANNEL, LIMITS, OPERATOR, TEAM, added, at, draft_for
from tests.chat.crew import ADMIN, Booth, command
from tests.decide import test_workflow as story
from tests.fakes import MemoryJournal, MemoryKept, settle

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer
    from bot.models.pending_command import Confirmation
    from bot.models.thread import Thread

URL = "https://acme.slack.com/"


class Counter:
    """The commands on tasks of an approval office, with the buttons of their confirmations."""

    def __init__(self, office: Office | None = None, kept: MemoryKept | None = None) -> None:
        self.office = office or Office()
        self.chat, self.kept = Booth(), kept or MemoryKept()
        self.office.clock.new_id = self._new_id  # ids of confirmations are hexadecimal
        finder = TaskFinder(
            store=self.office.store, tasks=self, orchestrator=self.office.orchestrator, team_id=TEAM, url=URL
        )
        self.commands = TaskApprovals(finder=finder, approval=self.office.approval, url=URL)
        operators = self.office.approval.operators
        rights = Permission(operators=operators, admins=frozenset({ADMIN}), members=operators.members)
        self.handler = CommandHandler(
            commands={each.spec.name: each for each in bound_commands(self.commands)},
            permission=rights,
            audit=MemoryJournal(),
            clock=self.office.clock,
            redactor=Redactor(),
            confirmations=Confirmations(file=self.kept, clock=self.office.clock),
            chat=self.chat,  # type: ignore[arg-type]  # of a chat, what shows and opens
            url=URL,
        )
        self.buttons = ConfirmationButtons(
            handler=self.handler,
            confirmations=self.handler.confirmations,
            chat=self.chat,  # type: ignore[arg-type]  # as above
        )
        self.presses = 0
        self._ids = 0

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:08x}"

    async def names(self) -> list[str]:
        """No folder of a task."""
        return []

    async def ask(self, thread: Thread, *, user: str = OPERATOR, via: str = "slash", **more: Any) -> CommandAnswer:
        """The command for this task."""
        return await self.handler.execute("approve_task", {"task": thread.task}, command(user_id=user, via=via), **more)

    async def press(self, answer: CommandAnswer, *, user: str = OPERATOR, **more: Any) -> None:
        """The press of the button."""
        self.presses += 1
        pressed = ConfirmationPress(
            interaction_id=f"p{self.presses}",
            team_id=TEAM,
            user_id=user,
            channel_id=CHANNEL,
            confirmation_id=answer.confirmation or "",
            action="command_confirm",
            trigger_id="1.2",
        )
        await self.buttons.handle_press(pressed, **more)
        await settle()

    async def waiting(self, answer: CommandAnswer) -> Confirmation:
        """The confirmation."""
        found = await self.handler.confirmations.find(answer.confirmation or "")
        assert found
        return found

    def now(self, thread: Thread) -> Thread:
        """The thread as it is now."""
        return self.office.store.saved[thread.thread_id]


async def test_a_shown_draft_is_approved_by_a_press_once() -> None:
    """With its place; the second press, and the button of its card, find it decided."""
    counter = Counter()
    thread = await counter.office.pending()
    answer = await counter.ask(thread)
    assert (answer.outcome, counter.now(thread).status) == ("asked", "pending-user")
    shown = (await counter.waiting(answer)).said
    assert "> It is set in `bot/a.py:1`." in shown
    assert f"{URL}archives/C0HELP/p1" in shown
    await counter.press(answer)
    assert counter.now(thread).status == "approved"
    decision = counter.now(thread).decision
    assert decision
    assert decision.by == OPERATOR
    assert f"Approved: `{thread.task}`" in counter.chat.said[-1]
    posts = len(counter.office.effects.started)
    await counter.press(answer)
    assert "nothing is done twice" in counter.chat.said[-1]
    assert await counter.office.approval.act(counter.office.press(thread)) is not None
    assert len(counter.office.effects.started) == posts
    assert [each["action"] for each in counter.office.audit.kept if each["result"] == "done"] == ["approve"]
    await counter.office.orchestrator.stop()


@pytest.mark.parametrize("via", ["slash", "thread", "chat", "cli"])
@pytest.mark.parametrize("tainted", [False, True])
async def test_no_interface_approves_without_a_press_or_the_typed_name(via: str, tainted: bool) -> None:
    """A model's call neither; its answer has no word of the draft."""
    counter = Counter()
    thread = await counter.office.pending()
    answer = await counter.ask(thread, via=via, tainted=tainted, typed=thread.task)
    assert answer.outcome == ("refused" if via == "cli" else "asked")
    assert counter.now(thread).status == "pending-user"
    assert "It is set" not in answer.text
    await counter.office.orchestrator.stop()


async def test_the_name_typed_in_a_terminal_stands_for_the_shown_draft() -> None:
    """Not for another one that has come since."""
    counter = Counter()
    thread = await counter.office.pending()
    shown = await counter.ask(thread, via="cli")
    assert (shown.outcome, "> It is set in" in shown.text) == ("asked", True)
    word = shown.typed_again
    assert word
    assert word.startswith(f"{thread.task}#")
    await counter.office.redrafted(thread)
    refused = await counter.ask(thread, via="cli", typed=word)
    assert (refused.outcome, "changes with what it confirms" in refused.line) == ("refused", True)
    again = await counter.ask(thread, via="cli")
    assert again.typed_again != word
    assert (await counter.ask(thread, via="cli", typed=again.typed_again)).outcome == "done"
    assert counter.now(thread).status == "approved"
    await counter.office.orchestrator.stop()


async def test_two_terminals_that_approve_the_same_draft_are_told_that_it_is_approved() -> None:
    """One did it, and to the other it is no refusal."""
    counter = Counter()
    thread = await counter.office.pending()
    word = (await counter.ask(thread, via="cli")).typed_again
    answers = await asyncio.gather(*(counter.ask(thread, via="cli", typed=word) for _ in range(2)))
    assert sorted(each.outcome for each in answers) == ["done", "invalid"]
    late = next(each for each in answers if each.outcome == "invalid")
    assert any(words in late.line for words in ("was approved already", "is approved, and its reply on its way"))
    assert [each["action"] for each in counter.office.audit.kept if each["result"] == "done"] == ["approve"]
    await counter.office.orchestrator.stop()


@pytest.mark.parametrize("user", [BEN, ADMIN, ASKER])
async def test_nobody_else_presses(user: str) -> None:
    """Another operator and an admin have to ask for it themselves."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    await counter.press(answer, user=user)
    assert counter.now(thread).status == "pending-user"
    assert "Only the person who asked" in counter.chat.said[-1]
    await counter.office.orchestrator.stop()


async def test_an_admin_who_is_no_operator_of_the_channel_may_not_approve() -> None:
    """As on the card: only an operator can decide."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending(), user=ADMIN)
    assert (answer.outcome, "Only an operator" in answer.line) == ("refused", True)
    assert (await counter.ask(thread, user=ASKER)).outcome == "refused"
    await counter.office.orchestrator.stop()


async def test_a_right_that_is_lost_before_the_press_is_lost() -> None:
    """It is checked again then."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    counter.office.approval.operators.everywhere = (BEN,)
    await counter.press(answer)
    assert counter.now(thread).status == "pending-user"
    assert "Only operators" in counter.chat.said[-1]
    await counter.office.orchestrator.stop()


async def test_a_message_that_came_meanwhile_stops_the_press_and_is_shown_the_next_time() -> None:
    """As Post Anyway on the card: the press then posts in view of it."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    counter.office.said = [added("three times, I think", ts="1.5", root="1.1", sender=BEN)]
    await counter.press(answer)
    assert counter.now(thread).status == "pending-user"
    assert "look at it again" in counter.chat.said[-1]
    again = await counter.ask(thread)
    assert "*Look again:* New in the thread" in (await counter.waiting(again)).said
    await counter.press(again)
    assert counter.now(thread).status == "approved"
    await counter.office.orchestrator.stop()


async def test_another_draft_than_the_shown_one_is_not_approved() -> None:
    """An edit, a new draft or a dismissal came between; the answer names the next step, and no words of people."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    await counter.office.redrafted(thread)
    await counter.press(answer)
    assert counter.now(thread).status == "pending-user"
    assert f"`approve_task {thread.task}` shows it as it is now" in counter.chat.said[-1]
    again = await counter.ask(thread)
    await counter.office.orchestrator.submit(thread.thread_id, story.press(Dismiss, counter.now(thread)))
    await counter.press(again)
    assert counter.now(thread).outcome == "dismissed"
    assert "already decided" in counter.chat.said[-1]
    await counter.office.orchestrator.stop()


async def test_faults_that_were_not_shown_are_not_confirmed() -> None:
    """A digest of what was named goes with the press."""
    counter = Counter()
    thread = await counter.office.pending()
    faulty = thread.evolve(unsupported=("42",))
    counter.office.store.saved[thread.thread_id] = faulty
    answer = await counter.ask(thread)
    assert "*Look again:* `42` is not supported" in (await counter.waiting(answer)).said
    counter.office.store.saved[thread.thread_id] = faulty.evolve(unsupported=("42", "43"))
    await counter.press(answer)
    assert counter.now(thread).status == "pending-user"
    counter.office.store.saved[thread.thread_id] = faulty
    await counter.press(await counter.ask(thread))
    assert counter.now(thread).status == "approved"
    await counter.office.orchestrator.stop()


async def test_a_later_request_replaces_the_earlier_buttons() -> None:
    """Of the same task, which they show as it was."""
    counter = Counter()
    first = await counter.ask(thread := await counter.office.pending())
    second = await counter.ask(thread)
    assert ((await counter.waiting(first)).state, (await counter.waiting(second)).state) == ("replaced", "open")
    await counter.press(first)
    assert counter.now(thread).status == "pending-user"
    await counter.office.orchestrator.stop()


@pytest.mark.parametrize("is_taken", [False, True])
async def test_a_press_after_a_restart_finds_what_was_shown(is_taken: bool) -> None:
    """One that was begun before the crash is not begun again."""
    kept = MemoryKept()
    before = Counter(kept=kept)
    answer = await before.ask(thread := await before.office.pending())
    if is_taken:
        await before.handler.confirmations.mark_taken(answer.confirmation or "")
    after = Counter(before.office, kept=kept)
    await after.press(answer, replayed=True)
    assert after.now(thread).status == ("pending-user" if is_taken else "approved")
    await after.press(answer, replayed=True)
    assert len([each for each in before.office.audit.kept if each["action"] == "approve"]) == (0 if is_taken else 1)
    await before.office.orchestrator.stop()


async def test_two_must_approve_where_the_settings_say_so() -> None:
    """The first approval is recorded; the same person is no second one."""
    counter = Counter()
    counter.office.orchestrator.limits = replace(LIMITS, second_approver=True)
    answer = await counter.ask(thread := await counter.office.pending())
    assert "A second person must approve it" in (await counter.waiting(answer)).said
    await counter.press(answer)
    assert counter.chat.said[-1] == FIRST_OF_TWO
    assert counter.now(thread).status == "pending-user"
    assert (await counter.ask(thread)).line == TWICE
    await counter.press(await counter.ask(thread, user=BEN), user=BEN)
    assert counter.now(thread).status == "approved"
    await counter.office.orchestrator.stop()


async def test_practice_posts_nothing_and_says_so() -> None:
    """Where the channel's mode is preview."""
    counter = Counter()
    thread = await counter.office.pending()
    counter.office.store.saved[thread.thread_id] = thread.evolve(mode="preview")
    answer = await counter.ask(thread)
    assert "*Practice:*" in (await counter.waiting(answer)).said
    await counter.press(answer)
    assert counter.now(thread).outcome == "practice"
    assert "nothing was posted" in counter.chat.said[-1]
    await counter.office.orchestrator.stop()


def _long(thread: Thread) -> Thread:
    return thread.evolve(draft_pending=draft_for(thread, "word " * MAX_SHOWN))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (lambda t: t.evolve(status="in-doubt"), "Slack did not confirm"),
        (lambda t: t.evolve(draft_pending=None, failure="no key"), "no draft that awaits approval"),
        (lambda t: t.evolve(status="investigating"), "no draft that awaits approval"),
        (lambda t: t.evolve(status="closed", outcome="dismissed"), "no draft that awaits approval"),
        (lambda t: t.evolve(opening="o1"), OPENING),
        (lambda t: t.evolve(found_nothing=True), NO_ANSWER),
        (lambda t: t.evolve(draft_pending=t.draft_pending.evolve(withheld="a key")), "looks like a secret"),
        (_long, "too long to be shown here"),
    ],
    ids=["in doubt", "failed", "at work", "closed", "edited", "nothing found", "secret", "long"],
)
async def test_what_cannot_be_approved_says_why(changes: Any, words: str) -> None:
    """Before anything is asked."""
    counter = Counter()
    thread = await counter.office.pending()
    counter.office.store.saved[thread.thread_id] = changes(thread)
    answer = await counter.ask(thread)
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line
    assert counter.chat.posted == []
    await counter.office.orchestrator.stop()


async def test_an_asker_who_may_not_approve_their_own_question_is_told() -> None:
    """As on the card (`approval.asker_may_approve`)."""
    counter = Counter()
    counter.office.orchestrator.limits = replace(LIMITS, asker_may_approve=False)
    thread = await counter.office.pending()
    counter.office.store.saved[thread.thread_id] = thread.evolve(original_sender_id=OPERATOR)
    assert (await counter.ask(thread)).line == ASKER_MAY_NOT
    await counter.office.orchestrator.stop()


async def test_nothing_is_approved_while_triage_is_stopped() -> None:
    """Neither shown nor pressed."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
    await controls.set_state("stopped", at())
    counter.office.orchestrator.controls = controls
    await counter.press(answer)
    assert STOPPED in counter.chat.said[-1]
    assert (await counter.ask(thread)).line == STOPPED
    await counter.office.orchestrator.stop()


@pytest.mark.parametrize(
    ("given", "words"),
    [({"task": "a b"}, "expected a task's name"), ({"task": "gone-1"}, "There is no task"), ({}, "Which task?")],
)
async def test_a_task_that_is_not_there_is_not_approved(given: dict[str, str], words: str) -> None:
    """Nor one that has no name of a task."""
    answer = await Counter().handler.execute("approve_task", given, command(user_id=OPERATOR))
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line


async def test_two_presses_at_once_approve_once() -> None:
    """The confirmation, the button of the card and the draft are each for one."""
    counter = Counter()
    answer = await counter.ask(thread := await counter.office.pending())
    await asyncio.gather(
        counter.press(answer), counter.press(answer), counter.office.approval.act(counter.office.press(thread))
    )
    results = [each["result"] for each in counter.office.audit.kept if each["action"] == "approve"]
    assert results.count("done") == 1
    assert counter.now(thread).status == "approved"
    await counter.office.orchestrator.stop()


async def test_a_forged_sealed_input_is_no_input_of_the_command() -> None:
    """A caller cannot name the draft, only the task."""
    counter = Counter()
    thread = await counter.office.pending()
    draft = thread.draft_pending
    assert draft
    sealed = ShownDraft(
        task=thread.task,
        thread_id=thread.thread_id,
        draft_id=draft.draft_id,
        nonce=draft.nonce,
        confirmed="",
        anyway=False,
    )
    answer = await counter.handler.execute("approve_task", sealed.model_dump(), command(user_id=OPERATOR))
    assert answer.outcome == "invalid"
    assert OfTask.model_fields.keys() == {"task"}
    await counter.office.orchestrator.stop()
