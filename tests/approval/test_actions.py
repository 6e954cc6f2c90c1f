"""The operator's desk at the press: what has changed since the card was drawn stops the approval."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from blocks.controls import press_value
from bot.approval.actions import Approval
from bot.approval.answers import FIRST_OF_TWO, NOBODY_ELSE, STOPPED, TOO_SOON
from bot.approval.fix_presses import FixPresses
from bot.approval.runbook_presses import RunbookPresses
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, Unreadable
from bot.models.findings import EvidenceCheck, ProposedTriageFile
from bot.models.interaction import Dialog, Press
from bot.models.project import Project
from bot.models.thread import Thread
from bot.models.thread_event import Due, Redraft
from bot.reports.metrics import decision
from bot.triage.controls import Controls
from bot.triage.evidence_recheck import EvidenceRecheck
from bot.triage.freshness import Freshness
from bot.triage.ground_truth import GroundTruth
from bot.triage.reader_clock import ReaderClock
from tests.builders import ASKER, LIMITS, OPERATOR, TEAM, added, at, found, fresh, moved, validated
from tests.decide import test_workflow as story
from tests.fakes import (
    HandClock,
    MemoryJournal,
    MemoryKept,
    MemoryStore,
    RememberingChat,
    Town,
    operators,
    projects,
    settle,
)
from tests.fixes import Drafter
from tests.runbooks import Runbooks
from tests.triage.test_orchestrator import Desk

BEN = "U0BEN"
"""Another operator."""


class Zones:
    """The operator is in Berlin."""

    async def time_zone(self, user: str) -> str:
        """Return the time zone of a person."""
        return "Europe/Berlin" if user == OPERATOR else "UTC"


class Lessons:
    """Keeps what was learned: which thread is none for us, who says so, and in which dialog."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, str, str]] = []

    async def not_for_us(self, thread: Thread, *, by: str, interaction_id: str) -> None:
        """Keep it."""
        self.kept.append((thread.thread_id, by, interaction_id))


class Unmoved(EvidenceRecheck):
    """The code that drafts rest on stays as it is."""

    async def check(self, thread: Thread, project: Project | None = None) -> tuple[EvidenceCheck, ...]:
        """What was found before."""
        return thread.evidence_checks


class Office(Desk):
    """An orchestrator with an approval desk; `said` is what the thread turns out to hold at the press."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.said: list[Any] = []
        self.unreadable: Exception | None = None
        self.chat, self.audit, self.town = RememberingChat(), MemoryJournal(), Town()
        self.lessons = Lessons()
        self.clock = clock = HandClock()
        self.own: list[dict[str, Any]] = []
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self.runbooks, self.drafter = Runbooks(), Drafter()
        nowhere: Any = None  # what was read is handed over
        shop = projects()
        freshness = Freshness(
            evidence=Unmoved(projects=shop),
            catch_up=self,  # type: ignore[arg-type]  # it has what freshness calls
            ground_truth=GroundTruth(history=nowhere, bot_user_id="U0TRIAGE", clock=clock),
            clock=clock,
        )
        self.approval = Approval(
            orchestrator=self.orchestrator,
            chat=self.chat,  # type: ignore[arg-type]  # the fake has what approval calls
            audit=self.audit,
            clock=clock,
            operators=operators(OPERATOR, BEN, town=self.town, clock=clock),
            freshness=freshness,
            reader_clock=ReaderClock(people=Zones()),
            runbooks=RunbookPresses(orchestrator=self.orchestrator, runner=self.runbooks),
            fixes=FixPresses(orchestrator=self.orchestrator, clock=clock, drafter=self.drafter),
            corrections=self.lessons,  # type: ignore[arg-type]  # as above
        )

    async def thread(self, thread: Thread, *, in_passing: bool = False) -> list[dict[str, Any]]:
        """Take in what was said, as the watcher's door does; the bot's own words are handed over alone."""
        if self.meanwhile:
            await self.meanwhile()
        if self.unreadable:
            raise self.unreadable
        for message in self.said:
            await self.orchestrator.add(thread.thread_id, message)
        return self.own

    async def pending(self) -> Thread:
        """A draft that waits for a decision."""
        thread_id = await self.open("1.1")
        await self.orchestrator.submit(thread_id, found(self.store.saved[thread_id]))
        await self.orchestrator.submit(thread_id, validated(self.store.saved[thread_id]))
        return self.store.saved[thread_id]

    async def redrafted(self, thread: Thread) -> Thread:
        """Another draft, made in view of what has changed."""
        await self.orchestrator.submit(thread.thread_id, story.press(Redraft, thread))
        await self.orchestrator.submit(thread.thread_id, found(self.store.saved[thread.thread_id]))
        await self.orchestrator.submit(thread.thread_id, validated(self.store.saved[thread.thread_id]))
        return self.store.saved[thread.thread_id]

    def press(self, thread: Thread, action: str = "approve", **changes: str) -> Press:
        """A press on the card as it is drawn now."""
        draft = thread.draft_pending
        assert draft is not None
        values = {
            "interaction_id": fresh(),
            "team_id": TEAM,
            "user_id": OPERATOR,
            "action": action,
            "thread_id": thread.thread_id,
            "draft_id": draft.draft_id,
            "nonce": draft.nonce,
            "channel_id": "D0OPS",
            "trigger_id": "t",
        }
        return Press(**(values | changes))


async def test_an_answer_that_no_event_told_of_stops_the_approval() -> None:
    """The thread is read at the press; what is new there makes the draft stale, and the press settles nothing."""
    office = Office()
    thread = await office.pending()
    office.said = [added("three times, I think", ts="1.5", root="1.1", sender="U0BEN")]
    await office.approval.handle_press(office.press(thread))
    after = office.store.saved[thread.thread_id]
    assert (after.status, "three times" in (after.stale or "")) == ("pending-user", True)
    assert "look at it again" in office.chat.notices[0]
    await office.approval.handle_press(office.press(after, "post_anyway"))
    assert office.store.saved[thread.thread_id].status == "approved"
    await office.orchestrator.stop()


def own(ts: str, event_type: str, **payload: str) -> dict[str, Any]:
    """A message of the bot's."""
    return {"ts": ts, "user": "U0TRIAGE", "metadata": {"event_type": event_type, "event_payload": payload}}


