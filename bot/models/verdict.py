"""Verdict on a draft: the validator's return (spec 1, 4.4) and the gate's final verdict."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.findings import EvidenceCheck, InvestigatorReturn, QuotedMessage
from bot.models.project import Project

Verdict = Literal["pass", "bounce", "escalate"]

NOT_MADE = "not_made"
"""Result of a check that was not made. It is recorded as such and never counts as passed."""


class Review(Fact):
    """The input of a validator: the draft as handed in, and the checks by code, without the transcript."""

    question: str
    lines: tuple[QuotedMessage, ...] = ()
    """As in the assignment."""
    unread: tuple[str, ...] = ()
    """The same."""
    shared: tuple[str, ...] = ()
    """The same."""
    question_type: str
    project: Project
    findings: InvestigatorReturn
    checks: tuple[EvidenceCheck, ...]
    """The checks of each reference by code."""
    unsupported: tuple[str, ...] = ()
    """Numbers, paths and names of the draft that occur neither in a cited text nor in the question."""
    others: tuple[str, ...] = ()
    """Hints about other open questions, in the form for a model; empty if hints are off."""
    thread_id: str | None = None
    run_id: str = ""
    """As in the assignment."""
    parent_session_id: str | None = None
    """The investigator's session."""
    task: str = ""
    """The folder of the thread's task; empty for runs that belong to no thread."""
    journal: str = ""
    """The journal file of the drafting run in that folder."""


class ValidatorReturn(Fact):
    """The validator's judgement of a draft after trying to break it."""

    verdict: Verdict
    reasons: tuple[str, ...]
    spot_check_ref: str
    spot_check_result: Literal["supports", "contradicts", "fabricated", "uncheckable"]
    spot_check_note: str
    schema_check: Literal["ok", "fail"]
    confidence_language_match: Literal["match", "mismatch"]
    scope_drift: Literal["none", "minor", "major"]
    cross_investigation_consistency: str
    """`consistent`, `no_overlap` or `contradicts_<thread_id>`."""
    risk_gate_check: Literal["passes", "needs_high_confidence", "fails"]
    tone_assessment: Literal["matches", "off", "ai_smell"]
    bounce_feedback: str | None = None
    validator_model: str
    validated_at: str


class CheckResult(Fact):
    """One line of the gate's record: a check and its result."""

    check: str
    result: str
    """The check's own result (`ok`, `supports`, `match` …) or `not_made`."""


class CountedVerdict(Fact):
    """One verdict on a draft, for the statistics."""

    at: datetime
    question_round: int
    """Number of the question in its thread that the draft answers."""
    verdict: Verdict
    """The gate's verdict."""
    validator: Verdict | None
    """The validator's verdict; `None` if only code checked the draft."""


class GateVerdict(Fact):
    """The final verdict: the worse of the model's and the code's, with every check on record."""

    verdict: Verdict
    reasons: tuple[str, ...]
    checks: tuple[CheckResult, ...]
    feedback: str | None = None
    """The correction for the next round; only with `bounce`."""

    @property
    def not_made(self) -> tuple[str, ...]:
        """Return the names of the checks that were not made."""
        return tuple(check.check for check in self.checks if check.result == NOT_MADE)
