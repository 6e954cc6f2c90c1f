"""The dispatcher: each payload goes to the handler of its type, once, and response URLs stay in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.intake.record import event_record, read
from bot.models.home import HomeOpened, HomePress, MessagesOpened
from bot.models.interaction import CardPress, Press
from bot.models.pending_command import ConfirmationPress
from bot.models.queue import QueuePress, QueueView
from bot.models.received_payload import AccessChanged, ReceivedPayload
from bot.models.turn_stop import StopPress
from tests.intake.test_watcher import OpenThread, intake, watcher

OPENED = {"team_id": "T0SANDBOX", "event": {"type": "app_home_opened", "user": "U0OPS", "tab": "home"}}
PRESSED = {
    "type": "block_actions",
    "team": {"id": "T0SANDBOX"},
    "user": {"id": "U0OPS"},
    "view": {"type": "home"},
    "actions": [{"action_id": "home_pause", "action_ts": "5.1", "value": "now"}],
}
NUDGED: dict[str, Any] = {
    "type": "block_actions",
    "team": {"id": "T0SANDBOX"},
    "user": {"id": "U0OPS"},
    "channel": {"id": "C0HELP"},
    "trigger_id": "1.2",
    "container": {"is_ephemeral": True, "message_ts": "9.1"},
    "response_url": "https://hooks.slack.com/actions/1",
    "actions": [{"action_id": "approve", "action_ts": "5.1", "value": "T0SANDBOX-C0HELP-1.1/1 abc"}],
}


class House:
    """A dispatcher over a watcher, whose handlers keep what they were handed."""

    def __init__(self) -> None:
        self.opened_by: list[HomeOpened | MessagesOpened] = []
        self.presses: list[HomePress | QueuePress] = []
        self.cards: list[CardPress] = []
        self.confirmations: list[tuple[str, str]] = []
        self.queues: list[tuple[str, str, QueueView]] = []
        self.handled: list[Any] = []
        self.stops: list[StopPress] = []
        self.changes: list[AccessChanged] = []
        self.shown: list[Press] = []
        card_views, show_card = (
            SimpleNamespace(remember_response_url=self.cards.append),
            SimpleNamespace(handle_press=self.show_card),
        )
        on_cards = SimpleNamespace(handle_press=self.handle, store_response_url=self.store_response_url)
        parts: dict[str, Any] = dict.fromkeys(("homes", "queue", "prompts", "access", "conversations"), self)
        self.dispatcher = intake(
            watcher(OpenThread()),
            cards=on_cards,
            confirmations=on_cards,
            card_views=card_views,
            show_card=show_card,
            **parts,
        )

    def store_response_url(self, press: ConfirmationPress, url: str) -> None:
        """Where the message of Confirm and Cancel can be changed."""
        self.confirmations.append((press.confirmation_id, url))

    async def handle(self, press: Press | ConfirmationPress, *, replayed: bool = False) -> None:
        """A press on a card, on Confirm or on Cancel."""
        self.handled.append(press)

    async def show_card(self, press: Press) -> None:
        """A press on Show Card."""
        self.shown.append(press)

    async def press_stop(self, stop: StopPress) -> None:
        """Slack's own Stop."""
        self.stops.append(stop)

    def handle_change(self, change: AccessChanged) -> None:
        """What may take something from the bot."""
        self.changes.append(change)

    async def handle_opened(self, event: HomeOpened | MessagesOpened) -> None:
        """An opening."""
        self.opened_by.append(event)

    async def handle_press(self, press: HomePress | QueuePress) -> None:
        """A press of the Home's, or on an answer to `/triage queue`."""
        self.presses.append(press)

    def remember_response_url(self, user: str, team: str, url: str, view: QueueView) -> None:
        """Where such an answer can be changed."""
        self.queues.append((user, url, view))

    async def delivers(self, body: dict[str, Any]) -> ReceivedPayload:
        """Slack delivers: the record first, then the rest."""
        received = await self.dispatcher.record(body)
        await self.dispatcher.handle(received)
        return received


async def test_the_homes_openings_and_presses_are_its_own() -> None:
    """A press that is delivered twice is pressed once; the Messages tab has something suggested."""
    house = House()
    await house.delivers(OPENED)
    for _ in range(2):
        await house.delivers(PRESSED)
    tab = {**OPENED, "event": {**OPENED["event"], "tab": "messages", "channel": "D0OPS"}}  # type: ignore[dict-item]  # it is one
    await house.delivers(tab)
    await house.delivers(NUDGED)
    assert [type(opened) for opened in house.opened_by] == [HomeOpened, MessagesOpened]
    assert [isinstance(press, HomePress) and press.action for press in house.presses] == ["home_pause"]
    assert len(house.handled) == 1


