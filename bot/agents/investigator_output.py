"""Form of an investigator's answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic.json_schema import SkipJsonSchema

from bot.agents.lenient_form import mend_lines
from bot.models.findings import InvestigatorReturn
from bot.models.fix import NamedDefect
from bot.models.incident import ProposedRunbook

_LONGEST_SUMMARY = 500
"""Characters of a defect's summary; redaction may add some."""
_LONGEST_REF = 300
_SUMMARIES = ("summary", "description", "what")
_REFS = ("ref", "reference", "place", "evidence_ref")


def _ignore(_: Any) -> None:
    """Return no proposal: only runs about services that are not healthy may make one (`bot/agents/incident_output`)."""


def read_defect(value: Any) -> dict[str, str] | None:
    """Return a defect in its form, whatever the spelling; `None` for anything else, which names none."""
    if isinstance(value, NamedDefect):
        return value.model_dump()
    content = value if isinstance(value, dict) else {}
    summary = " ".join(_first_text(content, _SUMMARIES).split())
    ref = mend_lines(_first_text(content, _REFS).strip().strip("`'\"").strip())
    if not summary or not ref or len(ref) > _LONGEST_REF:
        return None
    return {"summary": summary[:_LONGEST_SUMMARY], "ref": ref}


def _first_text(content: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((content[name] for name in names if isinstance(content.get(name), str)), "")


_NoProposal = Annotated[SkipJsonSchema[ProposedRunbook | None], BeforeValidator(_ignore)]


class InvestigatorOutput(InvestigatorReturn):
    """Form requested from the model; the round is set by code."""

    investigator_round: int = 1
    proposed_runbook: _NoProposal = None
    defect: Annotated[NamedDefect | None, BeforeValidator(read_defect)] = None