async def test_the_bots_own_reply_stops_the_approval_once() -> None:
    """Nobody tells the watcher of a reply to another question; the operator is told, and not again of the same."""
    office = Office()
    thread = await office.pending()
    office.own = [own("1.5", "triage_reply", draft_id="T0-C0-9/1"), own("1.6", "triage_notice", kind="notice")]
    await office.approval.handle_press(office.press(thread))
    stale = office.store.saved[thread.thread_id]
    assert (stale.status, stale.own_ts) == ("pending-user", "1.5")
    assert "Triage itself has answered in this thread" in (stale.stale or "")
    await office.approval.handle_press(office.press(await office.redrafted(stale)))
    assert office.store.saved[thread.thread_id].status == "approved"
    await office.orchestrator.stop()


async def test_a_later_reply_of_the_bots_is_told_of_again() -> None:
    """Post Anyway is the operator's to press."""
    office = Office()
    thread = await office.pending()
    office.own = [own("1.5", "triage_reply", draft_id="T0-C0-9/1")]
    await office.approval.handle_press(office.press(thread))
    again = await office.redrafted(office.store.saved[thread.thread_id])
    office.own.append(own("1.9", "triage_reply", draft_id="T0-C0-9/1"))
    await office.approval.handle_press(office.press(again))
    stale = office.store.saved[thread.thread_id]
    assert (stale.status, stale.own_ts) == ("pending-user", "1.9")
    await office.approval.handle_press(office.press(stale, "post_anyway"))
    assert office.store.saved[thread.thread_id].status == "approved"
    await office.orchestrator.stop()


async def test_what_the_chat_agent_says_stops_nothing() -> None:
    """It is about the bot's own work, and the draft is as true as it was."""
    office = Office()
    thread = await office.pending()
    office.own = [own("1.5", "triage_answer", turn="t1")]
    await office.approval.handle_press(office.press(thread))
    after = office.store.saved[thread.thread_id]
    assert (after.status, after.own_ts) == ("approved", None)
    await office.orchestrator.stop()


async def test_the_threads_earlier_replies_stop_nothing() -> None:
    """The document knows of them; nor does what other people's bots say."""
    office = Office()
    thread = await office.pending()
    office.own = [own("1.5", "triage_reply", draft_id=f"{thread.thread_id}/1"), {"ts": "1.6", "user": "U0BOT"}]
    await office.approval.handle_press(office.press(thread))
    assert office.store.saved[thread.thread_id].status == "approved"
    await office.orchestrator.stop()


