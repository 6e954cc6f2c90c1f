"""Defect that a thread's findings name, as far as code believes it (spec 1, section 1: from a finding to a fix)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.fix import NamedDefect
    from bot.models.thread import Thread


def find_defect(thread: Thread) -> NamedDefect | None:
    """Return the named defect if code has opened its place: a reference to a file of the current findings, read by the
    agent in its run, and found as quoted."""
    findings = thread.investigator_return
    if findings is None or findings.defect is None:
        return None
    ref = findings.defect.ref
    is_cited = any(each.kind == "file" and each.ref == ref for each in findings.evidence_refs)
    is_opened = any(check.ref == ref and check.result == "ok" for check in thread.evidence_checks)
    return findings.defect if is_cited and is_opened and ref not in thread.unopened else None
