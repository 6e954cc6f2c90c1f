"""Dispatcher: records each payload by the watcher, then passes it to the handler of its type.

App Home, queue answers, viewed pages and access changes have their own handlers; the watcher handles the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from blocks.queue import SHOW_CARD
from bot.intake.deduplication import SeenKeys
from bot.models.home import HomeOpened, HomePress, MessagesOpened
from bot.models.interaction import Press, read_card_press
from bot.models.loss import AppRemoved, ChannelChanged, PersonChanged
from bot.models.pending_command import ConfirmationPress, read_address
from bot.models.queue import QueuePress, view_of
from bot.models.talk_stop import TalkStop
from bot.models.viewed_page import Looked

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.intake.watcher import Watcher
    from bot.models.interaction import CardPress
    from bot.models.queue import QueueView
    from bot.models.received_payload import AccessChanged, Received
    from bot.ports.outbound import Clock


class HomeDesk(Protocol):
    """Handler of App Home."""

    async def opened(self, opened: HomeOpened) -> None:
        """Publish the user's App Home."""

    async def pressed(self, press: HomePress) -> None:
        """Act on a button."""


class QueueDesk(Protocol):
    """Handler of buttons on answers to `/triage queue`."""

    def pressed_on(self, user: str, team: str, url: str, view: QueueView) -> None:
        """Remember the response URL of the answer that a user has pressed."""

    async def pressed(self, press: QueuePress) -> None:
        """Show the view that a button selects."""


class AccessDesk(Protocol):
    """Handler of changes to the bot's access."""

    def heard(self, changed: AccessChanged) -> None:
        """Check whether the bot lost access, or has it again."""


class StopPressPort(Protocol):
    """Handler of Slack's Stop button."""

    async def press_stop(self, stop: TalkStop) -> None:
        """End the chat turn that the user stopped."""


class PageViewsPort(Protocol):
    """Store of the pages that people view."""

    def heard(self, looked: Looked) -> None:
        """Remember the page."""


class SuggestedPromptsPort(Protocol):
    """Handler of suggested prompts."""

    async def opened(self, opened: MessagesOpened) -> None:
        """Show suggested prompts to the user."""


@dataclass(frozen=True, kw_only=True)
class Front:
    """Dispatcher of payloads. `card_pressed` is called for each press on a card, before it is handled.

    `confirmation_pressed` is called for Confirm and Cancel, with the response URL of their message.
    """

    watcher: Watcher
    homes: HomeDesk
    queue: QueueDesk
    prompter: SuggestedPromptsPort
    access: AccessDesk
    eyes: PageViewsPort
    talks: StopPressPort
    card_pressed: Callable[[CardPress], None]
    confirmation_pressed: Callable[[ConfirmationPress, str], None]
    clock: Clock
    _seen: SeenKeys = field(default_factory=SeenKeys)

    async def record(self, body: dict[str, Any]) -> Received:
        """Record a body; its response URL, which would let anybody answer as the bot, is only kept in memory."""
        received = await self.watcher.record(body)
        noun, address = received.noun, read_address(body)
        if isinstance(noun, Press | QueuePress) and address and (view := view_of(body)):
            self.queue.pressed_on(noun.user_id, noun.team_id, address, view)
        elif isinstance(noun, Press) and noun.action != SHOW_CARD:  # that button is in lists, not on cards
            if press := read_card_press(noun, body):
                self.card_pressed(press)
        elif isinstance(noun, ConfirmationPress) and address:
            self.confirmation_pressed(noun, address)
        return received

    async def event(self, received: Received) -> None:
        """Act on an acknowledged event."""
        if isinstance(received.noun, HomeOpened):
            await self.homes.opened(received.noun)
        elif isinstance(received.noun, MessagesOpened):
            await self.prompter.opened(received.noun)
        elif isinstance(received.noun, Looked):
            self.eyes.heard(received.noun)
        elif isinstance(received.noun, TalkStop):
            if self._seen.first(received.noun.interaction_id, at=self.clock.now()):
                await self.talks.press_stop(received.noun)
        elif isinstance(received.noun, ChannelChanged | PersonChanged | AppRemoved):
            self.access.heard(received.noun)
        else:
            await self.watcher.event(received)

    async def press(self, received: Received) -> None:
        """Act on an acknowledged press, once."""
        noun = received.noun
        if not isinstance(noun, HomePress | QueuePress):
            await self.watcher.press(received)
        elif self._seen.first(noun.interaction_id, at=self.clock.now()):
            await (self.homes.pressed(noun) if isinstance(noun, HomePress) else self.queue.pressed(noun))