async def test_slacks_own_stop_reaches_the_talks_once() -> None:
    """However often one press is delivered."""
    house = House()
    event = {"type": "agent_session_stopped", "user": "U0ANA", "channel": "C0HELP", "thread_ts": "1.1"}
    body = {"event_id": "Ev1", "team_id": "T0PARTNER", "context_team_id": "T0SANDBOX", "event": event}
    for _ in range(2):
        await house.delivers(body)
    ((stop),) = house.stops
    assert (stop.user_id, stop.team_id, stop.conversation) == ("U0ANA", "T0PARTNER", "T0SANDBOX-C0HELP-1.1")
    for wrong in ({"event": {**event, "thread_ts": None}}, {"event": {**event, "user": 5}}, {"event_id": None}):
        assert read({**body, **wrong}, chat_names={}).payload is None
    assert house.handled == []


async def test_the_address_of_a_card_reaches_memory_and_no_record() -> None:
    """Whoever reads the journal could answer in the bot's place with it."""
    house = House()
    received = await house.dispatcher.record(NUDGED)
    assert [press.response_url for press in house.cards] == ["https://hooks.slack.com/actions/1"]
    assert "hooks.slack.com" not in str(event_record(received, NUDGED, received_at="now"))


@pytest.mark.parametrize(
    "changes",
    [
        {"container": {}},
        {"container": {"message_ts": 9}},
        {"container": None},
        {"response_url": None},
        {"actions": [{"value": "else"}]},
        {"actions": [{**NUDGED["actions"][0], "action_id": "show_card"}]},
        {"actions": []},
    ],
)
async def test_what_is_no_press_on_a_card_gives_no_address(changes: dict[str, Any]) -> None:
    """A button of a list, something malformed."""
    house = House()
    await house.dispatcher.record({**NUDGED, **changes})
    assert house.cards == []


async def test_the_address_of_buttons_that_confirm_reaches_memory_and_no_record() -> None:
    """With it they give way to what came of the press; the press itself is the watcher's."""
    house = House()
    pressed = {**NUDGED, "actions": [{"action_id": "command_confirm", "action_ts": "5.1", "value": "00abcdef"}]}
    received = await house.delivers(pressed)
    assert house.confirmations == [("00abcdef", "https://hooks.slack.com/actions/1")]
    assert len(house.handled) == 1
    assert "hooks.slack.com" not in str(event_record(received, pressed, received_at="now"))


@pytest.mark.parametrize("action", ["approve", "queue_next"])
async def test_the_address_of_a_queue_reaches_memory_and_no_record(action: str) -> None:
    """A decision there is the watcher's, and no press on a nudge; what leads to another page is not."""
    house = House()
    value = "certain list 8" if action == "queue_next" else "T0SANDBOX-C0HELP-1.1/1 abc"
    button = {"action_id": action, "action_ts": "5.1", "value": value, "block_id": "queue:certain card 3:4"}
    received = await house.delivers({**NUDGED, "actions": [button]})
    assert house.queues == [("U0OPS", "https://hooks.slack.com/actions/1", QueueView("certain", "card", 3))]
    assert (house.cards, len(house.handled), len(house.presses)) == ([], action == "approve", action == "queue_next")
    assert "hooks.slack.com" not in str(event_record(received, NUDGED, received_at="now"))


async def test_what_becomes_of_channels_and_the_app_goes_to_whoever_minds_it() -> None:
    """Nothing of it is the watcher's."""
    house = House()
    for event in ({"type": "channel_left", "channel": "C0HELP"}, {"type": "app_uninstalled"}):
        await house.delivers({"type": "event_callback", "event": event})
    assert [type(change).__name__ for change in house.changes] == ["ChannelChanged", "AppRemoved"]
    assert house.handled == []


async def test_show_card_is_no_decision_on_a_card() -> None:
    """A press in a list brings the card; a start after a crash brings none."""
    house = House()
    body = {**NUDGED, "actions": [{**NUDGED["actions"][0], "action_id": "show_card"}]}
    await house.delivers(body)
    await house.dispatcher.record({**body, "actions": [{**body["actions"][0], "action_ts": "5.2"}]})
    assert await house.dispatcher.recover() == 1
    assert (len(house.shown), house.handled) == (1, [])


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"command": "/triage"}, "Triage does not know this command."),
        ({"type": "event_callback", "event": {"type": "team_join"}}, None),
    ],
)
async def test_what_no_handler_takes_is_recorded_and_left_alone(body: dict[str, Any], text: str | None) -> None:
    """Whoever typed a command hears so."""
    dispatcher = House().dispatcher
    assert (await dispatcher.handle(await dispatcher.record(body))).get("text") == text