async def test_a_thread_that_cannot_be_read_is_not_answered_blindly() -> None:
    """It is tried a few times; then the card says so, and Post Anyway is the operator's to press."""
    office = Office()
    thread = await office.pending()
    office.unreadable = RetryLater("rate limited")
    pressed = asyncio.create_task(office.approval.handle_press(office.press(thread)))
    for _ in range(2):
        await settle()
        await office.clock.move(1)
    await pressed
    stale = office.store.saved[thread.thread_id]
    assert (stale.status, "please check it" in (stale.stale or "")) == ("pending-user", True)
    await office.approval.handle_press(office.press(stale, "post_anyway"))
    assert office.store.saved[thread.thread_id].status == "approved"
    await office.orchestrator.stop()


async def test_an_approval_from_before_a_crash_is_never_lost() -> None:
    """A press that is played again settles even when Slack cannot be read, and nobody is bothered."""
    office = Office()
    thread = await office.pending()
    office.unreadable = RetryLater("not there yet")
    await office.approval.handle_press(office.press(thread), replayed=True)
    assert office.store.saved[thread.thread_id].status == "approved"
    assert office.chat.notices == []
    await office.orchestrator.stop()


async def test_a_press_after_the_expiry_is_told_of_it() -> None:
    """Privately; nothing is posted."""
    office = Office()
    thread = await office.pending()
    await office.orchestrator.submit(thread.thread_id, Due(at=at(10**6), fresh=fresh()))
    await office.approval.handle_press(office.press(thread))
    assert office.store.saved[thread.thread_id].outcome == "expired"
    assert "nobody decided in time." in office.chat.notices[0]
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"user_id": "U0EVIL"}, "Only an operator"),
        ({"team_id": "T0OTHER"}, "Only members of this workspace"),
        ({"nonce": "older"}, "has changed since"),
        ({"action": "launch"}, "another version"),
        ({"thread_id": "T1A-C1A-9.9"}, "no longer knows this question"),
    ],
)
async def test_a_press_that_may_not_settle_says_why(changes: dict[str, str], said: str) -> None:
    """Nothing moves, the person is told, and the audit has it."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, **changes))
    assert office.store.saved[thread.thread_id].status == "pending-user"
    assert said in office.chat.notices[0]
    assert said in office.audit.kept[-1]["result"]
    await office.orchestrator.stop()


class Damaged(MemoryStore):
    """A store in which a document stops parsing; what the journals know of it is `known`."""

    known: Thread | None = None

    async def load(self, thread_id: str) -> Thread | None:
        """Unreadable for as long as it lies there."""
        found = await super().load(thread_id)
        if found and self.known and found.version > self.known.version:
            raise Unreadable(f"{thread_id}: not JSON")
        return found

    async def rebuild(self, thread_id: str) -> Thread | None:
        """Return what the journals know."""
        return self.known


async def test_a_press_on_a_document_that_does_not_parse_has_it_made_anew() -> None:
    """It is set aside and rebuilt immediately, not at the next start, and whoever pressed is told to wait."""
    store = Damaged()
    office = Office(store=store)
    thread = await office.pending()
    first = added("question 1.1?", ts="1.1")
    store.known = moved(None, first)

    office.orchestrator.rebuilder = store
    await office.approval.handle_press(office.press(thread))
    store.known = None
    assert store.saved[thread.thread_id].status in ("collecting", "investigating")
    assert office.chat.notices == ["A new draft is being made. Please wait for it."]
    await office.orchestrator.stop()


@pytest.mark.parametrize(("reason", "learned"), [("not_for_us", True), ("answered_elsewhere", False)])
async def test_what_is_dismissed_as_none_for_us_is_learned_from(reason: str, learned: bool) -> None:
    """Played again after a crash it is learned then, if it was not before; by another one who comes too late, never."""
    office = Office()
    thread = await office.pending()
    draft = thread.draft_pending
    assert draft
    dialog = Dialog(
        interaction_id="i",
        team_id=TEAM,
        user_id=OPERATOR,
        action="dismiss",
        thread_id=thread.thread_id,
        draft_id=draft.draft_id,
        nonce=draft.nonce,
        values={"reason": reason},
    )
    for each in (dialog, dialog.evolve(user_id=BEN, interaction_id="j"), dialog):
        await office.approval.handle_dialog(each, replayed=each is dialog)
    assert office.lessons.kept == ([(thread.thread_id, OPERATOR, "i")] * 2 if learned else [])
    await office.orchestrator.stop()


async def test_any_operator_sees_the_evidence_also_of_a_card_that_is_behind() -> None:
    """It is read from the document, so a restart or a newer draft changes nothing; nothing is settled by it."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "show_evidence", user_id=BEN, nonce="before"))
    (view,) = office.chat.views
    assert (view["callback_id"], "bot/a.py:1" in str(view)) == ("show_evidence", True)
    assert office.store.saved[thread.thread_id] == thread
    assert office.chat.notices == []


