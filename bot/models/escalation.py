"""Escalation: a long investigation in a separate process, and the files of its folder (spec 1, 3.5).

`escalations/<thread_id>/` has the run under way or ended last: `task.json`, `session.json`, `messages.ndjson`,
`transcript.log`, `handoff.json`, `return.json` and, last, `.done`. Runs before it are in `earlier/<session_id>/`.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bot.models.fact import Fact
from bot.models.findings import Assignment, EngineReport
from bot.models.handoff import NextTier, QuestionHandoff, WatchHandoff
from bot.models.message import Ts
from bot.models.session import Outcome, SessionId
from bot.models.thread_id import ThreadId

PROGRAM = "program"
"""Engine of a report by a team's own program."""


class Escalation(Fact):
    """Escalation of a thread's current question, in the thread's document."""

    tier: NextTier
    reason: str
    """The reason in a plain sentence, for the card."""
    decided_at: datetime
    decided_by: str | None = None
    """The operator who pressed *Dig deeper*; `None` for code."""
    is_first: bool = True
    """False if another tier was begun before for the question."""
    has_result: bool = False
    """True while the question's draft is that of its run."""
    draft_stale: str | None = None
    """The reason why the draft that it began with was stale."""
    session_id: SessionId | None = None
    """The session of its process; `None` until it is started."""
    started_at: datetime | None = None
    watch_command: str = ""
    """Shell command that shows its output; empty until it is started."""
    turns: int = 0
    cost_usd: float | None = 0.0
    """Maximum cost so far; `None` if unknown."""
    latest: str = ""
    """The last line of its transcript."""


class EscalationTask(Fact):
    """Input of `triage headless`: content of `task.json`."""

    schema_version: Literal[1] = 1
    session_id: SessionId
    parent_session_id: SessionId | None = None
    thread_id: ThreadId
    run_id: str
    """The thread's run that waits for it."""
    tier: NextTier
    assignment: Assignment
    handoff: Annotated[WatchHandoff | QuestionHandoff, Field(discriminator="kind")] | None = None
    """The handoff of the tier before."""
    settings_file: Path | None = None
    """Settings of the bot; `None` for its defaults."""
    home: Path
    usd: float
    """Maximum cost in US dollars; it is held against the day's cap before the start."""
    seconds: float
    """Time limit, after which the process ends itself."""


class FollowUp(Fact):
    """Message of the thread that came in during the run: a line of `messages.ndjson`, redacted."""

    ts: Ts
    by: str
    """The author's name."""
    text: str


class HeadlessReturn(Fact):
    """Result of a process: content of `return.json`."""

    schema_version: Literal[1] = 1
    session_id: SessionId
    outcome: Outcome
    """`answered` with a report, else the reason's kind."""
    reason: str = ""
    """The reason why there is no report, in a plain sentence."""
    report: EngineReport | None = None
    unchecked_notes: str = ""
    """The best text of a run without a report."""
    read_messages: tuple[Ts, ...] = ()
    """Follow-ups that the run has read."""
    cost_usd: float | None = None
    """Cost as a foreign command reports it; `None` where it reports none. Its own session has that of `headless`."""


class TierEnd(Fact):
    """End of a tier, as the bot sees it."""

    returned: HeadlessReturn
    next_tier: NextTier | None = None
    """The tier that its handoff starts; `None` if the chain ends here."""
    next_reason: str = ""
    """The reason for the next tier, in a plain sentence."""
    refusal: str = ""
    """The reason why a wanted next tier does not start; empty if none was wanted, or one starts."""
    is_started: bool = True
    """False if the tier itself could not be started at all, for instance without money; `returned` has the reason."""
    assignment: Assignment | None = None
    """The assignment of its task, whose projects are those that the run has read; `None` if unreadable."""
