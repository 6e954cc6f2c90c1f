"""Handoffs about services that are not healthy (spec 3), from the document of their thread. Pure.

A runbook was run, or the handoff says that it was not attempted, with the reason: never an agent's word.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from bot.models.handoff import WatchHandoff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import EvidenceRef, InvestigatorReturn
    from bot.models.handoff import Handoff, NextTier
    from bot.models.incident import Incident, ProposedRunbook, Remedy
    from bot.models.thread import Thread

NOT_ATTEMPTED = "Not attempted"
_NONE = f"{NOT_ATTEMPTED}: no runbook was proposed."
_NO_FINDINGS = "The run before ended without findings."
_LONGEST_OUTPUT = 2_000


def build_watch_handoff(
    thread: Thread, incident: Incident, tier: NextTier, before: Handoff | None = None
) -> WatchHandoff:
    """Return the handoff to a tier. `before` is that of the tier before, if it wrote one to this tier itself."""
    own = before.investigation_findings if isinstance(before, WatchHandoff) else None
    findings = own or _describe_findings(thread)
    return WatchHandoff(
        schema_version=1,
        recommended_tier=tier,
        services_affected=incident.services,
        check_results=incident.checks,
        cooldown_state=incident.cooldown_state,
        investigation_findings=findings or (_NO_FINDINGS if tier == 3 else None),
        remediation_attempted=describe_remediation(incident) if tier == 3 or incident.remedies else None,
    )


def pass_on(
    before: WatchHandoff,
    tier: int,
    *,
    findings: str,
    references: Sequence[EvidenceRef],
    tried: Sequence[str],
    missing: str,
    proposed: ProposedRunbook | None,
) -> WatchHandoff:
    """Return the handoff with which the run of a tier asks for the next one. Nothing was run by it."""
    parts = (
        before.investigation_findings or "",
        f"Tier {tier}: {findings.strip()}",
        "\n".join(("References:", *(f"- {each.ref}: {each.supports_claim}" for each in references))) * bool(references),
        "\n".join(("Tried:", *(f"- {each}" for each in tried))) * bool(tried),
        f"Missing: {missing.strip()}" * bool(missing.strip()),
    )
    why = f"the runbook {proposed.name} is proposed, and a person decides on it" if proposed else ""
    return before.evolve(
        recommended_tier=3,
        investigation_findings="\n\n".join(part for part in parts if part),
        remediation_attempted=f"{NOT_ATTEMPTED}: {why}." if why else before.remediation_attempted or _NONE,
    )


def describe_remediation(incident: Incident) -> str:
    """Return what was run in this outage and why it did not help; else that nothing was attempted, and why."""
    remedies = [remedy for remedy in incident.remedies if remedy.proposed_at >= incident.since]
    return "\n".join(map(_describe, remedies)) or _NONE


def _describe(remedy: Remedy) -> str:
    program = f"the runbook {remedy.runbook} ({shlex.join(remedy.argv)})" if remedy.argv else remedy.runbook
    if remedy.state in ("refused", "expired"):
        return f"{NOT_ATTEMPTED}: {program}, since {remedy.why.rstrip('.')}."
    if remedy.state == "proposed":
        return f"{NOT_ATTEMPTED}: {program} is proposed, and a person decides on it."
    if remedy.outcome == "not-started":
        return f"{NOT_ATTEMPTED}: {program} was approved and did not start. {remedy.problem}".rstrip()
    when = f" at {remedy.decided_at:%Y-%m-%d %H:%M} UTC" if remedy.decided_at else ""
    health = {True: "the services were healthy after it", False: "the services were still not healthy after it"}
    after = (
        health.get(remedy.is_healthy_after or False) if remedy.is_healthy_after is not None else "no checks followed"
    )
    output = remedy.output.strip()[-_LONGEST_OUTPUT:]
    lines = f"\nThe end of its output:\n{output}" if output else ""
    return f"An operator had {program} run{when}: {_describe_end(remedy)}, and {after}.{lines}"


def _describe_end(remedy: Remedy) -> str:
    match remedy.outcome:
        case "succeeded" | "failed" if remedy.exit_code is None:
            return f"it ended without an exit code ({remedy.problem.rstrip('.')})"
        case "succeeded" | "failed":
            return f"it ended with exit code {remedy.exit_code}"
        case "timed-out":
            return f"it was ended at its time limit of {remedy.timeout_s:g} s"
        case None:
            return "it runs"
        case _:
            return f"its end is not known ({remedy.problem.rstrip('.')})"


def _describe_findings(thread: Thread) -> str:
    """Return the results of the run before with their references; empty without any."""
    found, notes = thread.investigator_return, [each.text for each in thread.unchecked_notes]
    texts = [*_list_texts(found), *notes] if found else notes
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _list_texts(found: InvestigatorReturn) -> list[str]:
    references = "\n".join(f"- {each.ref}: {each.supports_claim}" for each in found.evidence_refs)
    return [found.draft_reply, found.research_notes, f"References:\n{references}" if references else ""]
