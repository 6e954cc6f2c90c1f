"""Handoff: the statement with which one tier passes its work to the next, in `handoff.json` (spec 3).

An agent returns its content as data; only code writes the file. A handoff of an unknown version, or without a required
field, is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from bot.models.check_result import CheckResult
from bot.models.fact import Fact
from bot.models.findings import EvidenceRef
from bot.models.thread_id import ThreadId

NextTier = Literal[2, 3]
"""Tier that a handoff recommends."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class WatchHandoff(Fact):
    """Handoff about services that are not healthy. For tier 3 findings and remediation are required."""

    kind: Literal["watch"] = "watch"
    schema_version: Literal[1]
    recommended_tier: NextTier
    services_affected: Annotated[tuple[Text, ...], Field(min_length=1)]
    check_results: Annotated[tuple[CheckResult, ...], Field(min_length=1)]
    cooldown_state: dict[str, Any]
    """Snapshot of the cooldowns, by service."""
    investigation_findings: Text | None = None
    remediation_attempted: Text | None = None


class QuestionHandoff(Fact):
    """Handoff of a question whose tier could not finish it."""

    kind: Literal["question"]
    schema_version: Literal[1]
    recommended_tier: NextTier
    thread_id: ThreadId
    question: Text
    rubric: str
    """Type of the question, with the reason."""
    findings: str
    """Results so far, in the words of the agent; may be empty."""
    evidence_refs: tuple[EvidenceRef, ...] = ()
    tried: tuple[str, ...] = ()
    """Searches and places that led nowhere."""
    missing: Text
    """Reason why the tier could not finish: the missing part of the answer."""


Handoff = WatchHandoff | QuestionHandoff
