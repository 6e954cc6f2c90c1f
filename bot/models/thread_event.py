"""Happenings: what can happen to a thread, as `decide/workflow.advance` reads it: a closed union."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.models.fate import DoubtfulPost, FoundReplied, NotFound, Posted, PostFailed
from bot.models.presses import (
    AnswerQuestion,
    Approve,
    AskOwner,
    Bounce,
    Delegate,
    Dismiss,
    EditSubmitted,
    Happened,
    PostAgain,
    Press,
    Redraft,
    Restarted,
    Stop,
    TakeOver,
    WasPosted,
)
from bot.models.staleness import Outdated
from bot.models.surface_event import (
    AskerTold,
    CardDrawn,
    CardRetired,
    CardWanted,
    Marked,
    NudgeLost,
    OperatorLost,
    ProgressDrawn,
    Shown,
    StateChanged,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.models.draft import Draft
    from bot.models.external import External
    from bot.models.findings import EngineReport, EvidenceCheck, EvidenceSource
    from bot.models.hint import Visibility
    from bot.models.message import Message
    from bot.models.repeated_question import AskedBefore
    from bot.models.run_figures import RunFigures
    from bot.models.sent_file import SentFile
    from bot.models.status import Mode
    from bot.models.verdict import ValidatorReturn
    from bot.models.waiting import Waiting

__all__ = [
    "AnswerQuestion",
    "Approve",
    "AskOwner",
    "AskerTold",
    "Bounce",
    "CardDrawn",
    "CardRetired",
    "CardWanted",
    "Delegate",
    "Dismiss",
    "DoubtfulPost",
    "EditSubmitted",
    "FoundReplied",
    "Marked",
    "NotFound",
    "NudgeLost",
    "OperatorLost",
    "PostAgain",
    "PostFailed",
    "Posted",
    "Press",
    "ProgressDrawn",
    "Redraft",
    "Restarted",
    "StateChanged",
    "Stop",
    "TakeOver",
    "WasPosted",
]
"""What people do, what became of showing it and of replies, stands in modules of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageAdded(Happened):
    """A message worth attention arrived in the thread, or opens it; or one of its asker's, whatever that says."""

    message: Message
    mode: Mode
    operator: str
    mentioned: bool
    """True if the message mentions the bot."""
    joins: bool = False
    """True if its author's window was open: it joins that question whatever it says, and opens none."""
    asks: bool = True
    """True if the rules find a question, request or problem in it: it may begin a question then, else only join one."""
    is_served: bool = False
    """True if the rules take it for its asker's word that something works."""
    denies: bool = False
    """True if it says below a posted reply that this did not serve, whoever says so."""
    muted: bool = False
    """True if Triage is to be silent there: it is noted as left out, and changes nothing else."""
    replayed: bool = False
    """True if it was judged before a restart, and so perhaps left out on purpose."""
    external: External | None = None
    """The people of another company who write it or read it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overheard(Happened):
    """Somebody wrote in the thread what asks nothing of the bot; a draft may be behind it now."""

    message: Message
    replayed: bool = False
    """As of `MessageAdded`."""
    is_ack: bool = False
    """True if it is an acknowledgement: it matters only where it settles the question."""
    settles: bool = False
    """True if it is an order of the asker's to close the question, whatever its words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettledMark(Happened):
    """Somebody put an emoji under a message of the thread that says that something is settled, or took it away."""

    by: str
    message_id: str
    emoji: str
    added: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited(Happened):
    """A message of the thread says something else now."""

    message: Message
    asks: bool = False
    """True if the rules take what it says now for a question, request or problem."""
    is_order: bool = False
    """True if it gives the bot an order now, and asks nothing any more."""
    is_empty: bool = False
    """True if the rules take what it says now for thanks, a greeting or talk, wherever it stands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deleted(Happened):
    """A message of the thread is gone."""

    message_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Due(Happened):
    """`due_at` has passed."""

    operators: tuple[str, ...] = ()
    """Who may have the question, in the order in which it passes on."""
    is_held: bool = False
    """True if its run waits for `resume`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Postponed(Happened):
    """The question was due, and others have their turn before it."""

    until: datetime
    waiting: Waiting


@dataclass(frozen=True, kw_only=True, slots=True)
class _RunEnded(Happened):
    run_id: str
    runs: tuple[RunFigures, ...] = ()
    """The agents' runs that ended with it or before, and are not in the document yet."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of the people and channels that the question names, as far as they are known now."""
    files: Mapping[str, tuple[SentFile, ...]] = field(default_factory=dict)
    """What was read of the files of its messages, by the message's id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings(_RunEnded):
    """The investigation ended with a draft."""

    report: EngineReport
    draft: Draft
    asker_name: str
    sources: tuple[EvidenceSource, ...] = ()
    code_of: datetime | None = None
    """Of when the code is, where it could not be fetched since."""
    owners: tuple[str, ...] = ()
    """Whom an operator may ask about the cited files."""
    hinted: tuple[str, ...] = ()
    visibility: Visibility | None = None
    asked_before: tuple[AskedBefore, ...] = ()
    paused_project: str | None = None
    """The paused project that the question fits better."""
    kept_back: tuple[str, ...] = ()
    """The projects that were not searched, since people of another company may not see them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFailed(_RunEnded):
    """The investigation or its checking ended without a result."""

    reason: str
    why: str | None = None
    """Which guard ended it (`models/task.Abort`), or `KEPT_BACK`; `None` where it failed by itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceFailed(_RunEnded):
    """At least one reference did not stand up to the check by code."""

    checks: tuple[EvidenceCheck, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Validated(_RunEnded):
    """The references stood; `validator_return` is `None` where no model looked at the draft."""

    checks: tuple[EvidenceCheck, ...]
    validator_return: ValidatorReturn | None
    unvalidated: str | None = None
    """Why there is no such return, though there is a validator."""
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldBack(Happened):
    """Triage was stopped before the approved reply was posted, as far as anybody knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteKept(Happened):
    """The note that was to be kept lies in the project's notes, or could not be written."""

    path: str | None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Mute(Happened):
    """Somebody wants Triage to be silent in this thread."""


Happening = (
    MessageAdded
    | Overheard
    | SettledMark
    | Restarted
    | Edited
    | Deleted
    | Due
    | Postponed
    | Findings
    | RunFailed
    | EvidenceFailed
    | Validated
    | Outdated
    | Press
    | HeldBack
    | NoteKept
    | Mute
    | Posted
    | FoundReplied
    | PostFailed
    | DoubtfulPost
    | NotFound
    | Shown
)
