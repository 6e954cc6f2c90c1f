"""The front: takes what Slack sends, has the watcher write it down, and hands what concerns the App Home to it.

Everything else is the watcher's.
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
    """What intake knows of the App Home."""

    async def opened(self, opened: HomeOpened) -> None:
        """Show somebody theirs."""

    async def pressed(self, press: HomePress) -> None:
        """Do what a button says."""


class QueueDesk(Protocol):
    """What intake knows of answers to `/triage queue`."""

    def pressed_on(self, user: str, team: str, url: str, view: QueueView) -> None:
        """Remember where the answer can be changed on which somebody has pressed."""

    async def pressed(self, press: QueuePress) -> None:
        """Show the view that a button leads to."""


class AccessDesk(Protocol):
    """What intake knows of whoever minds what the bot can reach."""

    def heard(self, changed: AccessChanged) -> None:
        """Look whether that took something from the bot, or gave it back."""


class StopPressPort(Protocol):
    """What intake knows of whoever can end a turn of the chat agent."""

    async def press_stop(self, stop: TalkStop) -> None:
        """Act on Slack's own Stop."""


class PageViewsPort(Protocol):
    """What intake knows of whoever remembers what people look at."""

    def heard(self, looked: Looked) -> None:
        """Remember it."""


class SuggestedPromptsPort(Protocol):
    """What intake knows of whoever suggests what one may say."""

    async def opened(self, opened: MessagesOpened) -> None:
        """Suggest something to somebody."""


@dataclass(frozen=True, kw_only=True)
class Front:
    """`card_pressed` hears of a press on a card, before anything comes of it; so does `confirmation_pressed` of Confirm
    and Cancel, with the address of their message."""

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
        """Write a body down; the address in it that would let a reader answer in the bot's place stays in memory."""
        received = await self.watcher.record(body)
        noun, address = received.noun, read_address(body)
        if isinstance(noun, Press | QueuePress) and address and (view := view_of(body)):
            self.queue.pressed_on(noun.user_id, noun.team_id, address, view)
        elif isinstance(noun, Press) and noun.action != SHOW_CARD:  # which stands in lists, not on cards
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
