"""Happenings: what can happen to a thread, as `decide/workflow.advance` reads it: a closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.findings import EvidenceCheck, EvidenceSource, Report
    from bot.models.hint import Visibility
    from bot.models.message import Message
    from bot.models.ran import Ran
    from bot.models.thread import Draft, Mode, Waiting
    from bot.models.verdict import ValidatorReturn


@dataclass(frozen=True, kw_only=True, slots=True)
class _Happening:
    at: datetime
    fresh: str
    """An id that nobody has used: the name of whatever new run, nonce or card this happening leads to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageAdded(_Happening):
    """A message worth attention arrived in the thread, or opens it."""

    message: Message
    mode: Mode
    operator: str
    mentioned: bool
    """Whether the message mentions the bot."""
    replayed: bool = False
    """Whether it was judged before a restart, and so perhaps left out on purpose."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overheard(_Happening):
    """Somebody wrote in the thread what asks nothing of the bot; a draft may be behind it now."""

    message: Message
    replayed: bool = False
    """As of `MessageAdded`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited(_Happening):
    """A message of the thread says something else now."""

    message: Message


@dataclass(frozen=True, kw_only=True, slots=True)
class Deleted(_Happening):
    """A message of the thread is gone."""

    message_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Due(_Happening):
    """`due_at` has passed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Postponed(_Happening):
    """The question was due, and others have their turn before it."""

    until: datetime
    waiting: Waiting


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings(_Happening):
    """The investigation ended with a draft."""

    run_id: str
    report: Report
    draft: Draft
    asker_name: str
    sources: tuple[EvidenceSource, ...] = ()
    hinted: tuple[str, ...] = ()
    visibility: Visibility | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFailed(_Happening):
    """The investigation or its checking ended without a result."""

    run_id: str
    reason: str
    ran: Ran | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceFailed(_Happening):
    """At least one reference did not stand up to the check by code."""

    run_id: str
    checks: tuple[EvidenceCheck, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Validated(_Happening):
    """The references stood; `validator_return` is `None` where no model looked at the draft."""

    run_id: str
    checks: tuple[EvidenceCheck, ...]
    validator_return: ValidatorReturn | None
    unvalidated: str | None = None
    """Why there is no such return, though there is a validator."""
    unsupported: tuple[str, ...] = ()
    ran: Ran | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceChanged(_Happening):
    """Lines that the draft rests on do not stand where they stood when it was made."""

    checks: tuple[EvidenceCheck, ...]
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HintsWithdrawn(_Happening):
    """The draft was made knowing of other questions that this channel may know of no longer."""

    thread_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadUnread(_Happening):
    """The thread could not be read when its reply was approved, so nobody knows what was said there since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Press(_Happening):
    by: str
    draft_id: str
    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Approve(_Press):
    """An operator wants the draft posted as shown. `anyway` is the press on a card that says it is stale."""

    anyway: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class EditSubmitted(_Press):
    """An operator replaced the draft's text."""

    draft: Draft


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounce(_Press):
    """An operator wants another draft, and says why."""

    feedback: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer(_Press):
    """An operator answers what the investigator asked, and wants a draft made with it."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redraft(_Press):
    """An operator wants another draft, with what has come in since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dismiss(_Press):
    """An operator wants no reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldBack(_Happening):
    """Triage was stopped before the approved reply was posted, as far as anybody knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mute(_Happening):
    """Somebody wants Triage to be silent in this thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted(_Happening):
    """The reply stands in the thread."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundReplied(_Happening):
    """A thread that is rebuilt from the journals had its reply already."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PostFailed(_Happening):
    """Slack refused the reply for good: nothing was posted."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Uncertain(_Happening):
    """The reply may or may not have been accepted; `settle_at` is when to look for it."""

    settle_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class NotFound(_Happening):
    """After a doubtful post the thread was read, and the reply is not there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WasPosted(_Press):
    """An operator saw the reply in the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostAgain(_Press):
    """An operator saw that the reply is missing and wants it posted again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardDrawn(_Happening):
    """The card with this nonce shows `revision`."""

    nonce: str
    channel: str
    ts: str
    revision: int


Press = Approve | EditSubmitted | Bounce | Answer | Redraft | Dismiss | WasPosted | PostAgain
Happening = (
    MessageAdded
    | Overheard
    | Edited
    | Deleted
    | Due
    | Postponed
    | Findings
    | RunFailed
    | EvidenceFailed
    | Validated
    | EvidenceChanged
    | HintsWithdrawn
    | ThreadUnread
    | Press
    | HeldBack
    | Mute
    | Posted
    | FoundReplied
    | PostFailed
    | Uncertain
    | NotFound
    | CardDrawn
)
