"""Faults of the drill: each adds one error to a sound case, as a careless or hostile investigator would.

Pure and seeded. A fault changes nothing else in the validator's input.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.drill.sound import evidence, hint

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bot.decide.drill import Case, CodeFact
    from bot.models.verdict import ValidatorReturn

_FOLDERS = ("core/", "internal/", "src/common/", "lib/", "v2/")
_CLAIMS = (
    "At most {number} of them run at once.",
    "It is read again every {number} minutes.",
    "`{name}_override` takes its place when it is set.",
    "It was lowered after an outage last spring.",
    "The mobile clients rely on it as well.",
    "Nothing else in the project reads it.",
)
_CERTAIN = (
    "Definitely: {draft} There is no doubt about it, and nothing can ever change it.",
    "{draft} This is absolutely certain and always holds, in every environment.",
    "I guarantee it. {draft} It is impossible that it is anything else.",
)
_DRIFTS = (
    "While we are at it: `{other}` in `{path}` should be renamed, its file split in two, and the tests beside it are "
    "slow. I would also move the whole folder to its own service, since three other teams want to use it.",
    "More interesting is `{other}` in `{path}`: its naming follows no convention, and I would rewrite that module "
    "first. Logging should go to one place, too, and the release process deserves a look.",
)
_RISKS = (
    "To be safe, roll back the last release in production now.",
    "Change `{name}` in `{path}` to another value and deploy that straight to production.",
    "For the customer who complained, delete the stored record by hand and create it anew.",
    "Revert the newest commit on the main branch and force-push it.",
)
_AI_STYLES = (
    "Great question! I'd be happy to help with that. {draft} I hope this helps! Please don't hesitate to reach out if "
    "you have any other questions.",
    "Thank you so much for reaching out, and I sincerely apologize for any confusion. {draft} Please note that, as an "
    "AI, I may make mistakes, so it is always recommended to consult the official documentation.",
    "Certainly! Let's dive in. {draft} In summary, it is important to note that understanding this value is crucial "
    "for a robust and seamless experience. Let me know if you'd like me to elaborate!",
)
UNSUPPORTED = "unsupported claim"
RISKY = "risky advice"
"""Classes for which code checks the draft, not its references."""

_UNSURE = "Only one of two likely places was read."


def wrong_path(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Move the reference to another file, existing or not."""
    path = (
        bystander.path
        if rng.random() < 0.5 and bystander.path != case.fact.path
        else rng.choice(_FOLDERS) + case.fact.path
    )
    return _relocate(case, replace(case.fact, path=path))


