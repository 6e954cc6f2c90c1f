"""Thread events: the inputs of the state machine `decide/workflow.advance`; a closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.auto_reply import AutoApproval
from bot.models.fate import DoubtfulPost, FoundReplied, NotFound, Posted, PostFailed
from bot.models.fix_event import FixEvent
from bot.models.incident_event import (
    AlertAcknowledged,
    AlertResolved,
    IncidentEvent,
    IncidentShown,
    RunbookEnded,
    ServicesFailed,
    ServicesRecovered,
)
from bot.models.presses import (
    AnswerQuestion,
    Approve,
    AskOwner,
    Bounce,
    Delegate,
    DigDeeper,
    Dismiss,
    EditSubmitted,
    PostAgain,
    PressEvent,
    Redraft,
    Restarted,
    RunRunbookPressed,
    Settle,
    Stop,
    TakeOver,
    TimedEvent,
    WasPosted,
)
from bot.models.run_end import EvidenceFailed, Findings, RunFailed, TierProgress, Validated
from bot.models.staleness import Outdated
from bot.models.surface_event import (
    AskerLineShown,
    CardRendered,
    CardRetired,
    CardWanted,
    NudgeLost,
    OperatorLost,
    ProgressRendered,
    ReactionsUpdated,
    RecoveryShown,
    StateChanged,
    SurfaceEvent,
)
from bot.models.task_event import OrderEdited, TaskEvent, TaskSkipped, TaskStarted, TitleShown

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.external import External
    from bot.models.incident import Incident
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.models.task_order import TaskOrder
    from bot.models.waiting import Waiting

__all__ = [
    "AlertAcknowledged",
    "AlertResolved",
    "AnswerQuestion",
    "Approve",
    "AskOwner",
    "AskerLineShown",
    "AutoApproval",
    "Bounce",
    "CardRendered",
    "CardRetired",
    "CardWanted",
    "Delegate",
    "DigDeeper",
    "Dismiss",
    "DoubtfulPost",
    "EditSubmitted",
    "EvidenceFailed",
    "Findings",
    "FixEvent",
    "FoundReplied",
    "IncidentEvent",
    "IncidentShown",
    "NotFound",
    "NudgeLost",
    "OperatorLost",
    "OrderEdited",
    "PostAgain",
    "PostFailed",
    "Posted",
    "PressEvent",
    "ProgressRendered",
    "ReactionsUpdated",
    "RecoveryShown",
    "Redraft",
    "Restarted",
    "RunFailed",
    "RunRunbookPressed",
    "RunbookEnded",
    "ServicesFailed",
    "ServicesRecovered",
    "Settle",
    "StateChanged",
    "Stop",
    "TakeOver",
    "TaskEvent",
    "TaskSkipped",
    "TaskStarted",
    "TierProgress",
    "TitleShown",
    "Validated",
    "WasPosted",
]
"""Operator actions, events of tasks and of fixes, ends of runs, surface and delivery events are defined in modules of
their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageAdded(TimedEvent):
    """A relevant message in the thread, the thread's first message, or any message of its asker."""

    message: Message
    mode: Mode
    operator: str
    mentioned: bool
    """True if the message mentions the bot."""
    joins: bool = False
    """True if its author's debounce group was open: it always joins that question, and opens none."""
    asks: bool = True
    """True if the rules find a question, request or problem in it: it may begin a question, else only join one."""
    is_served: bool = False
    """True if the rules read it as its asker's confirmation that something works."""
    denies: bool = False
    """True if it says below a posted reply that this did not help, by any author."""
    muted: bool = False
    """True if Triage is muted there: the message is recorded as left out, and changes nothing else."""
    replayed: bool = False
    """True if it was classified before a restart, and so perhaps left out on purpose."""
    external: External | None = None
    """The people of another company who write it or read it."""
    incident: Incident | None = None
    """The services that the bot itself opens a thread for; the message is the bot's own."""
    order: TaskOrder | None = None
    """The task that a command created; the message has its words, and the `ts` of the bot's first message for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overheard(TimedEvent):
    """A message in the thread that asks nothing of the bot; it may make a draft stale."""

    message: Message
    replayed: bool = False
    """As of `MessageAdded`."""
    is_ack: bool = False
    """True if it is an acknowledgement, which only matters if it settles the question."""
    settles: bool = False
    """True if it is an order of the asker to close the question, whatever its words."""
    is_report: bool = False
    """True if the rules find a fault of its author or the form of a question in it, but too little to open one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettledMark(TimedEvent):
    """A reaction that means "settled" was added to a message of the thread, or removed."""

    by: str
    message_id: str
    emoji: str
    added: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited(TimedEvent):
    """A message of the thread was edited."""

    message: Message
    asks: bool = False
    """True if the rules read the new text as a question, request or problem."""
    is_order: bool = False
    """True if it is now an order to the bot and no longer a question."""
    is_empty: bool = False
    """True if the rules read the new text as thanks, a greeting or small talk."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deleted(TimedEvent):
    """A message of the thread was deleted."""

    message_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Due(TimedEvent):
    """`due_at` has passed."""

    operators: tuple[str, ...] = ()
    """The operators, in the order in which the question is handed on."""
    is_held: bool = False
    """True if its run waits for `resume`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Postponed(TimedEvent):
    """The question was due, but others come first."""

    until: datetime
    waiting: Waiting


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldBack(TimedEvent):
    """Triage was stopped before the approved reply was posted, as far as is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteKept(TimedEvent):
    """The proposed note was stored in the project's notes, or could not be written."""

    path: str | None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Mute(TimedEvent):
    """Somebody asked Triage to be silent in this thread."""

    by_operator: bool = True
    """False if it was neither an operator nor an admin: work on an outage that goes on then stays with its operator."""


ThreadResult = (
    MessageAdded
    | Overheard
    | SettledMark
    | Restarted
    | Due
    | Postponed
    | TaskStarted
    | Findings
    | RunFailed
    | EvidenceFailed
    | Validated
    | TierProgress
    | HeldBack
    | NoteKept
    | Mute
    | Posted
    | FoundReplied
    | PostFailed
    | DoubtfulPost
    | NotFound
)
"""Messages, timers and results of work."""

ThreadEvent = (
    ThreadResult
    | Edited
    | Deleted
    | Outdated
    | PressEvent
    | AutoApproval
    | TaskEvent
    | IncidentEvent
    | FixEvent
    | SurfaceEvent
)
