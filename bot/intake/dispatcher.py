"""Dispatcher: from each recorded payload of Slack or a forge to the handler of its type."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, assert_never

from blocks.queue import SHOW_CARD
from bot.intake.deduplication import SeenKeys, load_newest
from bot.models.auto_reply import AutoReplyPress
from bot.models.feedback import Complaint, Vote
from bot.models.home import HomeOpened, HomePress, MessagesOpened
from bot.models.interaction import (
    Dialog,
    MalformedCommand,
    Press,
    TypedCommand,
    message_interaction_id,
    read_card_press,
    read_command,
)
from bot.models.loss import AppRemoved, ChannelChanged, PersonChanged
from bot.models.message import Deletion, Edit, Message
from bot.models.message_sample import SamplePress
from bot.models.opened_merge_request import OpenedMergeRequest
from bot.models.pending_command import ConfirmationDialog, ConfirmationPress, read_address
from bot.models.queue import QueuePress, view_of
from bot.models.reaction import Reaction
from bot.models.received_payload import REMOVED, REVISED, Pressed, Submitted
from bot.models.recorded_time import parse_time
from bot.models.shortcut import Shortcut
from bot.models.turn_stop import StopPress
from bot.models.viewed_page import PageViewed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from datetime import datetime

    from bot.intake.watcher import Watcher
    from bot.models.received_payload import Payload, ReceivedPayload
    from bot.ports.hooks import MergeRequestObserver
    from bot.ports.inbound import Commands, ReactionsPort
    from bot.ports.outbound import Journal
    from bot.ports.payload_handlers import (
        AccessPort,
        AutoReplyPort,
        CardsPort,
        CardViewsPort,
        ConfirmationsPort,
        CorrectionsPort,
        FeedbackPort,
        HomePort,
        PageViewsPort,
        QueuePort,
        SamplesPort,
        ShowCardPort,
        StopPressPort,
        SuggestedPromptsPort,
    )

log = logging.getLogger(__name__)

_MORE_AUDIT = 1_000
"""Records of the audit beyond four for each event: commands from a terminal are no events, and have records, too."""

_INTERRUPTED_WITHIN = timedelta(days=7)
"""Age up to which a command without a record in the audit was interrupted: later the audit may have lost it."""


@dataclass(frozen=True, kw_only=True)
class Dispatcher:
    """Handlers of payloads. `audit` is the journal of what people did."""

    watcher: Watcher
    """Messages, edits and deletions."""
    reactions: Sequence[ReactionsPort]
    """Handlers of reactions; each gets all those of people in watched channels."""
    commands: Commands
    """Slash commands."""
    cards: CardsPort
    """Buttons and dialogs of cards."""
    show_card: ShowCardPort
    """The Show Card button, in lists and notifications."""
    card_views: CardViewsPort
    """Places at which cards are shown."""
    feedback: FeedbackPort
    """Thumbs under replies."""
    corrections: CorrectionsPort
    """Shortcuts on messages."""
    samples: SamplesPort
    """Buttons of weekly samples."""
    auto_replies: AutoReplyPort
    """Buttons of the notices of automatic replies."""
    confirmations: ConfirmationsPort
    """Confirm, Cancel and typed names."""
    homes: HomePort
    """The App Home."""
    queue: QueuePort
    """Answers to `/triage queue`."""
    prompts: SuggestedPromptsPort
    """Suggested prompts of the Messages tab."""
    pages: PageViewsPort
    """Pages that people view."""
    conversations: StopPressPort
    """Slack's Stop button."""
    access: AccessPort
    """Changes of the bot's access."""
    audit: Journal
    merge_requests: MergeRequestObserver | None = None
    """Merge requests that a forge reports; `None` in tests that need none."""
    _seen_on_screens: SeenKeys = field(default_factory=SeenKeys)

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        """Start to record an event; it is on disk once the result was awaited."""
        return self.watcher.begin(body)

    async def record(self, body: dict[str, Any]) -> ReceivedPayload:
        """Record a payload; on return it is on disk. Its response URL is kept in memory only."""
        received, write = self.watcher.begin(body)
        await write
        payload, address = received.payload, read_address(body)
        if isinstance(payload, Press | QueuePress) and address and (view := view_of(body)):
            self.queue.remember_response_url(payload.user_id, payload.team_id, address, view)
        elif isinstance(payload, Press) and payload.action != SHOW_CARD:  # that button is in lists, not on cards
            if press := read_card_press(payload, body):
                self.card_views.remember_response_url(press)
        elif isinstance(payload, ConfirmationPress) and address:
            self.confirmations.store_response_url(payload, address)
        return received

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        """Handle a recorded payload unless it is a duplicate; return the content of its ack.

        The content is a dialog's errors, by `block_id`, or the `text` and `blocks` of a command's answer.
        """
        match received.payload:
            case None:
                return {}
            case Message() | Edit() | Deletion() | Reaction() as payload:
                async with self.watcher.once(payload, received.event_id) as is_new:
                    if is_new:
                        await self._dispatch(payload)
                        await self._note_revision(payload, received.event_id)
            case payload if self._is_new(payload):
                return await self._dispatch(payload)
            case TypedCommand():
                return {"text": "This command was already received, so it was not run again."}
        return {}

    async def _note_revision(self, payload: Payload, event_id: str | None) -> None:
        if isinstance(payload, Edit | Deletion):
            await self.watcher.record_revision(payload, event_id)

    def _is_new(self, payload: Payload) -> bool:
        """Return whether an interaction is not a duplicate; true for payloads that are not deduplicated here."""
        match payload:
            case HomePress() | QueuePress() | StopPress():
                return self._seen_on_screens.is_first(payload.interaction_id, at=self.watcher.clock.now())
            case _ if isinstance(payload, Pressed | TypedCommand | OpenedMergeRequest):
                return self.watcher.seen_keys.is_first(payload.interaction_id, at=self.watcher.clock.now())
        return True

    async def _dispatch(  # noqa: C901  # one row for each type of payload
        self, payload: Payload, *, replayed: bool = False
    ) -> dict[str, Any]:
        """Call the handler of a payload's type; return the content of the ack, if it has any."""
        match payload:
            case Message():
                await self.watcher.add(payload)
            case Edit() | Deletion():
                await self.watcher.revise(payload)
            case Reaction():
                await self._react(payload)
            case TypedCommand():
                return await self.commands.answer(payload)
            case MalformedCommand():
                return await self.commands.refuse_malformed(payload)
            case Press() if payload.action == SHOW_CARD and not payload.is_on_home:
                if not replayed:
                    await self.show_card.handle_press(payload)
            case Press():
                await self.cards.handle_press(payload, replayed=replayed)
            case Dialog():
                return {**await self.cards.handle_dialog(payload, replayed=replayed)}
            case Vote():
                await self.feedback.record_vote(payload, replayed=replayed)
            case Complaint():
                return {**await self.feedback.record_complaint(payload, replayed=replayed)}
            case Shortcut():
                await self.corrections.handle_shortcut(payload, replayed=replayed)
            case SamplePress():
                await self.samples.handle_press(payload, replayed=replayed)
            case AutoReplyPress():
                await self.auto_replies.handle_press(payload, replayed=replayed)
            case ConfirmationPress():
                await self.confirmations.handle_press(payload, replayed=replayed)
            case ConfirmationDialog():
                return {**await self.confirmations.handle_dialog(payload, replayed=replayed)}
            case HomeOpened():
                await self.homes.handle_opened(payload)
            case HomePress():
                await self.homes.handle_press(payload)
            case QueuePress():
                await self.queue.handle_press(payload)
            case MessagesOpened():
                await self.prompts.handle_opened(payload)
            case PageViewed():
                self.pages.handle_view(payload)
            case StopPress():
                await self.conversations.press_stop(payload)
            case OpenedMergeRequest():
                if self.merge_requests:
                    self.merge_requests.note_merge_request(payload)
            case ChannelChanged() | PersonChanged() | AppRemoved():
                self.access.handle_change(payload)
            case _:
                assert_never(payload)
        return {}

    async def _react(self, reaction: Reaction) -> None:
        """Pass a person's reaction in a watched channel to all handlers of reactions."""
        if reaction.chat_id in self.watcher.watched and reaction.user_id != self.watcher.team.classifier.bot_id:
            for reactions in self.reactions:
                await reactions.handle_reaction(reaction)

    async def recover(self) -> int:
        """Handle those of the newest records that were not handled before a crash; return their number."""
        records, classified = await load_newest(self.watcher.events, self.watcher.classified)
        handled = {record.get("interaction_id") for record in await self.audit.tail(4 * len(records) + _MORE_AUDIT)}
        handled |= {record.get("revision") for record in records if record.get("kind") == REVISED}
        removed = {record.get("thread_id") for record in records if record.get("kind") == REMOVED}
        count, now = 0, self.watcher.clock.now()
        for record in records:
            try:
                count += await self._recover(record, classified, handled, removed, at=now)
            except Exception:
                log.exception("a record could not be gone through again: %s", record.get("event_id"))
        return count + await self.watcher.take_early()

    async def _recover(
        self,
        record: dict[str, Any],
        classified: Mapping[tuple[Any, Any], dict[str, Any]],
        handled: set[Any],
        removed: set[Any],
        *,
        at: datetime,
    ) -> bool:
        """Handle one record unless it was handled; return whether that changed anything."""
        mode, kind = record.get("mode", "live"), record.get("kind")
        if kind == "command":
            return await self._report_interrupted(record, handled, at=at)
        if kind not in ("press", "dialog", "shortcut", "forge") and (
            mode is None or (mode == "silent" and kind != "reaction")
        ):
            return False  # it was ignored when it came in, whatever the settings are now
        raw, seen_keys = record.get("raw"), self.watcher.seen_keys
        payload = self.watcher.read({**raw, "trigger_id": ""} if isinstance(raw, dict) else {}).payload
        match payload:
            case Message() if seen_keys.is_first(record.get("event_id"), payload, at=at):
                is_done = payload.home in removed or message_interaction_id(payload) in handled
                if is_done:  # its thread was removed, or its command was started, as the audit shows
                    self.watcher.note(payload)
                    return False
                earlier_record = classified.get((payload.chat_id, payload.message_id))
                return await self.watcher.add(
                    payload, replayed=earlier_record is not None, earlier_record=earlier_record
                )
            case Edit() | Deletion() if seen_keys.is_first(record.get("event_id"), at=at):
                if record.get("event_id") in handled:
                    return False
                has_changed = await self.watcher.revise(payload)
                await self._note_revision(payload, record.get("event_id"))
                return has_changed
        if not isinstance(payload, Pressed | Submitted | Reaction | OpenedMergeRequest) or not seen_keys.is_first(
            payload.interaction_id, at=at
        ):
            return False
        if payload.interaction_id not in handled:
            await self._dispatch(payload, replayed=True)
        return payload.interaction_id not in handled

    async def _report_interrupted(self, record: dict[str, Any], handled: set[Any], *, at: datetime) -> bool:
        """Report a slash command that has no record in the audit; return whether there was one.

        It is not run again: nobody knows how far it got, and its user has seen Slack's error.
        """
        raw, key, received_at = record.get("raw"), record.get("event_id"), parse_time(record.get("received_at"))
        command = read_command({**raw, "trigger_id": ""}) if isinstance(raw, dict) else None
        is_new = isinstance(key, str) and self.watcher.seen_keys.is_first(key, at=at)
        if not isinstance(command, TypedCommand) or not is_new or key in handled:
            return False
        if received_at is None or at - received_at > _INTERRUPTED_WITHIN:
            return False
        await self.commands.report_interrupted(command.evolve(interaction_id=key))
        return True