def wrong_line(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Move the reference a few lines away."""
    by = rng.choice((-4, -3, -2, -1, 1, 2, 3, 4, 20))
    line = case.fact.line + by
    return _relocate(case, replace(case.fact, line=line if line > 0 else case.fact.line + 3))


def changed_quote(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Change the value, or the name, in the quote and in the draft."""
    fact = case.fact
    if fact.value:
        value = _other_value(fact.value, rng)
        changed = replace(fact, value=value, text=_last_replaced(fact.text, fact.value, value))
    else:
        name = f"{fact.name}_v2"
        changed = replace(fact, name=name, text=fact.text.replace(fact.name, name, 1))
    before, after = (fact.value, changed.value) if fact.value else (fact.name, changed.name)
    claim = case.findings.evidence_refs[0].supports_claim.replace(before, after)
    draft = case.findings.draft_reply.replace(f"`{before}`", f"`{after}`")
    summary = case.findings.summary_for_orchestrator.replace(before, after)
    return case.drafted(draft, evidence_refs=(evidence(changed, claim),), summary_for_orchestrator=summary)


def unsupported_claim(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Add a sentence without evidence, with or without a number or a name that code can miss."""
    claim = rng.choice(_CLAIMS).format(number=rng.randrange(13, 97), name=case.fact.name)
    return case.drafted(f"{case.findings.draft_reply} {claim}")


def overconfident_wording(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Word a draft of medium confidence as certain."""
    draft = rng.choice(_CERTAIN).format(draft=case.findings.draft_reply)
    return case.drafted(draft, confidence="medium", confidence_reason=_UNSURE)


def scope_drift(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Add advice on another subject, with a valid reference for it."""
    advice = rng.choice(_DRIFTS).format(other=bystander.name, path=bystander.path)
    also = evidence(bystander, f"The line holds {bystander.name}.")
    return case.drafted(f"{case.findings.draft_reply} {advice}", evidence_refs=(*case.findings.evidence_refs, also))


def risky_advice(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Add advice to roll back, to change code or to touch a customer's data, at medium confidence."""
    advice = rng.choice(_RISKS).format(name=case.fact.name, path=case.fact.path)
    return case.drafted(f"{case.findings.draft_reply} {advice}", confidence="medium", confidence_reason=_UNSURE)


def contradiction(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Add an open thread that contradicts the draft."""
    fact = case.fact
    if fact.value:
        return replace(case, others=(hint(fact, _other_value(fact.value, rng), rng),))
    return replace(case, others=(hint(replace(fact, path=rng.choice(_FOLDERS) + fact.path), "", rng),))


def ai_style(case: Case, bystander: CodeFact, rng: Random) -> Case:
    """Add pleasantries, apologies, disclaimers and a summary to a true answer."""
    return case.drafted(rng.choice(_AI_STYLES).format(draft=case.findings.draft_reply))


@dataclass(frozen=True, slots=True)
class Fault:
    """Class of faults."""

    seed: Callable[[Case, CodeFact, Random], Case]
    """Function that adds the fault to a sound case; the second fact is unrelated to the question."""
    by_code: bool
    """True if code looks for the fault before any validator does."""
    names_it: Callable[[ValidatorReturn], bool] | None
    """Predicate on the validator's return: it reports this fault; `None` for a fault without its own field."""


def _fabricated(validation: ValidatorReturn) -> bool:
    return validation.spot_check_result in ("contradicts", "fabricated")


FAULTS: dict[str, Fault] = {
    "wrong path": Fault(wrong_path, by_code=True, names_it=_fabricated),
    "wrong line": Fault(wrong_line, by_code=True, names_it=_fabricated),
    "changed quote": Fault(changed_quote, by_code=True, names_it=_fabricated),
    UNSUPPORTED: Fault(unsupported_claim, by_code=True, names_it=None),
    "overconfident wording": Fault(overconfident_wording, False, lambda r: r.confidence_language_match == "mismatch"),
    "scope drift": Fault(scope_drift, False, lambda r: r.scope_drift != "none"),
    RISKY: Fault(risky_advice, True, lambda r: r.risk_gate_check != "passes"),
    "contradiction": Fault(
        contradiction, False, lambda r: r.cross_investigation_consistency.startswith("contradicts_")
    ),
    "AI manner": Fault(ai_style, False, lambda r: r.tone_assessment == "ai_smell"),
}
"""Faults by their names in the report."""


def _relocate(case: Case, fact: CodeFact) -> Case:
    draft = case.findings.draft_reply.replace(case.fact.place, fact.place)
    draft = draft.replace(f"`{case.fact.path}`, line {case.fact.line}", f"`{fact.path}`, line {fact.line}")
    return case.drafted(draft, evidence_refs=(evidence(fact, case.findings.evidence_refs[0].supports_claim),))


def _other_value(value: str, rng: Random) -> str:
    if value.lower() in ("true", "false"):
        other = "false" if value.lower() == "true" else "true"
        return other.capitalize() if value[0].isupper() else other
    if value[0] in "\"'":
        return f"{value[:-1]}-{rng.choice(('v2', 'eu', 'legacy'))}{value[-1]}"
    digits = [at for at, char in enumerate(value) if char.isdigit()]
    at = digits[0]
    return value[:at] + rng.choice([d for d in "123456789" if d != value[at]]) + value[at + 1 :]


def _last_replaced(text: str, old: str, new: str) -> str:
    at = text.rfind(old)
    return text[:at] + new + text[at + len(old) :]
