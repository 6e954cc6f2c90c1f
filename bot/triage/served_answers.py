"""Reused answers: an approved reply as findings for the same question, with its references opened again by code.

Reuse requires that each reference was verified when the reply was posted and is unchanged. An edited reply depends on
the references of its text, not on those of the original draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.agents.citations import CitationOpener
from bot.agents.sources import wordings
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


class NotAgain(TriageError):
    """Answer that cannot be reused; the message gives the reason, as the end of a sentence."""


async def served_again(record: Mapping[str, Any], project: Project, redactor: Redactor) -> EngineReport:
    """Build the report that reuses the recorded answer. Raises `NotAgain`."""
    try:
        text = str(record["reply_text"])
        recorded = {each["ref"]: EvidenceRef(**each).evolve(commit=None) for each in record.get("evidence_refs", ())}
        stood = {check["ref"] for check in record.get("evidence", ()) if check["result"] == "ok"}
        drafted = record.get("drafted_text") or text
        if record.get("found_nothing") or (record.get("engine") == "keyword" and _is_unsure(record)):
            raise NotAgain("it found no answer")
        if drafted == text and not (recorded and stood.issuperset(recorded)):
            raise NotAgain(NOTHING)
        opener = CitationOpener(project, redactor)
        cited = await opener.open(text, tuple(recorded.values()), drafted)
        if why := _objection(cited, recorded, stood):
            raise NotAgain(why)
        references = tuple(one.reference for one in cited)
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
            wordings=wordings(cited),
            edited_by=str(edited_by) if edited_by else None,
        )
    except (ValidationError, KeyError, TypeError):
        raise NotAgain(NOTHING) from None


def _is_unsure(record: Mapping[str, Any]) -> bool:
    return record.get("confidence") == "low" and not record.get("drafted_text")


def _objection(cited: tuple[Citation, ...], recorded: Mapping[str, EvidenceRef], stood: set[str]) -> str:
    """Return why the references do not support the answer, now or when it was posted; empty if they do."""
    for one in cited:
        ref, check = one.reference.ref, one.check
        known = recorded.get(ref)
        if check.result == "failed" and ref in stood:
            return f"{ref} has changed since: {check.reason}"
        if check.result == "failed":
            return f"it cites {ref}: {check.reason}"
        if check.result == "ok" and (known is None or ref not in stood):
            return f"{ref} was not verified when it was posted"
        if check.result == "ok" and known and one.reference.quote != known.quote:
            return f"{ref} has changed since: the lines are different"
        if one.reference.kind == "log_query" or (one.reference.kind == "memory" and one.check.result != "ok"):
            return "it depends on a state that may have changed since"
    return "" if any(one.check.result == "ok" for one in cited) else NOTHING
