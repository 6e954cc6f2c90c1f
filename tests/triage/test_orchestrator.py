"""The queue of a thread: order, threads apart from each other, and effects that nobody waits for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from bot.decide.escalation import EscalationPolicy
from bot.errors import Unreadable
from bot.models.effect import CheckFindings, Escalate, Investigate, Remind
from bot.models.thread import Thread
from bot.models.thread_event import CardRendered, Dismiss, Due, Edited
from bot.triage.held_effects import WAITING
from bot.triage.sweeper import sweep
from tests.builders import LIMITS, OPERATOR, added, at, found, fresh, validated
from tests.fakes import HandClock, MemoryStore, settle
from tests.fakes import orchestrator as build_orchestrator


@dataclass
class Effects:
    """Runs nothing: keeps what it was asked and answers when told."""

    started: list[tuple[Thread, Any]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    held: dict[str, asyncio.Future[Any]] = field(default_factory=dict)

    async def __call__(self, thread: Thread, effect: Any) -> Any:
        self.started.append((thread, effect))
        if not isinstance(effect, Investigate | Escalate):
            return None
        self.held[effect.run_id] = asyncio.get_running_loop().create_future()
        try:
            return await self.held[effect.run_id]
        except asyncio.CancelledError:
            self.cancelled.append(effect.run_id)
            raise


@dataclass
class Desk:
    """An orchestrator with everything around it in memory."""

    store: MemoryStore = field(default_factory=MemoryStore)
    effects: Effects = field(default_factory=Effects)
    drawn: list[Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.orchestrator = build_orchestrator(self.store, run=self.effects, draw=self.drawn.append, tell=self.tell)

    async def tell(self, text: str) -> None:
        """Nobody listens."""

    async def open(self, ts: str) -> str:
        """A thread under investigation."""
        message = added(f"question {ts}?", ts=ts)
        await self.orchestrator.submit(message.message.home, message)
        await self.orchestrator.submit(message.message.home, Due(at=at(2), fresh=fresh()))
        await settle()
        return message.message.home


async def test_a_document_is_saved_before_its_effect_starts() -> None:
    """The effect gets the document as it lies on disk."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    thread, effect = desk.effects.started[0]
    assert thread == desk.store.saved[thread_id]
    assert effect == Investigate(run_id=thread.run_id or "")
    await desk.orchestrator.stop()


async def test_a_held_investigation_holds_up_nothing() -> None:
    """A second question, a follow-up and a dismissal are settled while a run goes on."""
    desk = Desk()
    first = await desk.open("1.1")
    second = await desk.open("2.1")
    await desk.orchestrator.submit(first, added("and on staging?", ts="1.2", root="1.1"))
    assert desk.store.saved[first].inbox == ("1.2",)
    card = desk.store.saved[second].card
    dismissal = Dismiss(at=at(3), fresh=fresh(), by=OPERATOR, draft_id=f"{second}/0", nonce=card.nonce)
    assert (await desk.orchestrator.submit(second, dismissal)).accepted
    assert desk.store.saved[second].status == "closed"
    await desk.orchestrator.stop()


async def test_a_run_that_is_no_longer_wanted_is_cancelled() -> None:
    """Dismissing a question ends its run immediately."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    thread = desk.store.saved[thread_id]
    dismissal = Dismiss(at=at(3), fresh=fresh(), by=OPERATOR, draft_id=f"{thread_id}/0", nonce=thread.card.nonce)
    await desk.orchestrator.submit(thread_id, dismissal)
    await settle()
    assert desk.effects.cancelled == [thread.run_id]


async def test_two_investigations_at_once_do_not_swap_their_drafts() -> None:
    """Each result lands in its own thread, whichever ends first."""
    desk = Desk()
    first, second = await desk.open("1.1"), await desk.open("2.1")
    for thread_id in (second, first):
        thread = desk.store.saved[thread_id]
        desk.effects.held[thread.run_id or ""].set_result(found(thread, f"draft for {thread_id}"))
        await settle()
    for thread_id in (first, second):
        draft = desk.store.saved[thread_id].draft_pending
        assert draft is not None
        assert (draft.text, draft.draft_id) == (f"draft for {thread_id}", f"{thread_id}/1")
    await desk.orchestrator.stop()


async def test_happenings_of_one_thread_are_settled_in_their_order() -> None:
    """A hundred messages at the same time end in the document in the order of their arrival."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    replies = [added(f"line {n}", ts=f"2.{n:03}", root="1.1") for n in range(100)]
    await asyncio.gather(*(desk.orchestrator.submit(thread_id, reply) for reply in replies))
    assert [m.content for m in desk.store.saved[thread_id].messages[1:]] == [f"line {n}" for n in range(100)]
    await desk.orchestrator.stop()


