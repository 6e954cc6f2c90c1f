"""What the fate of a reply does to a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.steps import Limits, Step, changed, closed, moved
from bot.models.happening import NotFound, Posted, PostFailed, Uncertain, WasPosted

if TYPE_CHECKING:
    from bot.models.thread import Thread


def delivered(thread: Thread, happening: Posted | PostFailed | Uncertain | NotFound, limits: Limits) -> Step | None:
    """The reply stands in the thread, was refused, or is in doubt."""
    if thread.status != "approved":
        return None
    match happening:
        case Posted():
            return replied(thread, happening, limits)
        case PostFailed():
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
            return moved(thread, happening, "pending-user", stale=happening.reason, draft_pending=draft)
        case Uncertain():
            return changed(thread, happening, due_at=happening.settle_at)
        case NotFound():
            return moved(thread, happening, "in-doubt", due_at=None)


def replied(thread: Thread, happening: Posted | WasPosted, limits: Limits) -> Step:
    """Closed with a reply. What the asker wrote while it was on its way becomes due as the next question."""
    return closed(
        thread,
        happening,
        "replied",
        posted_message_id=happening.ts if isinstance(happening, Posted) else None,
        due_at=happening.at + limits.debounce if thread.inbox else None,
    )