@pytest.mark.parametrize("changes", [{"user_id": "U0ANA"}, {"team_id": "T0OTHER"}])
async def test_nobody_else_sees_the_evidence(changes: dict[str, str]) -> None:
    """They are told so; and a press that comes again from the journal opens nothing for anybody."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "show_evidence", **changes))
    await office.approval.handle_press(office.press(thread, "show_evidence"), replayed=True)
    assert office.chat.views == []
    (said,) = office.chat.notices
    assert said.startswith("Only ")
    assert said.endswith("Nothing was changed.")


async def test_no_secret_is_shown_as_evidence() -> None:
    """Not even half of one that was cut: it is taken out before anything is."""
    office = Office()
    secret = "a-loaded" + "-secret-0815"
    office.approval = replace(office.approval, redactor=Redactor([secret]))
    thread = await office.pending()
    assert thread.investigator_return is not None
    told = thread.investigator_return.evolve(research_notes=f"{'x' * 2_990} {secret}", open_questions=(secret,))
    office.store.saved[thread.thread_id] = thread.evolve(investigator_return=told)
    await office.approval.handle_press(office.press(thread, "show_evidence"))
    assert secret[:6] not in str(office.chat.views)
    assert "[redacted]" in str(office.chat.views)


async def test_a_late_press_is_told_who_did_what_and_when() -> None:
    """Privately; the card is drawn again, and the audit has both presses."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "take_over", user_id=BEN))
    await office.approval.handle_press(office.press(thread))
    assert office.chat.notices[0].startswith(f"This is already decided. *Taken over* by <@{BEN}> · <!date^")
    assert [(r["user_id"], r["action"], r["result"] == "done") for r in office.audit.kept] == [
        (BEN, "take_over", True),
        (OPERATOR, "approve", False),
    ]
    await office.orchestrator.stop()


async def test_a_dialog_that_is_opened_is_no_decision_in_the_audit() -> None:
    """It may be closed again."""
    office = Office()
    thread = await office.pending()
    for action in ("dismiss", "show_evidence", "take_over"):
        await office.approval.handle_press(office.press(thread, action))
    assert [record["result"] for record in office.audit.kept] == ["opened", "opened", "done"]
    await office.orchestrator.stop()


async def test_a_guest_decides_nothing() -> None:
    """Though the settings name them."""
    office = Office()
    thread = await office.pending()
    office.town.guests.add(OPERATOR)
    await office.approval.handle_press(office.press(thread))
    assert office.store.saved[thread.thread_id].status == "pending-user"
    assert "not guests" in office.chat.notices[0]
    await office.orchestrator.stop()


async def test_the_asker_who_may_not_approve_is_told_why() -> None:
    """The setting is named."""
    office = Office()
    office.orchestrator.limits = replace(LIMITS, asker_may_approve=False)
    thread = await office.pending()
    office.approval.operators.everywhere = (ASKER, OPERATOR)
    await office.approval.handle_press(office.press(thread, user_id=ASKER))
    assert "approval.asker_may_approve" in office.chat.notices[0]
    assert office.store.saved[thread.thread_id].status == "pending-user"
    await office.orchestrator.stop()


async def test_the_first_of_two_approvals_is_no_approval_yet() -> None:
    """Whoever gave it is told so, and only that of the second person counts in the figures."""
    office = Office()
    office.orchestrator.limits = replace(LIMITS, second_approver=True)
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread))
    assert office.chat.notices == [FIRST_OF_TWO]
    passed = office.store.saved[thread.thread_id]
    await office.approval.handle_press(office.press(passed, user_id=BEN))
    assert office.store.saved[thread.thread_id].status == "approved"
    assert [decision(record) for record in office.audit.kept] == [None, "approvals"]
    await office.orchestrator.stop()


