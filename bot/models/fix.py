"""Fix of a defect: a change that an agent made in a workspace, from an operator's press to a merge request.

Nothing of it leaves the machine before the press *Open Merge Request*.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from bot.models.card import Card
from bot.models.fact import Fact
from bot.models.merge_request import MergeRequest
from bot.models.program_run import CheckReport
from bot.models.workspace import BRANCH_PREFIX, FileChange, PushPlan, Slug

FixState = Literal["drafting", "proposed", "failed", "opening", "opened", "discarded"]
"""`drafting`: its process runs, or is about to. `opening`: an operator has pressed; the branch is pushed and the merge
request opened, or about to be. `failed`: no change passed, or the process ended without a result."""

Pushed = Literal["no", "maybe", "yes"]
"""Whether a fix's commit is at the remote; `maybe` where git failed on the way."""

MAX_ROUNDS = 3
"""Rounds of edits, check and validation (spec 1, section 1)."""
MAX_DIFF_CHARS = 5_000
"""Characters of a change with its files (`decide/drafted_changes.measure_change`) that its message shows whole, with
all else at its largest; a larger change is refused, since a person would open lines that nobody sees."""
MAX_TITLE_CHARS = 120
MAX_DESCRIPTION_CHARS = 1_500


class NamedDefect(Fact):
    """Defect of the code that findings name, as the agent's claim."""

    summary: Annotated[str, Field(min_length=1, max_length=600)]
    """What is wrong, and what the code should do instead."""
    ref: Annotated[str, Field(min_length=1, max_length=300)]
    """The reference of the findings at which it is, as `path:12-20`."""


class DiffJudgement(Fact):
    """Judgement of a diff by the validator, which saw the defect and the diff, and nothing of the drafting session."""

    verdict: Literal["pass", "bounce"]
    mends_defect: bool
    """True if it does what the finding says."""
    does_only_that: bool
    tests: Literal["touched", "missing", "not-needed"]
    """`missing`: no test would fail without the change."""
    reasons: tuple[Annotated[str, Field(max_length=600)], ...]


class FixRound(Fact):
    """One round of edits. Without a `check` nothing was changed; without a `judgement` the check did not pass."""

    number: int
    check: CheckReport | None = None
    judgement: DiffJudgement | None = None
    problem: str = ""
    """The reason why the round ended without them, in a plain sentence."""


class FixProposal(Fact):
    """Change that passed the check and the validator, committed in its workspace; opened exactly so, or not at all."""

    repository: str
    """Name of the `WorkRepository`."""
    slug: Slug
    base: str
    """SHA of the commit that it began at."""
    head: str
    """SHA of its commit."""
    target: str
    """Name of the remote's default branch."""
    files: tuple[FileChange, ...]
    marks: dict[str, str] = Field(default_factory=dict)
    """Marks of files that need a second look, by path (`decide/file_marks`)."""
    diff: Annotated[str, Field(max_length=MAX_DIFF_CHARS)]
    """The patch from `base` to `head`, redacted."""
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARS)]
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARS)]

    @property
    def branch(self) -> str:
        """Return the full name of its branch."""
        return f"{BRANCH_PREFIX}{self.slug}"


class FixResult(Fact):
    """End of the process that drafts a fix. Without a `proposal`, `problem` says why in a plain sentence."""

    check_before: CheckReport | None = None
    """The check before any change: one that passes there proves nothing about the defect. `None` if it was not run."""
    rounds: Annotated[tuple[FixRound, ...], Field(max_length=MAX_ROUNDS)] = ()
    proposal: FixProposal | None = None
    problem: str = ""
    cost_usd: float | None = None
    """Maximum cost of its agents, the validator included; `None` if it is unknown."""
    unsure_usd: float = 0.0
    """Part of the maximum that the server did not report."""
    duration_ms: NonNegativeInt = 0
    session_ids: tuple[str, ...] = ()


class FixOrder(Fact):
    """Order to draft a fix, as saved before its process is started."""

    run_id: str
    """Id of its one run; also the name of its folder."""
    defect: NamedDefect
    repository: str
    slug: Slug
    base: str
    """Branch or commit to begin at; empty for the newest commit of the default branch."""
    asked_by: str
    """Id of the person who pressed, in whose name the commit is made."""
    asked_at: datetime


class Fix(Fact):
    """The newest fix of a thread, from the press *Propose a Fix* on."""

    number: int = 1
    """Number of the fix within its thread, by which a press names it."""
    question_round: int
    """Number of the question whose findings name the defect."""
    state: FixState = "drafting"
    order: FixOrder
    result: FixResult | None = None
    plan: PushPlan | None = None
    """The push of its commit, exactly as its card shows it."""
    title: Annotated[str, Field(max_length=MAX_TITLE_CHARS)] = ""
    """Title of the merge request as it will be opened."""
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARS)] = ""
    edited_by: str | None = None
    """The person who last edited title and description; `None` for the agent's words."""
    decided_by: str | None = None
    """The person who last pressed *Open Merge Request* or *Discard*."""
    decided_at: datetime | None = None
    opening_id: str | None = None
    """Id of the opening that runs, or is about to; results of others are dropped."""
    request: MergeRequest | None = None
    pushed: Pushed = "no"
    problem: str = ""
    """Reason why the fix failed, or why its merge request was not opened, in plain sentences."""
    is_outdated: bool = False
    """Whether the last opening found another branch, remote or default branch than on the card; `problem` says how to
    go on."""
    linked_in: str | None = None
    """The run whose draft got the line with the link to the merge request; once each."""
    nonce: str
    """Nonce of what the cards show of it, renewed with each visible change; a press with an older one has no effect."""
    card: Card
    """Its own message."""
    revision: int = 1
    """Incremented with every change visible in that message."""

    @property
    def proposal(self) -> FixProposal | None:
        """Return the change that was proposed, if there is one."""
        return self.result.proposal if self.result else None

    @property
    def is_live(self) -> bool:
        """Return whether its process or the opening of its merge request runs, or is about to."""
        return self.state in ("drafting", "opening") or self.is_ending

    @property
    def is_ending(self) -> bool:
        """Return whether its process is to be ended, since somebody discarded it before it had a result."""
        return self.state == "discarded" and self.result is None

    @property
    def has_message(self) -> bool:
        """Return whether it has a message of its own: from the end of its process on."""
        return self.state != "drafting" and (self.proposal is not None or self.state == "failed")

    @property
    def is_behind(self) -> bool:
        """Return whether its own message does not show this revision."""
        return self.has_message and self.card.drawn < self.revision
