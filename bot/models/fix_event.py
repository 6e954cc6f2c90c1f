"""Events of fixes: presses, the end of a draft, and the opening of a merge request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from bot.models.draft import Draft
    from bot.models.fix import FixResult, Pushed
    from bot.models.merge_request import MergeRequest
    from bot.models.workspace import PushPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class FixPressed(TimedEvent):
    """Press on *Propose a Fix*."""

    by: str
    draft_id: str
    nonce: str
    repository: str
    """Name of the repository in which the defect is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _FixPress(TimedEvent):
    by: str
    number: int
    """Number of the fix."""
    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeRequestPressed(_FixPress):
    """Press on *Open Merge Request*, for the commit of the button."""

    sha: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestEdited(_FixPress):
    """Another title and description for the merge request, without secrets."""

    title: str
    description: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FixDiscarded(_FixPress):
    """Press on *Discard*, which also ends the process of a fix that is being drafted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FixEnded(TimedEvent):
    """The process of a fix ended; a proposal comes with the plan of its push."""

    run_id: str
    result: FixResult
    plan: PushPlan | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeRequestOpened(TimedEvent):
    """The merge request is open at the forge."""

    run_id: str
    request: MergeRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeRequestFailed(TimedEvent):
    """The merge request was not opened, or nobody knows whether it was."""

    run_id: str
    problem: str
    is_outdated: bool = False
    """True where branch, remote or default branch is another one than on the card: another press cannot help."""
    pushed: Pushed = "no"
    """Whether this opening left the commit at the remote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestLinked(TimedEvent):
    """The draft of this nonce, with the line that links to the merge request."""

    nonce: str
    draft: Draft


@dataclass(frozen=True, kw_only=True, slots=True)
class FixShown(TimedEvent):
    """The message of a fix shows this revision, or does not exist if `ts` is `None`."""

    nonce: str
    channel: str
    ts: str | None
    revision: int


FixEvent = (
    FixPressed
    | MergeRequestPressed
    | RequestEdited
    | FixDiscarded
    | FixEnded
    | MergeRequestOpened
    | MergeRequestFailed
    | RequestLinked
    | FixShown
)
"""Events of a fix, which change nothing else of its thread but the link in a draft."""
