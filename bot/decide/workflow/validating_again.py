"""Second validation of a draft whose validator gave no verdict: its investigation was paid, and is not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.steps import Transition, move_thread
from bot.models.effect import CheckFindings

if TYPE_CHECKING:
    from bot.models.presses import Redraft
    from bot.models.thread import Thread


def lacks_only_a_verdict(thread: Thread) -> bool:
    """Return whether the draft is whole, and only the validator's verdict is missing."""
    draft, verdict = thread.draft_pending, thread.verdict
    if draft is None or draft.edited_by is not None or verdict is None or verdict.verdict == "bounce":
        return False
    is_outdated = thread.stale or thread.inbox or thread.fallback
    return bool(thread.unvalidated and thread.investigator_return and not is_outdated)


def validate_again(thread: Thread, press: Redraft) -> Transition:
    """Check the draft again, with a run of the validator alone."""
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=press.fresh)
    step = move_thread(
        thread,
        press,
        "awaiting-validation",
        run_id=press.fresh,
        draft_pending=draft,
        nudged=None,
        due_at=None,
        waiting=None,
        failure=None,
        opening=None,
        evidence_checks=(),
        validator_return=None,
        unvalidated=None,
        unsupported=(),
        verdict=None,
    )
    return Transition(step.thread, CheckFindings(run_id=press.fresh))
