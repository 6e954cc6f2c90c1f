"""Form of an investigator's answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic.json_schema import SkipJsonSchema

from bot.models.findings import InvestigatorReturn
from bot.models.incident import ProposedRunbook


def _ignore(_: Any) -> None:
    """Return no proposal: only runs about services that are not healthy may make one (`bot/agents/incident_output`)."""


_NoProposal = Annotated[SkipJsonSchema[ProposedRunbook | None], BeforeValidator(_ignore)]


class InvestigatorOutput(InvestigatorReturn):
    """Form requested from the model; the round is set by code."""

    investigator_round: int = 1
    proposed_runbook: _NoProposal = None
