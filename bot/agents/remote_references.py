"""References to the answers of remote tools, checked against the run's own record of these answers.

A log cannot be fetched again as it was; so code checks at the end of the run whether a remote tool returned the quoted
lines in this run, as they were shown: redacted, and cut. The result is saved with the draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.agents.quote_comparison import FEWEST_CHARS, stands_in
from bot.models.findings import EvidenceCheck

if TYPE_CHECKING:
    from bot.models.findings import EvidenceRef, InvestigatorReturn
    from bot.tools.read_log import ReadLog


def check_recorded(findings: InvestigatorReturn, read_log: ReadLog) -> tuple[EvidenceCheck, ...]:
    """Check each reference of the kind `log_query`; one without a matching answer has failed."""
    return tuple(_check(reference, read_log) for reference in findings.evidence_refs if reference.kind == "log_query")


def _check(reference: EvidenceRef, read_log: ReadLog) -> EvidenceCheck:
    quote = (reference.quote or "").replace("\r\n", "\n").strip("\n")
    if not read_log.answers:
        return _build_failure(reference, "no tool of another server answered in this run")
    if not quote.strip():
        return _build_failure(reference, "there is no quote to compare")
    if len("".join(quote.split())) < FEWEST_CHARS:
        return _build_failure(reference, f"a quote needs at least {FEWEST_CHARS} characters")
    named = [answer for answer in read_log.answers if answer.tool in reference.ref] or read_log.answers
    matching_answer = next((answer for answer in named if stands_in(answer.text, quote)), None)
    if matching_answer is None:
        return _build_failure(reference, "no answer of a tool in this run has the quote")
    reason = f"from the run's record: the quote is in the answer of {matching_answer.tool}"
    return EvidenceCheck(ref=reference.ref, result="ok", reason=reason)


def _build_failure(reference: EvidenceRef, reason: str) -> EvidenceCheck:
    return EvidenceCheck(ref=reference.ref, result="failed", reason=reason)
