"""Operator actions on a thread: inputs of the state machine.

`Restarted` and `Settle` come from commands: no card has a button for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.draft import Draft
    from bot.models.reasons import BounceCode, DismissCode
    from bot.models.status import Mode


@dataclass(frozen=True, kw_only=True, slots=True)
class TimedEvent:
    """The fields that all thread events share."""

    at: datetime
    fresh: str
    """A fresh id: the name of any new run, nonce or card that this event leads to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _PressEvent(TimedEvent):
    by: str
    draft_id: str
    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Approve(_PressEvent):
    """Approval of the draft as shown. `anyway` is a press on a card marked as stale."""

    anyway: bool = False
    keeps_note: bool = False
    """True if the note proposed in the findings is kept, too."""
    second: str | None = None
    """The next person to ask, if two must approve."""
    confirmed: str = ""
    """Digest of the faults that the button named before the press."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditSubmitted(_PressEvent):
    """Replacement of the draft's text."""

    draft: Draft


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounce(_PressEvent):
    """Request for another draft, with a reason: a code, words, or both."""

    code: BounceCode | None = None
    feedback: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerQuestion(_PressEvent):
    """Answer to the investigator's question, with a request for a draft made with it."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redraft(_PressEvent):
    """Request for another draft, with the messages that came in since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DigDeeper(_PressEvent):
    """Request for a longer run in a separate process."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRunbookPressed(_PressEvent):
    """Approval of the proposed runbook as shown, which runs it once."""

    second: str | None = None
    """The next person to ask, if two must approve."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dismiss(_PressEvent):
    """Dismissal: the question is closed without a reply."""

    code: DismissCode | None = None
    link: str = ""
    """The original of a duplicate, or the place of an earlier answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settle(_PressEvent):
    """Statement of an operator that the question is settled: it is closed without a reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop(_PressEvent):
    """End of the investigation; the question waits for a decision without a draft."""

    name: str = ""
    """The person's name, for the card; without one the card names an operator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TakeOver(_PressEvent):
    """Takeover: the operator answers, and the bot stays out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delegate(_PressEvent):
    """Hand-over of the question to another operator."""

    to: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WasPosted(_PressEvent):
    """Confirmation that the reply is in the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostAgain(_PressEvent):
    """Confirmation that the reply is missing, with a request for another post."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskOwner(_PressEvent):
    """Request to an owner of the cited files."""

    owner: str | None
    """A user, or a user group; `None` if the chosen owner could not be notified."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Restarted(TimedEvent):
    """Request to investigate an ended question again, or a created task that was stopped or has failed."""

    by: str
    mode: Mode
    operator: str


PressEvent = (
    Approve
    | EditSubmitted
    | Bounce
    | AnswerQuestion
    | Redraft
    | DigDeeper
    | RunRunbookPressed
    | Dismiss
    | Settle
    | Stop
    | TakeOver
    | Delegate
    | AskOwner
    | WasPosted
    | PostAgain
)
