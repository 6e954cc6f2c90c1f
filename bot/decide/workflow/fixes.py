"""Fixes: the press that proposes one, the end of its process, and the presses on its own message.

A fix goes its way beside the thread's question, which may be answered, closed and followed by others meanwhile. What
it changes there is one line in a reply that waits for its approval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.defects import find_defect
from bot.decide.workflow.steps import Transition, WorkflowLimits, with_change
from bot.models.card import Card
from bot.models.effect import DraftFix, OpenMergeRequest, StopFix
from bot.models.faults import has_answer
from bot.models.fix import Fix, FixOrder
from bot.models.fix_event import (
    FixDiscarded,
    FixEnded,
    FixPressed,
    FixShown,
    MergeRequestFailed,
    MergeRequestOpened,
    MergeRequestPressed,
    RequestEdited,
    RequestLinked,
)

if TYPE_CHECKING:
    from bot.models.fix import Pushed
    from bot.models.fix_event import FixEvent
    from bot.models.status import Outcome
    from bot.models.thread import Thread

STOPPED = "Triage is stopped: no merge request is opened until an admin runs `/triage resume`. Nothing was changed."
OTHER_COMMIT = "This button is for another commit than the fix has now. Nothing was opened; press the one on its card."
_PUSHES: tuple[Pushed, ...] = ("no", "maybe", "yes")
"""From the least to the most that is known to be at the remote."""
_ANSWERED: tuple[Outcome, ...] = ("replied", "practice", "taken-over")
"""Outcomes of a closed question whose card still proposes a fix."""


def apply_fix_event(thread: Thread, event: FixEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply an event of a fix; `None` if it changes nothing, as the result of another run."""
    if isinstance(event, FixPressed):
        return _begin(thread, event)
    if isinstance(event, RequestLinked):
        return _link(thread, event)
    fix = thread.fix
    if fix is None:
        return None
    match event:
        case FixEnded():
            return _end(thread, fix, event)
        case MergeRequestPressed() | RequestEdited() | FixDiscarded():
            return _apply_press(thread, fix, event, limits) if _names(fix, event) else None
        case MergeRequestOpened() | MergeRequestFailed():
            return _end_opening(thread, fix, event)
        case FixShown():
            return _record_shown(thread, fix, event)
        case _:
            assert_never(event)


def resume_fix(thread: Thread) -> DraftFix | StopFix | OpenMergeRequest | None:
    """Return the effect that the fix of a saved document needs, in any status, beside the thread's other effects."""
    fix = thread.fix
    if fix is None:
        return None
    if fix.state == "drafting":
        return DraftFix(run_id=fix.order.run_id)
    if fix.is_ending:
        return StopFix(run_id=fix.order.run_id)
    return OpenMergeRequest(run_id=fix.opening_id) if fix.state == "opening" and fix.opening_id else None


def may_propose_fix(thread: Thread) -> bool:
    """Return whether a fix may begin: a defect is believed, its card has a draft or an answer was given, and no other
    fix of the thread is under way or of this question."""
    is_answered = thread.status == "closed" and thread.outcome in _ANSWERED
    if thread.draft_pending is None or not (thread.status in ("pending-user", "approved") or is_answered):
        return False
    return _has_room(thread) and find_defect(thread) is not None


def needs_link(thread: Thread) -> bool:
    """Return whether the draft that waits for approval is to get the line that links to the merge request."""
    fix, draft = thread.fix, thread.draft_pending
    if fix is None or fix.request is None or draft is None or thread.status != "pending-user" or thread.opening:
        return False
    is_new = fix.linked_in != _run_of_draft(thread) and fix.question_round == thread.question_round
    return is_new and not draft.withheld and has_answer(thread) and fix.request.url not in draft.text


def show_fix_again(thread: Thread) -> dict[str, Any]:
    """Return the changes by which the message of a fix under way is rendered again."""
    fix = thread.fix
    return {"fix": fix.evolve(revision=fix.revision + 1)} if fix and fix.is_live else {}


def _begin(thread: Thread, press: FixPressed) -> Transition | None:
    draft = thread.draft_pending
    if draft is None or (press.draft_id, press.nonce) != (draft.draft_id, draft.nonce) or not may_propose_fix(thread):
        return None
    defect = find_defect(thread)
    assert defect is not None  # noqa: S101  # as above; narrows the type
    number = thread.fix.number + 1 if thread.fix else 1
    order = FixOrder(
        run_id=press.fresh,
        defect=defect,
        repository=press.repository,
        slug=f"fix-{thread.task}" + (f"-{number}" if number > 1 else ""),
        base="",
        asked_by=press.by,
        asked_at=press.at,
    )
    fix = Fix(
        number=number,
        question_round=thread.question_round,
        order=order,
        nonce=press.fresh,
        card=Card(nonce=f"fix{press.fresh}"),
    )
    return Transition(with_change(thread, press, fix=fix), DraftFix(run_id=press.fresh))


