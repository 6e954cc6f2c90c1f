"""Cards: few updates, the last state, and whatever fails is tried again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.adapters.pace import Pacer
from bot.decide.workflow.desk import hand_over_question
from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.interaction import CardPress
from bot.models.task_manifest import manifest
from bot.models.thread import Thread
from bot.models.thread_event import CardRendered, CardRetired, CardWanted, Due
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.cards import Cards
from bot.surfaces.task_files import TaskFileWriter
from tests.builders import OPERATOR, at, fresh, moved
from tests.decide import test_workflow as story
from tests.fakes import HandClock, HeardAccess, HeardEvents, KnownLosses, card_renderer, settle


class Screen:
    """A `Chat` that shows cards, paced as the real one is; it fails as often as the test said."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.pacer = Pacer(self.clock)
        self.shown: dict[str, str] = {}
        self.updates = 0
        self.responses = 0
        self.updated: list[str] = []
        self.deleted: list[str] = []
        self.posts = 0
        self.failures: list[TriageError] = []
        self.lost: list[TriageError] = []
        self.looked_from = ""
        self.threads = HeardEvents()
        self.told = self.threads.events
        self.cards = Cards(
            chat=self,  # type: ignore[arg-type]  # it has what cards call
            at_once=self,  # type: ignore[arg-type]  # as above
            clock=self.clock,
            threads=self.threads,
            pictures=card_renderer(self),
            shared=CardChannel(channel="G0QUEUE"),
        )

    async def open_dm(self, user: str) -> str:
        """The operator's direct message."""
        return "D0OPS"

    async def permalink(self, **_: Any) -> str:
        """Some address."""
        return "https://sandbox.slack.com/archives/C0HELP/p1"

    async def post(self, *, channel: str, metadata: dict[str, Any], blocks: Any, **_: Any) -> str:
        """Show a new card, or fail with or without having shown it."""
        await self.pacer.wait_turn("chat.postMessage", channel=channel)
        if self.failures:
            raise self.failures.pop()
        nonce = metadata["event_payload"]["nonce"]
        assert nonce not in self.shown, "a second card"
        self.shown[nonce] = str(blocks)
        if self.lost:
            raise self.lost.pop()
        self.posts += 1
        return f"1.{self.posts}"

    async def delete(self, *, ts: str, **_: Any) -> None:
        """Take a card away."""
        self.deleted.append(ts)

    async def update(self, *, ts: str, metadata: dict[str, Any], blocks: Any, **_: Any) -> None:
        """Show a card anew."""
        await self.pacer.wait_turn("chat.update")
        if self.failures:
            raise self.failures.pop()
        self.updates += 1
        self.updated.append(ts)
        self.shown[metadata["event_payload"]["nonce"]] = str(blocks)

    async def respond(self, *, url: str, metadata: dict[str, Any], blocks: Any, **_: Any) -> None:
        """Show the card anew that was pressed."""
        if self.failures:
            raise self.failures.pop()
        self.responses += 1
        self.shown[metadata["event_payload"]["nonce"]] = str(blocks)

    def press(self, thread: Thread) -> None:
        """Somebody presses a button of its card."""
        self.cards.remember_response_url(
            CardPress(
                user_id=OPERATOR,
                thread_id=thread.thread_id,
                message_ts="1.1",
                is_ephemeral=False,
                response_url="https://hooks.slack.com/1",
            )
        )

    async def find_in_channel(self, *, nonce: str, oldest: str, **_: Any) -> str | None:
        """The card with this nonce."""
        self.looked_from = oldest
        return "1.1" if nonce in self.shown else None

    @property
    def drawn(self) -> list[int]:
        """The revisions that cards were said to show."""
        return [said.revision for said in self.told if isinstance(said, CardRendered)]

    async def draws(self, thread: Thread) -> str:
        """What the card shows once there is nothing more to draw."""
        self.cards.redraw(thread)
        await settle()
        return self.shown.get(thread.card.nonce, "")


def grown(thread: Thread, revision: int) -> Thread:
    """The document some changes later, the question told by their number."""
    (message,) = thread.messages
    return thread.evolve(revision=revision, messages=(message.evolve(content=f"change {revision}"),))


