"""Show Card: its readers, the place of the card, and the answers to presses on cards and on the App Home."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from blocks.controls import press_value
from bot.approval.show_card import UNKNOWN, CardPressHandler, CardViewer
from bot.errors import RetryLater
from bot.models.interaction import Dialog, Press
from bot.models.thread import Thread
from bot.models.thread_event import CardWanted
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.ephemeral_cards import EphemeralCards
from tests.approval.test_actions import BEN, Office, QueueViews, submitted
from tests.approval.test_ask_owner import Rooms
from tests.builders import CHANNEL, OPERATOR, TEAM
from tests.fakes import HeardEvents, card_renderer


class Viewing(Office):
    """An approval desk with Show Card."""

    def __post_init__(self) -> None:
        super().__post_init__()
        chat: Any = Rooms()
        self.chat = chat
        self.shared, self.events = CardChannel(), HeardEvents()
        cards: Any = SimpleNamespace(shared=self.shared)
        unused: Any = None
        self.viewer = CardViewer(
            store=self.store,
            cards=cards,
            nudges=EphemeralCards(
                chat=chat, history=unused, presence=unused, pictures=card_renderer(chat), clock=self.clock
            ),
            threads=self.events,
            clock=self.clock,
            operators=self.approval.operators,
        )

    async def show(self, thread: Thread, **changes: str) -> str:
        """Press Show Card; return the answer."""
        await self.viewer.handle_press(self.press(thread, "show_card", **changes))
        return str(self.chat.notices[-1])


async def test_the_operator_gets_the_card_as_the_newest_message() -> None:
    """The thread posts it again; the answer to the press says where, to that person in that channel."""
    office = Viewing()
    thread = await office.pending()
    assert await office.show(thread) == "The card is the newest message in your direct message with Triage."
    assert office.chat.ephemerals == [{"channel": "D0OPS", "user": OPERATOR}]
    (event,) = office.events.events
    assert isinstance(event, CardWanted)
    assert (event.at, event.fresh.startswith("id")) == (office.clock.now(), True)
    assert office.events.thread_ids == [thread.thread_id]
    office.shared.channel, office.shared.places = "G0CARDS", {CHANNEL: "channel"}
    assert await office.show(thread) == "The card is the newest message in <#G0CARDS>."
    await office.orchestrator.stop()


async def test_a_colleague_gets_a_copy_that_only_they_see() -> None:
    """In their own direct message; the card of the operator stays where it is."""
    office = Viewing()
    thread = await office.pending()
    answer = await office.show(thread, user_id=BEN)
    place = "your direct message with Triage"
    assert answer == f"This card belongs to <@{OPERATOR}>; a copy that only you see is in {place}."
    copy, told = office.chat.ephemerals
    assert (copy["channel"], copy["user"], told) == (f"D-{BEN}", BEN, {"channel": "D0OPS", "user": BEN})
    assert press_value(thread) in str(copy["blocks"])
    assert office.events.events == []
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"user_id": "U0EVIL"}, "Only an operator"),
        ({"team_id": "T0OTHER"}, "Only members of this workspace"),
        ({"thread_id": "T1A-C1A-9.9"}, UNKNOWN),
    ],
)
async def test_nobody_else_sees_the_card(changes: dict[str, str], answer: str) -> None:
    """They are told so, and the thread hears of nothing."""
    office = Viewing()
    thread = await office.pending()
    assert (await office.show(thread, **changes)).startswith(answer)
    assert (len(office.chat.notices), office.events.events) == (1, [])
    await office.orchestrator.stop()


async def test_a_card_that_cannot_be_shown_is_answered_with_the_reason() -> None:
    """The person may try again; where even the answer cannot be shown, the press is over."""
    office = Viewing()
    thread = await office.pending()
    office.chat.refuses = RetryLater("chat.postEphemeral: <no> answer")
    answer = await office.viewer.show(thread.thread_id, user=BEN, team=TEAM)
    assert answer == "The card could not be shown: chat.postEphemeral: &lt;no&gt; answer. Please try again."
    await office.viewer.handle_press(office.press(thread, "show_card", user_id=BEN))
    assert office.chat.notices == []
    await office.orchestrator.stop()


@dataclass
class Homes(QueueViews):
    """Views that keep the App Homes that were shown, and the users whose views are drawn again."""

    shown: list[tuple[str, str, str]] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    pressed_too_soon: tuple[str, ...] = ()

    async def show_home(self, user: str, team: str, answer: str) -> None:
        """Keep it."""
        self.shown.append((user, team, answer))

    def renew_soon(self, user: str) -> None:
        """Keep them."""
        self.renewed.append(user)


@dataclass
class Presses:
    """Approvals that keep each press or dialog, with `replayed`; `answer` and `errors` are their results."""

    answer: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    acted: list[tuple[object, bool]] = field(default_factory=list)
    handled: list[tuple[object, bool]] = field(default_factory=list)

    async def act(self, press: Press, *, replayed: bool = False) -> str | None:
        """Keep a press without an answer in its channel."""
        self.acted.append((press, replayed))
        return self.answer

    async def handle_press(self, press: Press, *, replayed: bool = False) -> None:
        """Keep a press with one."""
        self.handled.append((press, replayed))

    async def handle_dialog(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Keep a dialog."""
        self.handled.append((dialog, replayed))
        return self.errors


@pytest.mark.parametrize("answer", [None, "This is already decided."])
async def test_a_press_on_the_app_home_is_answered_there(answer: str | None) -> None:
    """A replayed press is acted on and shows nothing."""
    office, presses, homes = Viewing(), Presses(answer), Homes()
    press = office.press(await office.pending(), channel_id=OPERATOR)
    handler = handler_of(presses, homes)
    await handler.handle_press(press, replayed=True)
    assert homes.shown == []
    await handler.handle_press(press)
    assert presses.acted == [(press, True), (press, False)]
    assert homes.shown == [(OPERATOR, TEAM, answer or "")]
    assert (presses.handled, homes.renewed) == ([], [])
    await office.orchestrator.stop()


async def test_a_press_on_a_card_renews_the_views_of_its_user() -> None:
    """It is answered in its channel; a replayed one draws nothing."""
    office, presses, homes = Viewing(), Presses(), Homes()
    press = office.press(await office.pending())
    handler = handler_of(presses, homes)
    await handler.handle_press(press, replayed=True)
    assert homes.renewed == []
    await handler.handle_press(press)
    assert presses.handled == [(press, True), (press, False)]
    assert (presses.acted, homes.shown, homes.renewed) == ([], [], [OPERATOR])
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("errors", "replayed", "renewed"),
    [({}, None, [OPERATOR]), ({}, True, []), ({"text": "Please write something."}, None, [])],
)
async def test_a_dialog_renews_the_views_if_it_was_accepted(
    errors: dict[str, str], replayed: bool | None, renewed: list[str]
) -> None:
    """Its errors are handed back to Slack."""
    office, presses, homes = Viewing(), Presses(errors=errors), Homes()
    dialog = submitted(await office.pending())
    named = {} if replayed is None else {"replayed": replayed}
    assert await handler_of(presses, homes).handle_dialog(dialog, **named) == errors
    assert (presses.handled, homes.renewed) == ([(dialog, bool(replayed))], renewed)
    await office.orchestrator.stop()


def handler_of(presses: Presses, homes: Homes) -> CardPressHandler:
    """Build a handler over fakes."""
    approval: Any = presses
    return CardPressHandler(approval=approval, queue_views=homes)
