"""Reused answers: an approved reply as findings for the same question, with its references opened again by code.

Reuse requires that each reference was verified when the reply was posted and is unchanged. An edited reply depends on
the references of its text, not on those of the original draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.agents.citations import CitationOpener
from bot.agents.sources import map_wordings
from bot.errors import TriageError
from bot.models.findings import EngineReport, EvidenceRef, InvestigatorReturn
from bot.models.repeated_question import ANSWERED_BEFORE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.agents.citations import Citation
    from bot.decide.redaction.redactor import Redactor
    from bot.models.project import Project

NOTHING = "it has no references that code can check"
MOST_REFS = 8
"""Maximum of references in findings."""


class NotReusable(TriageError):
    """Answer that cannot be reused; the message gives the reason, as the end of a sentence."""


async def reuse_answer(record: Mapping[str, Any], project: Project, redactor: Redactor) -> EngineReport:
    """Build the report that reuses the recorded answer. Raises `NotReusable`."""
    try:
        text = str(record["reply_text"])
        recorded = {each["ref"]: EvidenceRef(**each).evolve(commit=None) for each in record.get("evidence_refs", ())}
        verified = {check["ref"] for check in record.get("evidence", ()) if check["result"] == "ok"}
        drafted = record.get("drafted_text") or text
        if record.get("found_nothing") or (record.get("engine") == "keyword" and _is_unsure(record)):
            raise NotReusable("it found no answer")
        if drafted == text and not (recorded and verified.issuperset(recorded)):
            raise NotReusable(NOTHING)
        opener = CitationOpener(project, redactor)
        cited = await opener.open(text, tuple(recorded.values()), drafted)
        if why := _objection(cited, recorded, verified):
            raise NotReusable(why)
        references = tuple(citation.reference for citation in cited)
        findings = InvestigatorReturn(
            confidence=record["confidence"],
            confidence_reason="An operator approved this answer to the same question; its references are unchanged.",
            summary_for_orchestrator="An approved answer to the same question is reused.",
            draft_reply=text,
            draft_language=record.get("draft_language", ""),
            evidence_refs=references[:MOST_REFS],
            investigator_round=1,
            research_notes="",
        )
        edited_by = record.get("edited_by")
        return EngineReport(
            project=project.name,
            engine=ANSWERED_BEFORE,
            findings=findings,
            cited=references,
            wordings=map_wordings(cited),
            edited_by=str(edited_by) if edited_by else None,
        )
    except (ValidationError, KeyError, TypeError):
        raise NotReusable(NOTHING) from None


def _is_unsure(record: Mapping[str, Any]) -> bool:
    return record.get("confidence") == "low" and not record.get("drafted_text")


def _objection(cited: tuple[Citation, ...], recorded: Mapping[str, EvidenceRef], verified: set[str]) -> str:
    """Return why the references do not support the answer, now or when it was posted; empty if they do."""
    for citation in cited:
        ref, check = citation.reference.ref, citation.check
        recorded_ref = recorded.get(ref)
        if check.result == "failed" and ref in verified:
            return f"{ref} has changed since: {check.reason}"
        if check.result == "failed":
            return f"it cites {ref}: {check.reason}"
        if check.result == "ok" and (recorded_ref is None or ref not in verified):
            return f"{ref} was not verified when it was posted"
        if check.result == "ok" and recorded_ref and citation.reference.quote != recorded_ref.quote:
            return f"{ref} has changed since: the lines are different"
        if citation.reference.kind == "log_query" or (
            citation.reference.kind == "memory" and citation.check.result != "ok"
        ):
            return "it depends on a state that may have changed since"
    return "" if any(citation.check.result == "ok" for citation in cited) else NOTHING