async def test_a_happening_that_breaks_does_not_stop_its_thread() -> None:
    """One broken step is reported to whoever asked, and the next one is settled."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    broken = added("x", ts="1.3", root="1.1")
    object.__setattr__(broken, "message", None)
    later = added("on staging", ts="1.4", root="1.1")
    answers = await asyncio.gather(
        desk.orchestrator.submit(thread_id, broken), desk.orchestrator.submit(thread_id, later), return_exceptions=True
    )
    assert isinstance(answers[0], AttributeError)
    assert desk.store.saved[thread_id].messages[-1].content == "on staging"
    await desk.orchestrator.stop()


async def test_a_start_goes_on_where_the_documents_say() -> None:
    """Runs are made again under their own ids, and cards that do not match are drawn."""
    before = Desk()
    running, checked = await before.open("1.1"), await before.open("2.1")
    thread = before.store.saved[checked]
    await before.orchestrator.submit(checked, found(thread))
    await before.orchestrator.stop()
    after = Desk(store=before.store)
    assert await after.orchestrator.start() == 2
    await settle()
    assert {type(effect) for _, effect in after.effects.started} == {Investigate, CheckFindings}
    assert {thread.thread_id for thread in after.drawn} == {running, checked}
    assert after.orchestrator.is_open(running)
    await after.orchestrator.stop()


async def test_the_sweeper_tells_a_thread_when_its_window_ends() -> None:
    """The window ends by the clock, once, and a message moves its end."""
    desk, clock = Desk(), HandClock()
    sweeper = asyncio.create_task(sweep(desk.orchestrator, clock))
    message = added("question?", ts="1.1")
    thread_id = message.message.home
    await desk.orchestrator.submit(thread_id, message)
    await clock.move(1.5)
    await desk.orchestrator.submit(thread_id, added("more", ts="1.2", root="1.1", seconds=1.5))
    await clock.move(1.0)
    assert desk.store.saved[thread_id].status == "collecting"
    await clock.move(1.0)
    assert desk.store.saved[thread_id].status == "investigating"
    assert len(desk.effects.started) == 1
    sweeper.cancel()
    await desk.orchestrator.stop()


async def test_only_the_asker_comes_back_to_a_thread() -> None:
    """What others write in a thread does not concern its question, be it open or answered."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    thread = desk.store.saved[thread_id]
    assert desk.orchestrator.is_open(thread_id)
    assert desk.orchestrator.is_asker(thread_id, "U0ANA")
    assert not desk.orchestrator.is_asker(thread_id, "U0BEN")
    dismissal = Dismiss(at=at(3), fresh=fresh(), by=OPERATOR, draft_id=f"{thread_id}/0", nonce=thread.card.nonce)
    await desk.orchestrator.submit(thread_id, dismissal)
    assert not desk.orchestrator.is_open(thread_id)
    assert not desk.orchestrator.is_asker(thread_id, "U0BEN")
    assert desk.orchestrator.is_asker(thread_id, "U0ANA")
    await desk.orchestrator.stop()


async def test_a_validated_draft_waits_for_the_operator() -> None:
    """The card is drawn again when the draft is ready."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    await desk.orchestrator.submit(thread_id, found(desk.store.saved[thread_id]))
    await desk.orchestrator.submit(thread_id, validated(desk.store.saved[thread_id]))
    assert desk.drawn[-1].status == "pending-user"
    await desk.orchestrator.stop()


async def test_a_change_that_no_card_shows_has_none_drawn() -> None:
    """The drawing under way shows all; another would come late, over what was drawn since."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    drawn = [thread.revision for thread in desk.drawn]
    card = desk.store.saved[thread_id].card
    behind = CardRendered(at=at(3), fresh=fresh(), nonce=card.nonce, channel="D0OPS", ts="2.1", revision=1)
    assert (await desk.orchestrator.submit(thread_id, behind)).accepted
    assert (saved := desk.store.saved[thread_id]).card.drawn != saved.revision
    assert drawn == [thread.revision for thread in desk.drawn] == [1, 2]
    await desk.orchestrator.stop()


async def test_a_clock_that_was_set_back_loses_no_due_time() -> None:
    """A thread whose Due came too early is due again."""
    desk = Desk()
    message = added("question?", ts="1.1", seconds=100)
    thread_id = message.message.home
    await desk.orchestrator.submit(thread_id, message)
    assert desk.orchestrator.open_threads.take_due(at(200)) == [thread_id]
    assert not (await desk.orchestrator.submit(thread_id, Due(at=at(50), fresh=fresh()))).accepted
    assert desk.orchestrator.open_threads.next_due() == at(102)
    await desk.orchestrator.stop()


async def test_a_clock_that_was_set_back_holds_no_question_up() -> None:
    """A window that would end in an hour ends within a minute."""
    desk, clock = Desk(), HandClock()
    sweeper = asyncio.create_task(sweep(desk.orchestrator, clock))
    message = added("question?", ts="1.1")
    await desk.orchestrator.submit(message.message.home, message)
    clock.set_back(3600)
    await clock.move(60)
    assert desk.store.saved[message.message.home].status == "investigating"
    sweeper.cancel()
    await desk.orchestrator.stop()


