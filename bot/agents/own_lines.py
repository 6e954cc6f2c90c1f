"""Normalised references of findings: plain paths, and the files' own lines as quotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.agents.evidence import EvidenceChecker, cited_lines

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.findings import InvestigatorReturn
    from bot.models.project import Project


async def with_own_lines(findings: InvestigatorReturn, project: Project, redactor: Redactor) -> InvestigatorReturn:
    """Return the findings with normalised references, and the draft with the same paths."""
    checker = EvidenceChecker(project.root, redactor, project)
    references = tuple([await checker.as_it_stands(reference) for reference in findings.evidence_refs])
    if references == findings.evidence_refs:
        return findings
    draft, defect = findings.draft_reply, findings.defect
    for before, after in zip(findings.evidence_refs, references, strict=True):
        if defect and findings.defect and findings.defect.ref == before.ref:
            defect = defect.evolve(ref=after.ref)
        old, new = cited_lines(before.ref), cited_lines(after.ref)
        if old and new and old[0] != new[0]:
            plain = new[0].replace("\\", r"\\")
            draft = re.sub(rf"(?<![\w./-]){re.escape(old[0])}(?![\w/])", plain, draft)
    return findings.evolve(evidence_refs=references, draft_reply=draft, defect=defect)
