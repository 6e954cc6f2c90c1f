"""Forms of answers about services that are not healthy: with a runbook that the agent may propose, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator
from pydantic.json_schema import SkipJsonSchema

from bot.agents.investigator_output import InvestigatorOutput
from bot.agents.long_run import LongRunOutput
from bot.models.incident import ProposedRunbook

if TYPE_CHECKING:
    from bot.models.findings import Assignment

_LONGEST_NAME = 100
_LONGEST_REASON = 400
"""Characters of a reason; redaction may add some."""
_NO_REASON = "It gives no reason."
_NONE = ("", "none", "null", "n/a", "no", "-")


def read_proposal(value: Any) -> dict[str, str] | None:
    """Return a proposal in its form, whatever the spelling; `None` for anything else, which proposes nothing."""
    if isinstance(value, ProposedRunbook):
        return value.model_dump()
    content = value if isinstance(value, dict) else {"name": value}
    name = content.get("name") or content.get("runbook")
    name = name.strip().strip("`'\"").strip() if isinstance(name, str) else ""
    if name.lower() in _NONE:
        return None
    reason = content.get("reason")
    words = " ".join(reason.split()) if isinstance(reason, str) else ""
    return {"name": name[:_LONGEST_NAME], "reason": words[:_LONGEST_REASON] or _NO_REASON}


_Proposal = Annotated[ProposedRunbook | None, BeforeValidator(read_proposal)]


_Unoffered = Annotated[SkipJsonSchema[ProposedRunbook | None], BeforeValidator(read_proposal)]


class UnofferedOutput(InvestigatorOutput):
    """Form of an answer about services without a runbook to propose; one is read, so that the card says why not."""

    proposed_runbook: _Unoffered = None


class LongUnofferedOutput(LongRunOutput):
    """Form of a long run's answer as `UnofferedOutput`."""

    proposed_runbook: _Unoffered = None


class IncidentOutput(InvestigatorOutput):
    """Form of an answer that may propose a runbook."""

    proposed_runbook: _Proposal = None


class LongIncidentOutput(LongRunOutput):
    """Form of a long run's answer that may propose a runbook."""

    proposed_runbook: _Proposal = None


def choose_form(assignment: Assignment) -> type[InvestigatorOutput]:
    """Return the form of an answer to this assignment."""
    if assignment.runbooks:
        return IncidentOutput
    return UnofferedOutput if assignment.services else InvestigatorOutput


def choose_long_form(assignment: Assignment) -> type[LongRunOutput]:
    """Return the form of a long run's answer to this assignment."""
    if assignment.runbooks:
        return LongIncidentOutput
    return LongUnofferedOutput if assignment.services else LongRunOutput
