"""Edits of a draft: the references of the new text are opened by code, then the gate decides again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.gate import settle
from bot.decide.workflow.steps import Transition, changed
from bot.models.effect import OpenReferences

if TYPE_CHECKING:
    from bot.models.presses import EditSubmitted
    from bot.models.staleness import ReferencesOpened
    from bot.models.thread import Thread


def edited(thread: Thread, press: EditSubmitted) -> Transition:
    """Replace the draft's text; keep the engine's text, and drop the results of the checks.

    An edit back to the engine's text counts as no edit.
    """
    before = thread.draft_pending
    drafted = (before.drafted or before.text) if before else ""
    is_back = drafted.strip() == press.draft.text.strip()
    written = {"drafted": None, "edited_by": thread.served_edited_by} if is_back else {"drafted": drafted}
    step = changed(
        thread,
        press,
        draft_pending=press.draft.evolve(**written),
        drafts_made=thread.drafts_made + 1,
        opening=press.fresh,
        stale=None if (thread.stale or "").startswith(LINES_CHANGED) else thread.stale,
        nudged=press.draft.draft_id if before and thread.nudged == before.draft_id else thread.nudged,
        **BLANK,
    )
    return Transition(step.thread, OpenReferences(opening=press.fresh))


LINES_CHANGED = "The cited lines have changed since this draft was made"
"""Beginning of the stale notice for changed lines, which goes away when the references are opened again."""
BLANK: dict[str, Any] = {
    "cited": (),
    "evidence_checks": (),
    "unsupported": (),
    "verdict": None,
    "opening_problem": None,
}
"""Results of checks, empty for a text that is not checked yet."""


def references_opened(thread: Thread, happening: ReferencesOpened) -> Transition | None:
    """Record the references that code found in the text. Results for an earlier text or draft are dropped."""
    draft, findings = thread.draft_pending, thread.investigator_return
    if thread.status != "pending-user" or thread.opening != happening.opening or draft is None or findings is None:
        return None
    is_drafted = draft.drafted is None
    references = findings.evidence_refs if happening.references is None else happening.references
    verdict = settle(
        findings,
        happening.checks,
        thread.validator_return if is_drafted else None,
        references=references,
        is_edited=not is_drafted,
        advises=draft.advises,
    )
    return changed(
        thread,
        happening,
        opening=None,
        draft_pending=draft.evolve(payload=happening.payload, sha256=happening.sha256),
        cited=happening.references,
        evidence_checks=happening.checks,
        sources=happening.sources,
        owners=happening.owners,
        unsupported=happening.unsupported,
        opening_problem=happening.problem,
        verdict=verdict,
    )
