"""Ends of runs: findings, failures and results of checks; also the progress of a long run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.models.draft import Draft
    from bot.models.findings import EngineReport, EvidenceCheck, EvidenceSource
    from bot.models.handoff import NextTier
    from bot.models.hint import Visibility
    from bot.models.incident import Remedy
    from bot.models.message import Ts
    from bot.models.repeated_question import AskedBefore
    from bot.models.run_figures import RunFigures
    from bot.models.sent_file import SentFile
    from bot.models.verdict import ValidatorReturn


@dataclass(frozen=True, kw_only=True, slots=True)
class _RunEnded(TimedEvent):
    run_id: str
    runs: tuple[RunFigures, ...] = ()
    """The agents' runs that ended with it or before, and are not in the document yet."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The known names of the people and channels in the question."""
    files: Mapping[str, tuple[SentFile, ...]] = field(default_factory=dict)
    """The files read for its messages, by message id."""
    read_messages: tuple[Ts, ...] = ()
    """The messages that came in during the run and that it has read."""
    next_tier: NextTier | None = None
    """The tier that goes on, of a run of tier 2; `None` if it ends here."""
    next_reason: str = ""
    is_started: bool = True
    """False if its tier was not started at all."""
    problem: str = ""
    """The reason why a wanted tier was not started; empty if none was wanted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings(_RunEnded):
    """The investigation ended with a draft."""

    report: EngineReport
    draft: Draft
    asker_name: str
    sources: tuple[EvidenceSource, ...] = ()
    code_of: datetime | None = None
    """The date of the code, if it could not be fetched since."""
    owners: tuple[str, ...] = ()
    """Owners of the cited files whom an operator may ask."""
    hinted: tuple[str, ...] = ()
    visibility: Visibility | None = None
    asked_before: tuple[AskedBefore, ...] = ()
    paused_project: str | None = None
    remedy: Remedy | None = None
    """The runbook that it proposes, judged by code: proposed, or refused with the reason."""
    """The paused project that fits the question better."""
    kept_back: tuple[str, ...] = ()
    """The projects that were not searched because external readers may not see them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFailed(_RunEnded):
    """The investigation or its checking ended without a result."""

    reason: str
    why: str | None = None
    """The guard that ended it (`models/task.Abort`), or `KEPT_BACK`; `None` if it failed by itself."""
    unchecked_notes: str = ""
    """The text of a model's run that ended without an answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceFailed(_RunEnded):
    """At least one reference failed the check by code."""

    checks: tuple[EvidenceCheck, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Validated(_RunEnded):
    """All references passed; `validator_return` is `None` if no model checked the draft."""

    checks: tuple[EvidenceCheck, ...]
    validator_return: ValidatorReturn | None
    unvalidated: str | None = None
    """The reason why it is missing, if there is a validator."""
    is_model_away: bool = False
    """True if its model could not be asked, so that another round would have no model either."""
    unchecked_notes: str = ""
    """The text of the validator's run, if that ended without an answer."""
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TierProgress(TimedEvent):
    """Progress of a run of tier 2 or 3; its fields are those of `Escalation`."""

    run_id: str
    session_id: str
    started_at: datetime
    watch_command: str
    tmux_session: str | None
    """Its session in tmux; `None` for a detached process."""
    transcript_path: str
    turns: int = 0
    cost_usd: float | None = 0.0
    latest: str = ""
