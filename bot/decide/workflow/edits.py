"""Edits of a draft: the references of the new text are opened by code, then the gate decides again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.gate import reach_verdict
from bot.decide.workflow.steps import Transition, change_thread
from bot.models.effect import OpenReferences

if TYPE_CHECKING:
    from bot.models.presses import EditSubmitted
    from bot.models.staleness import ReferencesOpened
    from bot.models.thread import Thread


def apply_edit(thread: Thread, press: EditSubmitted) -> Transition:
    """Replace the draft's text; keep the engine's text, and drop the results of the checks.

    An edit back to the engine's text counts as no edit.
    """
    before = thread.draft_pending
    assert before is not None  # noqa: S101  # checked by the caller; narrows the type
    drafted = before.drafted or before.text
    is_back = drafted.strip() == press.draft.text.strip()
    draft_changes = {"drafted": None, "edited_by": thread.served_edited_by} if is_back else {"drafted": drafted}
    step = change_thread(
        thread,
        press,
        draft_pending=press.draft.evolve(**draft_changes),
        drafts_made=thread.drafts_made + 1,
        opening=press.fresh,
        stale=None if thread.stale and thread.stale.startswith(LINES_CHANGED) else thread.stale,
        nudged=press.draft.draft_id if thread.nudged == before.draft_id else thread.nudged,
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


def apply_opened_references(thread: Thread, event: ReferencesOpened) -> Transition | None:
    """Record the references that code found in the text. Results for an earlier text or draft are dropped."""
    draft, findings = thread.draft_pending, thread.investigator_return
    if thread.status != "pending-user" or thread.opening != event.opening or draft is None or findings is None:
        return None
    is_drafted = draft.drafted is None
    verdict = reach_verdict(
        findings,
        event.checks,
        thread.validator_return if is_drafted else None,
        references=event.references,
        is_edited=not is_drafted,
        advises=draft.advises,
        unsupported=event.unsupported if is_drafted and thread.validator_return else (),
    )
    return change_thread(
        thread,
        event,
        opening=None,
        draft_pending=draft.evolve(payload=event.payload, sha256=event.sha256),
        cited=event.references,
        evidence_checks=event.checks,
        sources=event.sources,
        owners=event.owners,
        unsupported=event.unsupported,
        opening_problem=event.problem,
        verdict=verdict,
    )