async def test_a_start_under_a_clock_that_was_set_back_holds_no_question_up() -> None:
    """A document whose window ends in an hour is investigated immediately."""
    before = Desk()
    message = added("question?", ts="1.1", seconds=3600)
    await before.orchestrator.submit(message.message.home, message)
    await before.orchestrator.stop()
    after, clock = Desk(store=before.store), HandClock()
    await after.orchestrator.start()
    sweeper = asyncio.create_task(sweep(after.orchestrator, clock))
    await settle()
    assert after.store.saved[message.message.home].status == "investigating"
    sweeper.cancel()
    await after.orchestrator.stop()


class AbsentThreads:
    """`ThreadRebuilder` whose journals know no thread; it notes whether the document was still there."""

    def __init__(self, store: MemoryStore) -> None:
        self.was_saved: list[bool] = []
        self._store = store

    async def rebuild(self, thread_id: str) -> Thread | None:
        """Note the document."""
        self.was_saved.append(thread_id in self._store.saved)
        return None


async def test_a_document_stays_where_it_is_until_it_is_made_anew() -> None:
    """Who dies while the journals are read finds it at the next start, and not nothing."""
    desk = Desk()
    thread_id = await desk.open("1.1")
    rebuilder = AbsentThreads(desk.store)

    async def unreadable(thread_id: str) -> Thread | None:
        raise Unreadable("not JSON")

    desk.store.load = unreadable  # type: ignore[method-assign]  # the disk has changed it
    desk.orchestrator.rebuilder = rebuilder
    await desk.orchestrator.submit(thread_id, Due(at=at(3), fresh=fresh()))
    assert rebuilder.was_saved == [True]
    assert thread_id not in desk.store.saved
    await desk.orchestrator.stop()


class Reminding(Desk):
    """A desk whose cards are reminded of after an hour."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.orchestrator.limits = replace(LIMITS, remind=timedelta(hours=1))

    async def waiting(self) -> str:
        """A card that waits for a decision."""
        thread_id = await self.open("1.1")
        await self.orchestrator.submit(thread_id, found(self.store.saved[thread_id]))
        await self.orchestrator.submit(thread_id, validated(self.store.saved[thread_id]))
        return thread_id

    @property
    def reminders(self) -> int:
        """How often an operator was reminded."""
        return sum(isinstance(effect, Remind) for _, effect in self.effects.started)


async def test_a_machine_that_slept_for_a_day_reminds_once() -> None:
    """And then in the usual rhythm."""
    desk, clock = Reminding(), HandClock()
    await desk.waiting()
    sweeper = asyncio.create_task(sweep(desk.orchestrator, clock))
    await clock.move(24 * 3_600)
    assert desk.reminders == 1
    await clock.move(60)
    assert desk.reminders == 1
    await clock.move(3_600)
    assert desk.reminders == 2
    sweeper.cancel()
    await desk.orchestrator.stop()


async def test_a_restart_under_a_clock_that_was_set_back_reminds_in_its_time() -> None:
    """Not as much later as the clock was ahead."""
    before = Reminding()
    thread_id = await before.waiting()
    ahead = before.store.saved[thread_id].evolve(remind_at=at(30 * 3_600), due_at=at(30 * 3_600))
    before.store.saved[thread_id] = ahead
    await before.orchestrator.stop()
    after, clock = Reminding(store=before.store), HandClock()
    await after.orchestrator.start()
    sweeper = asyncio.create_task(sweep(after.orchestrator, clock))
    await settle()
    assert (after.reminders, after.store.saved[thread_id].due_at) == (0, at(3_600))
    await clock.move(3_600)
    assert after.reminders == 1
    sweeper.cancel()
    await after.orchestrator.stop()


async def test_a_longer_run_is_tracked_as_any_other() -> None:
    """A pause holds its start, an edit ends its effect, and a stop ends it until `resume`."""
    desk = Desk()
    policy = EscalationPolicy(enabled=True, may_start=frozenset({2}))
    desk.orchestrator.limits = replace(LIMITS, escalation=policy)
    message = added("go through the logs of two weeks, please", ts="1.1")
    await desk.orchestrator.submit(message.message.home, message)
    await desk.orchestrator.submit(message.message.home, Due(at=at(2), fresh=fresh()))
    await settle()
    thread, effect = desk.effects.started[-1]
    assert (thread.status, effect) == ("escalated", Escalate(run_id=thread.run_id or ""))
    assert desk.orchestrator.running == 1
    halted = await desk.orchestrator.halt()
    assert (halted.runs, desk.effects.cancelled) == ((thread.thread_id,), [thread.run_id])
    assert await desk.orchestrator.release() == ()
    await settle()
    assert desk.effects.started[-1][1] == effect
    edited = Edited(at=at(9), fresh=fresh(), message=message.message.evolve(content="the logs of today"))
    await desk.orchestrator.submit(thread.thread_id, edited)
    await settle()
    assert desk.effects.cancelled == [thread.run_id, thread.run_id]
    assert isinstance(desk.effects.started[-1][1], Investigate)
    assert all(Escalate in effects for state, effects in WAITING.items() if state != "running")
    await desk.orchestrator.stop()
