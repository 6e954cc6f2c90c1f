"""Sound cases: a question, the answer in one line of code, and that line as evidence. By templates, seeded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.drill import SOUND, Case, CodeFact
from bot.models.findings import EvidenceRef, InvestigatorReturn

if TYPE_CHECKING:
    from random import Random

_VALUES = (
    ("what is `{name}` set to, and where?", "`{name}` is {value}, set in `{place}`."),
    ("Which value does `{name}` have?", "It is {value}: `{place}` sets `{name}`."),
    ("where do we set `{name}`? and what is it at the moment?", "In `{place}`. It is {value}."),
)
_FIELDS = (
    ("what is `{name}` by default, and where is that set?", "{value}, set in `{place}`."),
    ("where does the default of `{name}` come from?", "From `{place}`: `{name}` is {value} there."),
)
_DEFAULTS = (
    ("what does `{owner}` take for `{name}` when the caller leaves it out?", "{value}, see `{place}`."),
    ("Is there a default for `{name}` in `{owner}`?", "Yes, {value}: `{place}`."),
)
_DEFINITIONS = (
    ("where is `{name}` defined?", "`{name}` is defined in `{place}`."),
    ("which file has `{name}`?", "`{path}`, line {line}."),
)
_LIKELY = " This is what the code sets; whether something overrides it at run time was not looked at."
_OTHER = "T0DRILL-C0DRILL-{number}.000100"


def sound(fact: CodeFact, bystander: CodeFact, rng: Random) -> Case:
    """Build a case about `fact`.

    One in three has medium confidence and says why; one in two has an open thread beside it, about `bystander` or in
    agreement.
    """
    question, draft = (text.format(**_template_values(fact)) for text in rng.choice(_templates(fact)))
    likely = bool(fact.value) and rng.random() < 1 / 3
    claim = f"The line sets {fact.name} to {fact.value}." if fact.value else f"The line defines {fact.name}."
    findings = InvestigatorReturn(
        confidence="medium" if likely else "high",
        confidence_reason="The line was read, what happens at run time was not." if likely else "The line shows it.",
        summary_for_orchestrator=claim,
        draft_reply=draft + _LIKELY if likely else draft,
        draft_language="en",
        evidence_refs=(evidence(fact, claim),),
        investigator_round=1,
        research_notes=f"Searched for {fact.name}; it is in one place.",
    )
    return Case(
        kind=SOUND,
        fact=fact,
        question=question,
        question_type="technical_qa",
        findings=findings,
        others=_build_hints(fact, bystander, rng),
    )


def evidence(fact: CodeFact, claim: str) -> EvidenceRef:
    """Return the line as a reference."""
    return EvidenceRef(kind="file", ref=fact.place, quote=fact.text, supports_claim=claim)


def hint(fact: CodeFact, value: str, rng: Random) -> str:
    """Return an open thread's statement on a fact, as a validator sees it."""
    statement = f"`{fact.name}` is {value}." if value else f"`{fact.name}` is defined in `{fact.path}`."
    return f"{_OTHER.format(number=rng.randrange(1_000, 9_999))}: {statement}"


def _templates(fact: CodeFact) -> tuple[tuple[str, str], ...]:
    if fact.owner:
        return _DEFAULTS
    if not fact.value:
        return _DEFINITIONS
    return _FIELDS if fact.name.islower() else _VALUES


def _build_hints(fact: CodeFact, bystander: CodeFact, rng: Random) -> tuple[str, ...]:
    about = rng.choice((None, None, bystander, fact))
    return (hint(about, about.value, rng),) if about else ()


def _template_values(fact: CodeFact) -> dict[str, object]:
    return {
        "name": fact.name,
        "value": f"`{fact.value}`" if fact.value else "",
        "place": fact.place,
        "owner": fact.owner,
        "path": fact.path,
        "line": fact.line,
    }
