"""An approved answer as the findings that serve again: its text, and the references of that text, opened by code now.

It serves only where each of them stood when it was posted and stands as it did. What somebody edited rests on what the
edited text cites, never on what the draft before did.
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

NOTHING = "it rests on nothing that code can check"
MOST_REFS = 8
"""References that findings may have."""


class NotAgain(TriageError):
    """The answer does not serve again; the message says why, as the end of a sentence."""


async def served_again(record: Mapping[str, Any], project: Project, redactor: Redactor) -> EngineReport:
    """The findings. Raises `NotAgain`."""
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
            confidence_reason="An operator approved this answer to the same question, and what it quotes still stands.",
            summary_for_orchestrator="An approved answer to the same question serves again.",
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
    """Why the references of the text carry the answer no longer, or never did; empty where they do."""
    for one in cited:
        ref, check = one.reference.ref, one.check
        known = recorded.get(ref)
        if check.result == "failed" and ref in stood:
            return f"{ref} has changed since: {check.reason}"
        if check.result == "failed":
            return f"it cites {ref}: {check.reason}"
        if check.result == "ok" and (known is None or ref not in stood):
            return f"{ref} did not stand, or was not opened, when it was posted"
        if check.result == "ok" and known and one.reference.quote != known.quote:
            return f"{ref} has changed since: other lines stand there"
        if one.reference.kind == "log_query" or (one.reference.kind == "memory" and one.check.result != "ok"):
            return "it rests on what was so then"
    return "" if any(one.check.result == "ok" for one in cited) else NOTHING