async def test_fifty_changes_while_slack_holds_updates_are_two_updates() -> None:
    """What was on its way, and the last state."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    screen.pacer.hold("chat.update", 60)
    for revision in range(10, 60):
        screen.cards.redraw(grown(thread, revision))
        await settle(3)
    assert screen.updates == 0
    await screen.clock.move(60)
    await screen.clock.move(2)
    assert screen.updates == 2
    assert "change 59" in screen.shown[thread.card.nonce]
    assert screen.drawn[-1] == 59


@pytest.mark.parametrize("failure", [RetryLater("rate limited", after=20), Uncertain("cut"), RetryLater("gone")])
async def test_an_update_that_fails_is_tried_again_until_it_is_done(failure: TriageError) -> None:
    """Three failures in a row cost time, not the card."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    screen.failures = [failure] * 3
    await screen.draws(grown(thread, 9))
    for _ in range(6):
        await screen.clock.move(20)
    assert "change 9" in screen.shown[thread.card.nonce]
    assert (screen.updates, screen.drawn[-1]) == (1, 9)


async def test_a_card_whose_post_is_in_doubt_is_looked_up_and_not_posted_twice() -> None:
    """Slack showed it and the line was cut: it is found by its nonce, and updated from then on."""
    screen, thread = Screen(), story.pending()
    screen.lost = [Uncertain("cut")]
    await screen.draws(thread)
    await screen.clock.move(5)
    assert await screen.draws(grown(thread, 9))
    assert len(screen.shown) == 1
    assert screen.looked_from == thread.original_message_id  # Slack's time: this machine's clock may be wrong
    assert screen.drawn[-1] == 9


async def test_a_document_from_before_the_last_change_draws_nothing() -> None:
    """Whoever asks with an older one does not take the card back in time."""
    screen, thread = Screen(), story.pending()
    await screen.draws(grown(thread, 9))
    assert "change 9" in await screen.draws(grown(thread, 8))
    assert screen.updates == 0


async def test_the_same_document_is_drawn_again_after_a_press_only() -> None:
    """A card that is behind is repaired when somebody presses it; what changes nothing is not sent to Slack."""
    screen, thread = Screen(), story.pending()
    await screen.draws(grown(thread, 9))
    screen.shown[thread.card.nonce] = "what an older update showed"
    assert "older" in await screen.draws(grown(thread, 9))
    screen.press(thread)
    assert "change 9" in await screen.draws(grown(thread, 9))


async def test_a_pressed_card_is_changed_by_the_address_of_the_press() -> None:
    """Slack takes it immediately and five times; after that, and where it refuses, the card is updated in its turn."""
    screen, thread = Screen(), story.pending()
    await screen.draws(grown(thread, 1))
    screen.press(thread)
    for number in range(2, 9):
        assert f"change {number}" in await screen.draws(grown(thread, number))
    assert (screen.responses, screen.updates) == (5, 2)
    screen.press(thread)
    screen.failures = [Refused("used up", code="http_404")]
    assert "change 9" in await screen.draws(grown(thread, 9))
    assert (screen.responses, screen.updates) == (5, 3)


async def test_a_press_wakes_a_card_that_waits_for_its_turn() -> None:
    """Slack has asked for five minutes without updates; the address of the press needs none."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    screen.failures = [RetryLater("rate limited", after=300)]
    assert "change 20" not in await screen.draws(grown(thread, 20))
    screen.press(thread)
    assert "change 21" in await screen.draws(grown(thread, 21))
    assert (screen.responses, screen.updates) == (1, 0)


async def test_a_card_that_slack_refuses_does_not_hold_up_the_next_change() -> None:
    """A refusal is final for that picture only."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    screen.failures = [Refused("no", code="fatal")]
    await screen.draws(grown(thread, 9))
    assert "change 10" in await screen.draws(grown(thread, 10))


@pytest.mark.parametrize("code", ["msg_blocks_too_long", "msg_too_long", "invalid_blocks"])
async def test_a_card_that_slack_does_not_take_whole_is_drawn_shorter(code: str) -> None:
    """Its draft is all there, as plain text, with the buttons."""
    screen, thread = Screen(), story.pending()
    screen.failures = [Refused("no", code=code)]
    shown = await screen.draws(thread)
    assert "shown without formatting" in shown
    assert thread.draft_pending is not None
    assert thread.draft_pending.text in shown
    assert "'approve'" in shown


@pytest.mark.parametrize(
    ("code", "lost"),
    [
        ("user_disabled", True),
        ("channel_not_found", True),
        ("cannot_dm_bot", True),
        ("user_not_found", True),
        ("messages_tab_disabled", False),
        ("missing_scope", False),
    ],
)
async def test_an_operator_whom_no_card_reaches_is_told_of(code: str, *, lost: bool) -> None:
    """Not where the refusal is about the card or the app."""
    screen, access = Screen(), HeardAccess()
    screen.cards.access = access
    screen.failures = [Refused("no", code=code)]
    screen.cards.redraw(story.pending())
    await settle()
    assert access.heard == ([(OPERATOR, code)] if lost else [])