def _has_room(thread: Thread) -> bool:
    """Return whether the thread's fix, if it has one, came to nothing, or is of another question and done."""
    fix = thread.fix
    if fix is None:
        return True
    if fix.state == "opened":
        return fix.question_round != thread.question_round
    return fix.state in ("failed", "discarded") and not fix.is_ending


def _end(thread: Thread, fix: Fix, event: FixEnded) -> Transition | None:
    """Record the end of the process; one that was discarded meanwhile keeps its cost alone."""
    if event.run_id != fix.order.run_id or fix.result is not None:
        return None
    result = event.result
    if fix.is_ending:
        kept = result.evolve(proposal=None)
        return _change(thread, event, fix, result=kept)
    if fix.state != "drafting":
        return None
    proposal = result.proposal
    if proposal is None or event.plan is None:
        return _change(thread, event, fix, state="failed", result=result.evolve(proposal=None), problem=result.problem)
    words = {"title": proposal.title, "description": proposal.description}
    return _change(thread, event, fix, state="proposed", result=result, plan=event.plan, **words)


def _names(fix: Fix, press: MergeRequestPressed | RequestEdited | FixDiscarded) -> bool:
    return (press.number, press.nonce) == (fix.number, fix.nonce)


def _apply_press(
    thread: Thread, fix: Fix, press: MergeRequestPressed | RequestEdited | FixDiscarded, limits: WorkflowLimits
) -> Transition | None:
    if isinstance(press, FixDiscarded) and fix.state == "drafting":
        step = _change(thread, press, fix, state="discarded", decided_by=press.by, decided_at=press.at)
        return Transition(step.thread, StopFix(run_id=fix.order.run_id))
    if fix.state != "proposed" or fix.proposal is None:
        return None
    match press:
        case MergeRequestPressed() if limits.is_stopped:
            return Transition(thread, accepted=False, refusal=STOPPED)
        case MergeRequestPressed() if press.sha != fix.proposal.head:
            return Transition(thread, accepted=False, refusal=OTHER_COMMIT)
        case MergeRequestPressed():
            changes: dict[str, Any] = {"opening_id": press.fresh, "problem": "", "is_outdated": False}
            step = _change(thread, press, fix, state="opening", decided_by=press.by, decided_at=press.at, **changes)
            return Transition(step.thread, OpenMergeRequest(run_id=press.fresh))
        case RequestEdited():
            words = {"title": press.title, "description": press.description}
            return _change(thread, press, fix, edited_by=press.by, **words)
        case FixDiscarded():
            return _change(thread, press, fix, state="discarded", decided_by=press.by, decided_at=press.at)
        case _:
            assert_never(press)


def _end_opening(thread: Thread, fix: Fix, event: MergeRequestOpened | MergeRequestFailed) -> Transition | None:
    if fix.state != "opening" or event.run_id != fix.opening_id:
        return None
    if isinstance(event, MergeRequestOpened):
        return _change(thread, event, fix, state="opened", opening_id=None, request=event.request, pushed="yes")
    pushed = max(fix.pushed, event.pushed, key=_PUSHES.index)
    changes: dict[str, Any] = {"problem": event.problem, "is_outdated": event.is_outdated, "pushed": pushed}
    return _change(thread, event, fix, state="proposed", opening_id=None, **changes)


def _record_shown(thread: Thread, fix: Fix, event: FixShown) -> Transition | None:
    if event.nonce != fix.card.nonce or event.revision <= fix.card.drawn:
        return None
    card = fix.card.evolve(drawn=event.revision, channel=event.channel, ts=event.ts)
    is_there = (card.channel, card.ts) == (fix.card.channel, fix.card.ts)
    revision = thread.revision if is_there else thread.revision + 1  # the question's card links to it
    return Transition(thread.evolve(fix=fix.evolve(card=card), revision=revision))


def _link(thread: Thread, event: RequestLinked) -> Transition | None:
    """Replace the draft by the same one with the line; a first approval was for the text without it."""
    fix, draft = thread.fix, thread.draft_pending
    if fix is None or draft is None or draft.nonce != event.nonce or not needs_link(thread):
        return None
    linked = event.draft.evolve(draft_id=draft.draft_id, drafted=draft.drafted, edited_by=draft.edited_by)
    recorded = fix.evolve(linked_in=_run_of_draft(thread))
    return Transition(with_change(thread, event, draft_pending=linked, first_approval=None, fix=recorded))


def _run_of_draft(thread: Thread) -> str:
    """Return the id of the run that made the draft."""
    return thread.investigator_task_id or ""


def _change(thread: Thread, event: FixEvent, fix: Fix, **changes: Any) -> Transition:
    """Return the step with a visible change of the fix; presses on what was shown before have no effect."""
    changed = fix.evolve(revision=fix.revision + 1, nonce=event.fresh, **changes)
    return Transition(with_change(thread, event, fix=changed))
