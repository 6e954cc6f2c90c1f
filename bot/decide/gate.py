"""Gate: the final verdict on a draft is the worse of the model's and the code's, never the model's alone.

The rules are those of spec 1, 4.4: nothing passes without a reference that code has checked, and missing checks are
recorded. A *pass* with reasons contradicts itself: a person decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.faults import MOST_NAMED, describe_advice
from bot.models.verdict import NOT_MADE, CheckResult, GateVerdict, ValidatorReturn, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.advice import Advice
    from bot.models.findings import EvidenceCheck, EvidenceRef, InvestigatorReturn

MODEL_CHECKS = (
    "spot_check_result",
    "confidence_language_match",
    "scope_drift",
    "cross_investigation_consistency",
    "risk_gate_check",
    "tone_assessment",
)
"""Checks of `ValidatorReturn` that need a model; code checks the schema by parsing the findings."""

INVALID = "The reference"
"""Begin of a reason that names a reference which code did not find as quoted."""
FABRICATED = "Spot-check of"
"""Begin of a reason that names a reference which the validator found not to support the draft."""


def reach_verdict(
    findings: InvestigatorReturn,
    checks: Sequence[EvidenceCheck],
    validator: ValidatorReturn | None,
    *,
    references: Sequence[EvidenceRef] | None = None,
    is_edited: bool = False,
    advises: Sequence[Advice] = (),
    unsupported: Sequence[str] = (),
) -> GateVerdict:
    """Return the verdict on `findings`, with a reason for anything worse than *pass*, and all checks.

    `validator` is `None` without a model: its checks are then `not_made`. `references` are those of the draft where
    they differ from the findings', as after an edit. A draft that `advises` to touch production never passes, whatever
    the model's verdict: a person decides. `unsupported` are its numbers, paths and names in no cited text: without a
    spot-check of the validator they are sent back.
    """
    references = findings.evidence_refs if references is None else references
    nothing = _NOTHING_CITED if is_edited else _NOTHING_FOUND if findings.confidence == "low" else ""
    complaints = [
        *_evidence(references, checks, "" if references else nothing),
        *(_model(findings, validator) if validator else []),
        *_unsupported(unsupported, validator),
    ]
    if advises:
        is_sent_back = "bounce" in {level for level, _ in complaints}
        complaints.append(("bounce" if is_sent_back else "escalate", describe_advice(advises)))
    levels = {level for level, _ in complaints}
    verdict: Verdict = "escalate" if "escalate" in levels else "bounce" if levels else "pass"
    reasons = tuple(reason for _, reason in complaints)
    feedback = " ".join(reasons)
    if verdict == "bounce" and validator and validator.bounce_feedback:
        feedback = f"{feedback} {validator.bounce_feedback}".strip()
    return GateVerdict(
        verdict=verdict,
        reasons=reasons,
        checks=(
            CheckResult(check="schema_check", result=validator.schema_check if validator else "ok"),
            CheckResult(check="evidence", result=_evidence_word(checks)),
            *(CheckResult(check=name, result=getattr(validator, name, NOT_MADE)) for name in MODEL_CHECKS),
        ),
        feedback=feedback if verdict == "bounce" else None,
    )


def is_stopped(findings: InvestigatorReturn, validator: ValidatorReturn) -> bool:
    """Return whether the validator's verdict and checks alone stop a draft, whatever code says."""
    return bool(_model(findings, validator))


Complaint = tuple[Verdict, str]


_NOTHING_FOUND = "Nothing was found that answers the question, so there is no reference to check."
_NOTHING_CITED = "The edited text cites nothing."


def _evidence(references: Sequence[EvidenceRef], checks: Sequence[EvidenceCheck], nothing: str) -> list[Complaint]:
    failed: list[Complaint] = [
        ("bounce", f"{INVALID} {check.ref} is not valid: {check.reason}.")
        for check in checks
        if check.result == "failed"
    ]
    standing = {check.ref for check in checks if check.result == "ok"}
    if failed or any(reference.ref in standing and _has_word(reference) for reference in references):
        return failed
    if standing:
        return [("escalate", "The quotes of this draft match, but have no words: they prove nothing.")]
    return [("escalate", nothing or "No reference of this draft can be checked by code.")]


def _has_word(reference: EvidenceRef) -> bool:
    """Return whether a quote has any word: a bracket is found in every file."""
    return reference.kind != "file" or any(map(str.isalnum, reference.quote or ""))


def _unsupported(values: Sequence[str], validator: ValidatorReturn | None) -> list[Complaint]:
    """Return a complaint about values in no cited text, unless the validator opened a cited place itself."""
    if not values or (validator and validator.spot_check_result != "uncheckable"):
        return []
    named = ", ".join(values[:MOST_NAMED])
    rest = f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else ""
    return [("bounce", f"In no cited text, and no spot-check was made: {named}{rest}.")]


def _model(findings: InvestigatorReturn, validator: ValidatorReturn) -> list[Complaint]:
    complaints = _own_verdict(validator)
    if validator.schema_check == "fail":
        complaints.append(("bounce", "The findings break their schema."))
    if validator.spot_check_result in ("contradicts", "fabricated"):
        complaints.append(("bounce", f"{FABRICATED} {validator.spot_check_ref}: {validator.spot_check_note}"))
    if validator.confidence_language_match == "mismatch":
        complaints.append(("bounce", f"The wording does not match the confidence, which is {findings.confidence}."))
    if validator.scope_drift == "major":
        complaints.append(("bounce", "The draft goes far beyond the question."))
    if validator.cross_investigation_consistency.startswith("contradicts_"):
        other = validator.cross_investigation_consistency.removeprefix("contradicts_")
        complaints.append(("escalate", f"The draft contradicts the open thread {other}."))
    if validator.risk_gate_check == "fails":
        complaints.append(("bounce", "The draft gives risky advice that is not allowed."))
    if validator.risk_gate_check == "needs_high_confidence" and findings.confidence != "high":
        complaints.append(("bounce", f"Risky advice needs high confidence, and this is {findings.confidence}."))
    if validator.tone_assessment == "ai_smell":
        complaints.append(("bounce", "The draft reads like AI text."))
    return complaints


def _own_verdict(validator: ValidatorReturn) -> list[Complaint]:
    """Return the validator's own verdict; a *pass* with objections goes to a person, since another round costs more."""
    if validator.verdict != "pass":
        return [(validator.verdict, " ".join(validator.reasons) or f"The validator says {validator.verdict}.")]
    objections = _objections(validator)
    return [("escalate", f"The validator passed it with objections: {' '.join(objections)}")] if objections else []


_NO_OBJECTION = frozenset({"", "none", "null", "nil", "na", "nothing", "noobjections", "noissues", "nofaults", "ok"})
"""Texts, without blanks and punctuation, that fill a field and object to nothing."""


def _objections(validator: ValidatorReturn) -> list[str]:
    """Return the reasons and the feedback that say anything: a verdict of *pass* has neither."""
    texts = (*validator.reasons, validator.bounce_feedback or "")
    return [text for text in texts if "".join(filter(str.isalnum, text.lower())) not in _NO_OBJECTION]


def _evidence_word(checks: Sequence[EvidenceCheck]) -> str:
    results = {check.result for check in checks}
    return "failed" if "failed" in results else "ok" if "ok" in results else NOT_MADE