async def test_cards_that_wait_for_their_channel_are_all_drawn_in_the_end() -> None:
    """Forty questions at the same time get their cards at the pace of one channel, the newest state each."""
    screen = Screen()
    threads = [story.pending(ts=f"{number}.1") for number in range(1, 41)]
    for thread in threads:
        screen.cards.redraw(thread)
    await settle()
    assert len(screen.shown) == 5
    for thread in threads:
        screen.cards.redraw(grown(thread, 7))
    for _ in range(60):
        await screen.clock.move(1)
    assert len(screen.shown) == 40
    assert all("change 7" in shown for shown in screen.shown.values())


async def test_stopping_ends_what_waits() -> None:
    """Nothing is sent after the stop; the documents say what is not drawn."""
    screen, thread = Screen(), story.pending()
    screen.pacer.hold("chat.postMessage", 60)
    await screen.draws(thread)
    await screen.cards.stop()
    await screen.clock.move(100)
    assert (screen.shown, screen.told) == ({}, [])
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("card")]


def handed_over_of(thread: Thread) -> Thread:
    """The document after somebody else was handed the question."""
    made = hand_over_question(thread, Due(at=at(20), fresh=fresh()), to="U0BEN", by=OPERATOR)
    assert made is not None
    assert made.thread is not None
    return made.thread


