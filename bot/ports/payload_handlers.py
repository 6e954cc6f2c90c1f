"""Ports of payloads: the dispatcher, and the handlers of presses, dialogs and views that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.models.auto_reply import AutoReplyPress
    from bot.models.feedback import Complaint, Vote
    from bot.models.home import HomeOpened, HomePress, MessagesOpened
    from bot.models.interaction import CardPress, Dialog, Press
    from bot.models.message_sample import SamplePress
    from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
    from bot.models.queue import QueuePress, QueueView
    from bot.models.received_payload import AccessChanged, ReceivedPayload
    from bot.models.shortcut import Shortcut
    from bot.models.turn_stop import StopPress
    from bot.models.viewed_page import PageViewed


class PayloadsPort(Protocol):
    """Dispatcher of payloads, as the listeners see it (`bot.intake.dispatcher.Dispatcher`)."""

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        """Start to record an event; it is on disk once the result was awaited."""

    async def record(self, body: dict[str, Any]) -> ReceivedPayload:
        """Record a payload; on return it is on disk, and may be acknowledged."""

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        """Handle a recorded payload; return the content of the ack of a dialog or a command."""


class ReconnectPort(Protocol):
    """Catch-up with messages that were missed between two connections (`bot.intake.catch_up.CatchUps`)."""

    def schedule_all(self) -> None:
        """Read every channel from its cursor on: a connection was opened, the first one or another."""


class CardsPort(Protocol):
    """Handler of buttons and dialogs on cards (`bot.approval.show_card.CardPressHandler`)."""

    async def handle_press(self, press: Press, *, replayed: bool = False) -> None:
        """Handle a pressed button."""

    async def handle_dialog(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Handle a submitted dialog; return the errors to show in it, by `block_id`."""


class QueueViewsPort(Protocol):
    """App Homes and answers to `/triage queue`, through which people step from question to question
    (`bot.chat.queue_views.QueueViews`)."""

    async def show_home(self, user: str, team: str, answer: str) -> None:
        """Show a person their App Home immediately, with an answer."""

    def renew_soon(self, user: str) -> None:
        """Draw the views of a person again, soon."""

    def has_just_come(self, press: Press) -> bool:
        """Return whether the pressed button came to its place a moment ago."""


class ShowCardPort(Protocol):
    """Handler of Show Card (`bot.approval.show_card.CardViewer`)."""

    async def handle_press(self, press: Press) -> None:
        """Show the card of a question to the person who pressed."""


class CardViewsPort(Protocol):
    """Memory of the messages that show cards (`bot.surfaces.thread_views.ThreadViews`)."""

    def remember_response_url(self, press: CardPress) -> None:
        """Remember the response URL of the message with the pressed button."""


class FeedbackPort(Protocol):
    """Handler of thumbs under replies (`bot.approval.feedback.Feedback`)."""

    async def record_vote(self, vote: Vote, *, replayed: bool = False) -> None:
        """Handle a thumb."""

    async def record_complaint(self, complaint: Complaint, *, replayed: bool = False) -> dict[str, str]:
        """Handle the reason of a thumb that is down; return the errors to show, by `block_id`."""


class CorrectionsPort(Protocol):
    """Handler of shortcuts that correct a classification (`bot.approval.corrections.Corrections`)."""

    async def handle_shortcut(self, shortcut: Shortcut, *, replayed: bool = False) -> None:
        """Handle a shortcut on a message."""


class SamplesPort(Protocol):
    """Handler of buttons of weekly samples (`bot.approval.message_samples.MessageSamples`)."""

    async def handle_press(self, press: SamplePress, *, replayed: bool = False) -> None:
        """Handle *Fine* or *Missed*."""


class AutoReplyPort(Protocol):
    """Handler of presses on automatic replies (`bot.approval.auto_reply_presses.AutoReplyPresses`)."""

    async def handle_press(self, press: AutoReplyPress, *, replayed: bool = False) -> None:
        """Handle *Take Back* or *It Is Right*."""


class ConfirmationsPort(Protocol):
    """Handler of confirmations that a command waits for (`bot.commands.confirmation_buttons.ConfirmationButtons`)."""

    def store_response_url(self, press: ConfirmationPress, url: str) -> None:
        """Remember the response URL of the message with the pressed button."""

    async def handle_press(self, press: ConfirmationPress, *, replayed: bool = False) -> None:
        """Handle Confirm or Cancel."""

    async def handle_dialog(self, dialog: ConfirmationDialog, *, replayed: bool = False) -> dict[str, str]:
        """Handle a name typed as confirmation; return the errors to show, by `block_id`."""


class HomePort(Protocol):
    """The App Home (`bot.chat.app_home.AppHome`)."""

    async def handle_opened(self, event: HomeOpened) -> None:
        """Show a person their App Home."""

    async def handle_press(self, press: HomePress) -> None:
        """Handle a pressed button."""


class QueuePort(Protocol):
    """Answers to `/triage queue` (`bot.commands.queue.QueueAnswers`)."""

    def remember_response_url(self, user: str, team: str, url: str, view: QueueView) -> None:
        """Remember the response URL of the answer on which a user pressed a button."""

    async def handle_press(self, press: QueuePress) -> None:
        """Show the view that a button leads to."""


class AccessPort(Protocol):
    """Watch over what the bot can reach (`bot.triage.access.Access`)."""

    def handle_change(self, change: AccessChanged) -> None:
        """Check whether a change took something from the bot, or gave it back."""


class StopPressPort(Protocol):
    """Turns of the chat agent, which Slack's Stop ends (`bot.chat.conversations.ChatConversations`)."""

    async def press_stop(self, stop: StopPress) -> None:
        """Handle Slack's Stop."""


class PageViewsPort(Protocol):
    """Memory of the pages that people look at, as events tell of them (`bot.triage.viewed_pages.ViewedPages`)."""

    def handle_view(self, view: PageViewed) -> None:
        """Remember a page view."""


class SuggestedPromptsPort(Protocol):
    """Suggested prompts of the Messages tab (`bot.chat.suggested_prompts.SuggestedPrompts`)."""

    async def handle_opened(self, event: MessagesOpened) -> None:
        """Suggest prompts to a person."""
