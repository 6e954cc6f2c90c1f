"""Payload from Slack or a forge, parsed once before the ack and passed to its handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from bot.models.auto_reply import AutoReplyPress
from bot.models.feedback import Complaint, Vote
from bot.models.home import HomeOpened, HomePress, MessagesOpened
from bot.models.interaction import Dialog, MalformedCommand, Press, TypedCommand
from bot.models.loss import AppRemoved, ChannelChanged, PersonChanged
from bot.models.message import Deletion, Edit, Message
from bot.models.message_sample import SamplePress
from bot.models.opened_merge_request import OpenedMergeRequest
from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
from bot.models.queue import QueuePress
from bot.models.reaction import Reaction
from bot.models.shortcut import Shortcut
from bot.models.turn_stop import StopPress
from bot.models.viewed_page import PageViewed

Kind = Literal["message", "edit", "deletion", "reaction", "event", "press", "dialog", "shortcut", "command", "forge"]
REVISED: Final = "revised"
"""Kind of the record of an edit or a deletion that was applied."""
REMOVED: Final = "removed"
"""Kind of the record of a thread that a command removed: its messages are not handled again after a restart."""
KINDS_WITHOUT_MESSAGE = (*(kind for kind in get_args(Kind) if kind not in ("message", "edit")), REVISED, REMOVED)
"""Kinds of the records in `events.ndjson` that hold no message to classify."""
Pressed = Press | Vote | Shortcut | ConfirmationPress | SamplePress | AutoReplyPress
"""Actions of a person that need no answer but the ack."""
Submitted = Dialog | Complaint | ConfirmationDialog
ViewEvent = HomeOpened | MessagesOpened | PageViewed | HomePress | QueuePress
"""Views that a person opened or changed."""
AccessChanged = ChannelChanged | PersonChanged | AppRemoved
"""Changes that may give the bot access, or take it away."""
Payload = (
    Message
    | Edit
    | Deletion
    | Reaction
    | Pressed
    | Submitted
    | TypedCommand
    | MalformedCommand
    | ViewEvent
    | AccessChanged
    | StopPress
    | OpenedMergeRequest
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedPayload:
    """One parsed request body; without content if Triage does not act on it."""

    kind: Kind
    payload: Payload | None
    event_id: str | None
    """The id shared by all deliveries of the same payload."""