async def test_the_card_of_before_says_that_it_was_handed_over() -> None:
    """It has nothing to press any more; the new operator has a card of their own."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    after = handed_over_of(thread)
    assert "approve" in await screen.draws(after)
    old = screen.shown[thread.card.nonce]
    assert ("Handed over* to <@U0BEN> by <@U0OPS>" in old, "approve" in old) == (True, False)
    assert [said.nonce for said in screen.told if isinstance(said, CardRetired)] == [thread.card.nonce]


async def test_a_card_of_before_that_was_never_posted_is_not_posted_to_say_so() -> None:
    """The hand-over came first."""
    screen, thread = Screen(), story.pending()
    after = handed_over_of(thread)
    await screen.draws(after)
    assert [*screen.shown] == [after.card.nonce]
    assert [said.nonce for said in screen.told if isinstance(said, CardRetired)] == [thread.card.nonce]


@pytest.mark.parametrize(
    ("thread", "place", "is_there"),
    [
        (story.collecting, "dm", False),
        (story.investigating, "dm", False),
        (story.awaiting, "both", False),
        (lambda: story.pending().evolve(announce_at=at(99)), "dm", False),
        (story.pending, "dm", True),
        (story.pending, "both", True),
        (story.failed, "dm", True),
        (story.in_doubt, "dm", True),
        (story.replied, "dm", False),
        (story.investigating, "ephemeral", False),
        (story.nudged, "ephemeral", False),
        (lambda: story.nudged().evolve(stale="news"), "ephemeral", True),
        (lambda: story.nudged().evolve(card=story.nudged().card.evolve(wanted=True)), "ephemeral", True),
        (story.pending, "ephemeral", True),
        (story.failed, "ephemeral", True),
        (story.in_doubt, "ephemeral", True),
        (story.replied, "ephemeral", False),
    ],
)
async def test_a_card_comes_when_a_decision_is_asked_for(thread: Any, place: Any, is_there: bool) -> None:
    """Not before, nor once all is settled; with `ephemeral` it waits while a nudge tells of the draft."""
    screen = Screen()
    screen.cards.shared.places = {"C0HELP": place}
    assert bool(await screen.draws(thread())) == is_there


async def test_a_card_in_a_queue_channel_says_whose_it_is() -> None:
    """It is posted there instead of in the direct message, and mentions its operator as long as it is open."""
    screen, thread = Screen(), story.pending()
    screen.cards.shared.places = {"C0HELP": "channel"}
    assert f"For <@{thread.operator}>." in await screen.draws(thread)
    assert {said.channel for said in screen.told if isinstance(said, CardRendered)} == {"G0QUEUE"}
    settled = story.replied().evolve(card=thread.card, revision=99)
    assert f"For <@{thread.operator}>." not in await screen.draws(settled)


async def test_a_card_leaves_a_queue_channel_that_others_read() -> None:
    """What stands there is not changed any more; the next card comes to the direct message, whatever is known there."""
    screen, thread, losses, access = Screen(), story.pending(), KnownLosses(), HeardAccess()
    screen.cards.shared = CardChannel(channel="G0QUEUE", places={"C0HELP": "channel"}, losses=losses, access=access)
    await screen.draws(thread)
    assert access.looked
    losses.lost.add("G0QUEUE")
    await screen.draws(grown(thread, 9))
    assert (screen.posts, screen.updates) == (1, 0)
    assert len([said for said in screen.told if isinstance(said, CardWanted)]) == 1
    await screen.draws(moved(thread, CardWanted(at=at(20), fresh=fresh())))
    assert [said.channel for said in screen.told if isinstance(said, CardRendered)] == ["G0QUEUE", "D0OPS"]
    assert len(screen.deleted) == 1


async def test_a_card_takes_the_place_of_the_one_before() -> None:
    """It is the newest message; the one further up goes once it stands, and later changes are drawn on the new one."""
    screen, thread = Screen(), story.pending()
    await screen.draws(thread)
    (first,) = [said.ts for said in screen.told if isinstance(said, CardRendered)]
    wanted = moved(thread, CardWanted(at=at(20), fresh=fresh()))
    await screen.draws(wanted)
    second = [said.ts for said in screen.told if isinstance(said, CardRendered)][-1]
    assert (screen.posts, screen.deleted) == (2, [first])
    assert [said.nonce for said in screen.told if isinstance(said, CardRetired)] == [thread.card.nonce]
    await screen.draws(grown(wanted, 9))  # as a document from before the new card was noted
    assert (screen.posts, screen.updated[-1]) == (2, second)


async def test_a_card_that_is_on_its_way_when_another_takes_its_place_is_removed_after_that() -> None:
    """Slack held its post back meanwhile: it is not left standing beside the new one."""
    screen, thread = Screen(), story.pending()
    screen.failures = [RetryLater("rate limited", after=20)]
    await screen.draws(thread)
    wanted = moved(thread, CardWanted(at=at(20), fresh=fresh()))
    await screen.draws(wanted)
    await screen.clock.move(60)
    assert [*screen.shown] == [wanted.card.nonce]
    assert [said.nonce for said in screen.told if isinstance(said, CardRetired)] == [thread.card.nonce]


@pytest.mark.parametrize("was_posted", [True, False])
async def test_a_kill_between_a_card_and_its_successor_leaves_one(was_posted: bool) -> None:
    """The next process finds the new card by its nonce or posts it, and removes the one of before."""
    before, thread = Screen(), story.pending()
    await before.draws(thread)
    wanted = moved(
        thread.evolve(card=thread.card.evolve(channel="D0OPS", ts="1.1")), CardWanted(at=at(20), fresh=fresh())
    )
    after = Screen()
    after.shown = before.shown | ({wanted.card.nonce: "posted, and not saved"} if was_posted else {})
    after.cards.redraw(wanted, look_up=True)
    await settle()
    await after.clock.move(6)
    assert (after.posts, after.deleted) == (int(not was_posted), ["1.1"])


async def test_what_is_settled_before_its_card_came_has_none() -> None:
    """Nobody is told of what is over; one that may stand is looked for, and says so."""
    screen, closed = Screen(), story.replied().evolve(card=story.pending().card)
    screen.cards.redraw(closed)
    await settle()
    assert (screen.posts, screen.drawn) == (0, [closed.revision])
    screen.shown[closed.card.nonce] = "posted, and not saved"
    screen.cards.redraw(closed, look_up=True)
    await settle()
    assert "The reply is posted." in screen.shown[closed.card.nonce]


async def test_a_card_is_drawn_after_the_task_on_disk() -> None:
    """So that a card on record as drawn says that `task.json` is: a kill in between is mended at the next start."""
    screen, thread = Screen(), story.investigating()
    disk, open_files = Disk(), asyncio.Event()
    disk.open = open_files
    screen.cards.tasks = TaskFileWriter(tasks=disk, clock=screen.clock)
    await screen.draws(thread)
    assert (disk.kept, screen.drawn) == ([], [])
    open_files.set()
    await settle()
    assert (disk.kept, screen.drawn) == ([manifest(thread)], [thread.revision])


class Disk:
    """`Tasks` that writes when the test lets it."""

    open: asyncio.Event

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """No journal has ended."""
        raise AssertionError(line)

    async def tail(self, task: str, name: str, lines: int) -> str:
        """Nobody reads."""
        raise AssertionError(name)

    async def save(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Keep it, once the test says so."""
        await self.open.wait()
        self.kept.append(record)
