"""What came in from Slack, read once: made by `intake/record`, carried by the listeners from the record to the deed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.models.feedback import Complaint, Vote
from bot.models.home import HomeOpened, HomePress, MessagesOpened
from bot.models.interaction import Dialog, Press, TypedCommand
from bot.models.loss import AppRemoved, ChannelChanged, PersonChanged
from bot.models.message import Deletion, Edit, Message
from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
from bot.models.queue import QueuePress
from bot.models.reaction import Reacted
from bot.models.shortcut import Shortcut
from bot.models.talk_stop import TalkStop
from bot.models.viewed_page import Looked

Kind = Literal["message", "edit", "deletion", "reaction", "event", "press", "dialog", "shortcut", "command"]
Pressed = Press | Vote | Shortcut | ConfirmationPress
"""What a person did that needs no answer but the ack."""
Submitted = Dialog | Complaint | ConfirmationDialog
Seen = HomeOpened | MessagesOpened | Looked | HomePress | QueuePress
"""What somebody looks at."""
AccessChanged = ChannelChanged | PersonChanged | AppRemoved
"""What may take something from the bot, or give it back."""
Noun = Message | Edit | Deletion | Reacted | Pressed | Submitted | TypedCommand | Seen | AccessChanged | TalkStop


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One body. `noun` is `None` when it holds nothing that Triage acts on."""

    kind: Kind
    noun: Noun | None
    event_id: str | None
    """The id that every delivery of the same thing shares."""
