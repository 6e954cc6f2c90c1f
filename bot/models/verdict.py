"""Verdicts: the validator's return (spec 1, 4.4) and the gate's final word about a draft."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.findings import EvidenceCheck, InvestigatorReturn, QuotedMessage
from bot.models.project import Project

Verdict = Literal["pass", "bounce", "escalate"]

NOT_MADE = "not_made"
"""A check that nobody made. It is recorded as such and never counts as passed."""


class Review(Fact):
    """What a validator is given: the draft as it was handed in, and what code knows of it. No transcript."""

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
    """What code found out about each reference."""
    unsupported: tuple[str, ...] = ()
    """Numbers, paths and names of the draft that stand neither in a cited text nor in the question."""
    others: tuple[str, ...] = ()
    """Hints of other open questions, already in the form in which a model may see them; none when hints are off."""
    thread_id: str | None = None
    parent_session_id: str | None = None
    """The investigator's session."""
    task: str = ""
    """The folder of the thread's task; none for runs that belong to no thread."""
    journal: str = ""
    """The journal in it of the run that drafted."""


class ValidatorReturn(Fact):
    """What a validator says of a draft after trying to break it."""

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
    """One line of the gate's record: which check, and what came out."""

    check: str
    result: str
    """The check's own word (`ok`, `supports`, `match` …) or `not_made`."""


class CountedVerdict(Fact):
    """One judgement of a draft, as it is counted."""

    at: datetime
    question_round: int
    """Which question of its thread the draft answers."""
    verdict: Verdict
    """The gate's."""
    validator: Verdict | None
    """The validator's own word; `None` where code alone has judged."""


class GateVerdict(Fact):
    """The final verdict: the worse of the model's and the code's, with every check on record."""

    verdict: Verdict
    reasons: tuple[str, ...]
    checks: tuple[CheckResult, ...]
    feedback: str | None = None
    """What the next round should mend; only with `bounce`."""

    @property
    def not_made(self) -> tuple[str, ...]:
        """Names of the checks that nobody made."""
        return tuple(check.check for check in self.checks if check.result == NOT_MADE)