async def test_the_second_approval_is_asked_of_somebody_who_is_here() -> None:
    """Not of the one who has the card and has left since."""
    office = Office()
    office.orchestrator.limits = replace(LIMITS, second_approver=True)
    office.approval.operators.everywhere = (OPERATOR, BEN, ASKER)
    thread = await office.pending()
    office.town.guests.add(OPERATOR)
    await office.approval.operators.refresh()
    await office.approval.handle_press(office.press(thread, user_id=BEN))
    assert office.store.saved[thread.thread_id].operator == ASKER
    await office.orchestrator.stop()


async def test_a_stop_that_comes_while_the_thread_is_read_again_refuses_the_approval() -> None:
    """The press came first; nothing is posted all the same, and the card keeps its buttons."""
    office = Office()
    thread = await office.pending()
    controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
    office.orchestrator.controls = controls
    office.meanwhile = partial(controls.set_state, "stopped", at())
    await office.approval.handle_press(office.press(thread))
    assert office.chat.notices == [STOPPED]
    assert office.store.saved[thread.thread_id].status == "pending-user"
    await office.orchestrator.stop()


class QueueViews:
    """Queue views in which a button has just come, if the test says so."""

    def __init__(self, *pressed_too_soon: str) -> None:
        self.pressed_too_soon = pressed_too_soon

    async def show_home(self, user: str, team: str, answer: str) -> None:
        """Show nothing."""

    def renew_soon(self, user: str) -> None:
        """Draw nothing."""

    def has_just_come(self, press: Press) -> bool:
        """Return whether the button of this action has just come."""
        return press.action in self.pressed_too_soon


@pytest.mark.parametrize("action", ["approve", "approve_and_save", "take_over", "redraft"])
async def test_a_hasty_press_decides_nothing(action: str) -> None:
    """The person is told so, and the audit has it; the same press a moment later counts."""
    office = Office()
    thread = await office.pending()
    office.approval = replace(office.approval, queue_views=QueueViews(action))
    await office.approval.handle_press(office.press(thread, action))
    assert office.store.saved[thread.thread_id] == thread
    assert (office.chat.notices, office.audit.kept[-1]["result"]) == ([TOO_SOON], TOO_SOON)
    office.approval = replace(office.approval, queue_views=QueueViews())
    await office.approval.handle_press(office.press(thread, action))
    assert office.store.saved[thread.thread_id].version > thread.version
    assert office.audit.kept[-1]["result"] == "done"
    await office.orchestrator.stop()


async def test_a_hasty_look_opens_its_dialog() -> None:
    """A dialog decides nothing, so there is nothing to wait for."""
    office = Office()
    thread = await office.pending()
    office.approval = replace(office.approval, queue_views=QueueViews("edit", "show_evidence"))
    for action in ("edit", "show_evidence"):
        await office.approval.handle_press(office.press(thread, action))
    assert [view["callback_id"] for view in office.chat.views] == ["edit", "show_evidence"]


@pytest.mark.parametrize(
    ("seconds", "status"), [("1795378000.700000", "pending-user"), ("1795378002.700000", "approved")]
)
async def test_a_replayed_press_is_judged_by_the_press_before(seconds: str, status: str) -> None:
    """The view of that time is gone, so that the second click of two is known by its time alone."""
    office = Office()
    thread = await office.pending()
    await office.audit.append(
        {"user_id": OPERATOR, "thread_id": "T0-C0-9.9", "interaction_id": f"{OPERATOR}-approve-1795378000.500000"}
    )
    office.approval = replace(office.approval, queue_views=QueueViews("approve"))
    second = office.press(thread, channel_id=OPERATOR, interaction_id=f"{OPERATOR}-approve-{seconds}")
    await office.approval.handle_press(second, replayed=True)
    assert office.store.saved[thread.thread_id].status == status
    assert (office.audit.kept[-1]["replayed"], office.chat.notices) == (True, [])
    await office.orchestrator.stop()


