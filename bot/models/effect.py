"""Effects: actions outside the state machine that `decide/workflow.advance` requests; a closed union."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Investigate:
    """Run the engine on the thread's question."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalate:
    """Run the tier of the thread's escalation in a separate process, or wait for the end of one that runs."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFindings:
    """Check the findings: references by code, then the draft by the validator if there is one."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenReferences:
    """Open the references of an edited draft's text."""

    opening: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRunbook:
    """Run an approved runbook once, or wait for the end of one that runs; then make the checks again."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftFix:
    """Draft a fix in a separate process, or wait for the end of one that runs."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StopFix:
    """End the process of a fix that was discarded, and record what it came to."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMergeRequest:
    """Push the commit of a fix, and open its merge request, each unless it is done already."""

    run_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PostReply:
    """Post the draft in the thread; after any doubt, only if it is not there already."""

    look_first: bool = False
    search_twice: bool = False
    """True if a request of a dead process may still arrive, so that one look is not enough."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeepNote:
    """Write the note proposed in the findings into the project's notes; the reply is posted after that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LookUpReply:
    """Read the thread and report whether the reply is there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShowCardInChannel:
    """Show the card to its operator in the channel of the question. Not repeated after a crash: it may be lost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Remind:
    """Tell the operator that a card still waits. Not repeated after a crash; the next reminder comes in time."""


SideEffect = RunRunbook | DraftFix | StopFix | OpenMergeRequest
"""Effects that run beside the others of a thread, in any status."""

Effect = (
    Investigate
    | Escalate
    | CheckFindings
    | OpenReferences
    | SideEffect
    | KeepNote
    | PostReply
    | LookUpReply
    | ShowCardInChannel
    | Remind
)
