"""Presses: what an operator can do to a thread, as `decide/workflow/presses` reads it. Part of the happenings.

`Restarted` comes from a command: the card of a question that has ended has no button for it.
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
class Happened:
    """What every happening has."""

    at: datetime
    fresh: str
    """An id that nobody has used: the name of whatever new run, nonce or card this happening leads to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Press(Happened):
    by: str
    draft_id: str
    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Approve(_Press):
    """An operator wants the draft posted as shown. `anyway` is the press on a card that says it is stale."""

    anyway: bool = False
    keeps_note: bool = False
    """True if the note that the findings propose is to be kept, too."""
    second: str | None = None
    """Who is asked next, where two must approve."""
    confirmed: str = ""
    """Which faults the button named before it was pressed (`models/faults.confirmation`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditSubmitted(_Press):
    """An operator replaced the draft's text."""

    draft: Draft


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounce(_Press):
    """An operator wants another draft, and says why: by a code, in words, or both."""

    code: BounceCode | None = None
    feedback: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerQuestion(_Press):
    """An operator answers what the investigator asked, and wants a draft made with it."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redraft(_Press):
    """An operator wants another draft, with what has come in since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dismiss(_Press):
    """An operator wants no reply."""

    code: DismissCode | None = None
    link: str = ""
    """The message or thread that this one is a duplicate of, or where it was answered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop(_Press):
    """An operator ends the investigation; the question waits for a decision without a draft."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TakeOver(_Press):
    """An operator answers alone; the bot stands back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delegate(_Press):
    """An operator hands the question to another one."""

    to: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WasPosted(_Press):
    """An operator saw the reply in the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostAgain(_Press):
    """An operator saw that the reply is missing and wants it posted again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskOwner(_Press):
    """An operator has an owner of the cited files asked."""

    owner: str | None
    """A user, or a user group; `None` where whoever was to be asked could not be told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Restarted(Happened):
    """Somebody wants a question that was dismissed or has expired investigated again."""

    by: str
    mode: Mode
    operator: str


Press = (
    Approve
    | EditSubmitted
    | Bounce
    | AnswerQuestion
    | Redraft
    | Dismiss
    | Stop
    | TakeOver
    | Delegate
    | AskOwner
    | WasPosted
    | PostAgain
)