@pytest.mark.parametrize("action", ["edit", "bounce", "answer", "dismiss", "delegate", "show_note"])
async def test_each_dialog_opens_for_the_draft_on_the_card(action: str) -> None:
    """With the press's own trigger; a replayed press opens none, and a stale card is told that it is stale."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, action, trigger_id="t7"))
    (view,) = office.chat.views
    assert office.chat.triggers == ["t7"]
    if action != "show_note":  # it has nothing to submit
        assert (view["callback_id"], view["private_metadata"]) == (action, press_value(thread))
    await office.approval.handle_press(office.press(thread, action), replayed=True)
    drawn = len(office.drawn)
    await office.approval.handle_press(office.press(thread, action, nonce="older"))
    assert "has changed since" in office.chat.notices[0]
    assert (len(office.chat.views), len(office.drawn), office.drawn[-1]) == (1, drawn + 1, thread)
    assert office.store.saved[thread.thread_id] == thread


@pytest.mark.parametrize(
    ("action", "opens"), [("dismiss", True), ("delegate", True), ("edit", False), ("bounce", False)]
)
async def test_a_card_without_a_draft_offers_only_what_needs_none(action: str, opens: bool) -> None:
    """Its buttons name the card, not a draft; once the question is closed they open nothing."""
    office = Office()
    thread_id = await office.open("1.1")
    thread = office.store.saved[thread_id]
    values = {"draft_id": f"{thread_id}/0", "nonce": thread.card.nonce}
    other = await Office().pending()
    press = office.press(other, action, thread_id=thread_id, **values)
    await office.approval.handle_press(press)
    assert len(office.chat.views) == opens
    office.store.saved[thread_id] = thread.evolve(status="closed", outcome="dismissed", due_at=None)
    await office.approval.handle_press(press)
    assert len(office.chat.views) == opens
    assert "already decided" in office.chat.notices[-1]
    await office.orchestrator.stop()


async def test_the_edit_dialog_holds_the_draft() -> None:
    """So that the operator changes it, and writes nothing anew."""
    office = Office()
    thread = await office.pending()
    assert thread.draft_pending
    await office.approval.handle_press(office.press(thread, "edit"))
    assert office.chat.views[0]["blocks"][0]["element"]["initial_value"] == thread.draft_pending.text


@pytest.mark.parametrize("action", ["answer", "show_note"])
async def test_no_secret_is_shown_in_a_dialog(action: str) -> None:
    """Neither in the open questions nor in the note."""
    office = Office()
    secret = "a-loaded" + "-secret-0815"
    office.approval = replace(office.approval, redactor=Redactor([secret]))
    thread = await office.pending()
    assert thread.investigator_return is not None
    note = ProposedTriageFile(filename="limit.md", content=f"It is {secret}.")
    told = thread.investigator_return.evolve(open_questions=(f"is {secret} it?",), proposed_triage_file=note)
    office.store.saved[thread.thread_id] = thread.evolve(investigator_return=told)
    await office.approval.handle_press(office.press(thread, action))
    assert secret not in str(office.chat.views)
    assert "[redacted]" in str(office.chat.views)


async def test_a_question_is_handed_only_to_others_who_may_decide() -> None:
    """By name; where there is nobody else, no dialog opens and the person is told so."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "delegate"))
    options = office.chat.views[0]["blocks"][0]["element"]["options"]
    assert [(each["value"], each["text"]["text"]) for each in options] == [(BEN, f"name of {BEN}")]
    office.approval.operators.everywhere = (OPERATOR,)
    await office.approval.handle_press(office.press(thread, "delegate"))
    assert (office.chat.notices, len(office.chat.views)) == ([NOBODY_ELSE], 1)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Refused("views.open", code="expired_trigger_id"), "The dialog did not open in time."),
        (Refused("views.open", code="fatal_error"), "The dialog did not open: Slack refused it: views.open."),
    ],
)
async def test_a_dialog_that_slack_refuses_is_answered(problem: Refused, text: str) -> None:
    """The audit says why it did not open, and does not call it opened."""
    office = Office()
    thread = await office.pending()
    office.chat.refuses = problem
    answer = await office.approval.act(office.press(thread, "edit"))
    assert answer
    assert answer.startswith(text)
    assert office.audit.kept[-1]["result"] == answer
    await office.approval.handle_press(office.press(thread, "take_over"))
    await office.approval.handle_press(office.press(thread, "take_over"))
    assert office.store.saved[thread.thread_id].status == "closed"
    await office.orchestrator.stop()


@pytest.mark.parametrize("action", ["approve", "approve_and_save", "post_anyway", "post_again"])
async def test_while_triage_is_stopped_nothing_is_approved(action: str) -> None:
    """Whatever the button is called; the thread is not even read."""
    office = Office()
    thread = await office.pending()
    controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
    await controls.set_state("stopped", at())
    office.orchestrator.controls = controls
    office.said = [added("three times, I think", ts="1.5", root="1.1", sender="U0BEN")]
    await office.approval.handle_press(office.press(thread, action))
    assert office.chat.notices == [STOPPED]
    assert office.store.saved[thread.thread_id] == thread
    await office.orchestrator.stop()


async def test_an_approval_that_keeps_the_note_is_checked_for_news_too() -> None:
    """As any approval is."""
    office = Office()
    thread = await office.pending()
    office.said = [added("three times, I think", ts="1.5", root="1.1", sender="U0BEN")]
    await office.approval.handle_press(office.press(thread, "approve_and_save"))
    assert office.store.saved[thread.thread_id].status == "pending-user"
    await office.orchestrator.stop()


def submitted(thread: Thread, action: str = "bounce", **changes: Any) -> Dialog:
    """A dialog on the draft that the card shows."""
    draft = thread.draft_pending
    assert draft
    values: dict[str, Any] = {
        "interaction_id": "i",
        "team_id": TEAM,
        "user_id": OPERATOR,
        "action": action,
        "thread_id": thread.thread_id,
        "draft_id": draft.draft_id,
        "nonce": draft.nonce,
        "values": {"feedback": "No.", "reason": "tone"},
    }
    return Dialog(**(values | changes))


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"user_id": "U0EVIL"}, "Only an operator"),
        ({"team_id": "T0OTHER"}, "Only members of this workspace"),
        ({"thread_id": "T1A-C1A-9.9"}, "no longer knows this question"),
        ({"nonce": "older"}, "copy your text"),
        ({"values": {"feedback": " ", "reason": ""}}, "Choose a reason"),
    ],
)
async def test_a_dialog_that_may_not_decide_says_why(changes: dict[str, Any], word: str) -> None:
    """At its first input, and in the audit; nothing moves."""
    office = Office()
    thread = await office.pending()
    errors = await office.approval.handle_dialog(submitted(thread, **changes))
    assert (list(errors), word in errors["feedback"]) == (["feedback"], True)
    assert office.audit.kept[-1]["result"] == errors["feedback"]
    assert office.store.saved[thread.thread_id] == thread
    await office.orchestrator.stop()


@pytest.mark.parametrize("replayed", [False, True])
async def test_a_dialog_is_audited_with_its_choices_and_without_its_words(replayed: bool) -> None:
    """A chosen reason is a figure of the reports; free text is nobody's to keep there."""
    office = Office()
    thread = await office.pending()
    assert await office.approval.handle_dialog(submitted(thread), replayed=replayed) == {}
    (record,) = office.audit.kept
    assert (record["result"], record["reason"], record["replayed"]) == ("done", "tone", replayed)
    assert (record["user_id"], record["action"], record["at"]) == (OPERATOR, "bounce", office.clock.now().isoformat())
    assert "No." not in str(record)
    await office.orchestrator.stop()


async def test_a_dialog_that_comes_too_late_names_the_decision_without_markup() -> None:
    """An error in a dialog is plain text: a name for the id, a time in the reader's zone."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "take_over", user_id=BEN))
    drawn = len(office.drawn)
    errors = await office.approval.handle_dialog(submitted(thread))
    assert f"name of {BEN} · 5 Jan 2026, 10:00" in errors["feedback"]
    assert not set("<>*") & set(errors["feedback"])
    assert len(office.drawn) == drawn + 1
    await office.orchestrator.stop()


async def test_what_breaks_is_answered_and_audited() -> None:
    """Neither a press nor a dialog is acted on by a restart after its person was told that nothing was changed."""
    office = Office()
    thread = await office.pending()
    broken: Any = None
    office.approval = replace(office.approval, operators=broken)
    await office.approval.handle_press(office.press(thread))
    errors = await office.approval.handle_dialog(submitted(thread))
    assert "Nothing was changed" in office.chat.notices[0]
    assert list(errors) == ["feedback"]
    assert [record["result"] for record in office.audit.kept] == [office.chat.notices[0], errors["feedback"]]
    assert office.store.saved[thread.thread_id] == thread
    await office.orchestrator.stop()
