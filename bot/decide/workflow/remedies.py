"""Remedies: proposed runbooks, the press that runs one, its end, and the tier that goes on.

A runbook starts by an operator's press alone. A proposal that nobody can decide on any more is refused or expired, with
the reason, which the handoff of the next tier repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.escalation import TierChoice, choose_after_remedy
from bot.decide.health.states import are_same
from bot.decide.workflow.desk import hand_over_question
from bot.decide.workflow.escalating import escalate, refused
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread
from bot.models.effect import RunRunbook
from bot.models.presses import AnswerQuestion, Bounce, DigDeeper, Dismiss, Redraft, Settle, TakeOver
from bot.models.reasons import bounced
from bot.models.thread_event import Due, Posted, WasPosted

if TYPE_CHECKING:
    from bot.models.incident import Incident, Remedy, RemedyState
    from bot.models.presses import RunRunbookPressed
    from bot.models.thread import Thread
    from bot.models.thread_event import Findings, RunbookEnded, ThreadEvent

TWICE = "You have approved this runbook already; it waits for somebody else to approve it, too. Nothing was run."
_OTHER_RUNS = "another runbook runs at the moment"
_ENDING = ("investigating", "escalated", "bounced-round-1", "closed")
"""Statuses in which a proposal has ended: nothing proposes one before its findings."""
_REFUSING = (Bounce, AnswerQuestion, Redraft, DigDeeper, Dismiss, Settle, TakeOver)
"""Presses that refuse the proposal on the card."""


def run_runbook(thread: Thread, press: RunRunbookPressed, limits: WorkflowLimits) -> Transition | None:
    """Approve the proposed runbook, which starts its one run; of two approvals the first starts nothing."""
    incident = thread.incident
    remedy = incident.proposal if incident else None
    if incident is None or remedy is None or remedy.state != "proposed":
        return None
    if limits.second_approver and remedy.first_by is None:
        first = thread.evolve(
            incident=_replace_last(incident, remedy.evolve(first_by=press.by, first_at=press.at)),
        )
        to = press.second
        passed = hand_over_question(first, press, to=to, by=press.by, for_second=True) if to else None
        return passed or change_thread(first, press)
    if limits.second_approver and remedy.first_by == press.by:
        return Transition(thread, accepted=False, refusal=TWICE)
    approved = remedy.evolve(state="approved", decided_by=press.by, decided_at=press.at, run_id=press.fresh)
    after = change_thread(thread, press, incident=_replace_last(incident, approved)).thread
    return Transition(after, RunRunbook(run_id=press.fresh))


def end_runbook(thread: Thread, incident: Incident, event: RunbookEnded, limits: WorkflowLimits) -> Transition | None:
    """Record the end of the run that the document names; services that are still not healthy start the next tier."""
    remedy = incident.proposal
    if remedy is None or remedy.run_id != event.run_id:
        return None
    is_healthy = all(check.status == "healthy" for check in event.checks) if event.checks else None
    ended = remedy.evolve(
        state="ended",
        outcome=event.outcome,
        exit_code=event.exit_code,
        duration_ms=event.duration_ms,
        output=event.output,
        problem=event.problem,
        is_healthy_after=is_healthy,
    )
    changes: dict[str, Any] = {}
    if event.checks and (is_healthy or not are_same(event.checks, incident.checks)):
        over = (incident.recovered_at or event.at) if is_healthy else None
        failed = incident.failed_checks if incident.is_over else incident.failing_checks
        changes = {"checks": event.checks, "failed_checks": failed, "checked_at": event.at, "recovered_at": over}
        changes["was_down"] = incident.has_been_down
    updated = thread.evolve(incident=_replace_last(incident, ended).evolve(**changes))
    if is_healthy is False and thread.status == "pending-user":
        return _go_on(updated, event, limits)
    return change_thread(updated, event)


def expire_proposal(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition | None:
    """Start the next tier where nobody decided on a proposed runbook; `None` where none was proposed or may start."""
    incident = thread.incident
    if incident is None or incident.proposal is None:
        return None
    choice = choose_after_remedy(incident, thread.escalation, limits.escalation)
    if choice is None or choice.refusal:
        return None
    return escalate(thread, due, choice, draft_stale=thread.stale)


def go_on_instead(thread: Thread, press: Bounce | Redraft, limits: WorkflowLimits, **changes: Any) -> Transition | None:
    """Start the tier that waits for the decision on a runbook, which this press refuses; `None` where none waits."""
    incident = thread.incident
    if incident is None or incident.next_tier is None or not limits.escalation.starts(incident.next_tier):
        return None
    choice = TierChoice(incident.next_tier, incident.next_reason)
    return escalate(thread, press, choice, draft_stale=thread.stale, **changes)


def record_proposal(
    thread: Thread, event: Findings, choice: TierChoice | None
) -> tuple[TierChoice | None, dict[str, Any]]:
    """Return the tier that starts now, and the changes by the runbook that the findings propose.

    A person decides on a runbook before the tier that the findings ask for starts.
    """
    incident, remedy = thread.incident, event.remedy
    if incident is None:
        return choice, {}
    before = incident.remedies
    if remedy and before and _repeats(before[-1], remedy):
        before = before[:-1]
    if remedy and incident.is_remedied and remedy.runbook == before[-1].runbook:
        remedy = None  # it runs
    if remedy and incident.is_remedied:  # the one that runs stays the newest
        before = (*before[:-1], remedy.evolve(state="refused", why=remedy.why or _OTHER_RUNS), before[-1])
    elif remedy:
        before = (*before, remedy)
    updated = incident.evolve(remedies=before, next_tier=None, next_reason="")
    if choice and not choice.refusal and updated.proposal:
        updated = updated.evolve(next_tier=choice.tier, next_reason=choice.reason)
        choice = None
    return choice, {"incident": updated}


def _repeats(before: Remedy, remedy: Remedy) -> bool:
    """Return whether a remedy is refused by code as the one before was: only the last reason counts."""
    both = (before, remedy)
    return before.runbook == remedy.runbook and all(each.state == "refused" and not each.decided_by for each in both)


def settle_proposal(step: Transition, event: ThreadEvent) -> Transition:
    """Return the step with the proposal refused or expired if nobody can decide on it any more: the question is closed,
    or another investigation began."""
    after = step.thread
    incident = after.incident if after else None
    remedy = incident.proposal if incident else None
    if after is None or incident is None or remedy is None or remedy.state != "proposed":
        return step
    if after.status not in _ENDING:
        return step
    state, why = _describe_end(after, event)
    by = getattr(event, "by", None) if isinstance(event, _REFUSING) else None
    settled = remedy.evolve(state=state, why=why, decided_by=by, decided_at=event.at)
    updated = _replace_last(incident, settled).evolve(next_tier=None, next_reason="")
    return Transition(after.evolve(incident=updated), step.effect)


_ENDED_BY_OPERATOR = {
    Dismiss: "an operator dismissed it",
    Settle: "an operator settled the question",
    TakeOver: "an operator took over",
}


def _describe_end(after: Thread, event: ThreadEvent) -> tuple[RemedyState, str]:
    """Return the final state of a proposal that was not run, with the reason."""
    match event:
        case Bounce():
            return "refused", f"an operator sent the draft back: {bounced(event.code, event.feedback)}"
        case AnswerQuestion() | Redraft():
            return "refused", "an operator asked for another draft"
        case DigDeeper():
            return "refused", "an operator asked for a longer run"
        case Dismiss() | Settle() | TakeOver():
            return "refused", _ENDED_BY_OPERATOR[type(event)]
        case _ if after.outcome == "recovered":
            return "expired", "the incident was over before anybody decided"
        case Due():
            return "expired", "nobody decided in time"
        case Posted() | WasPosted():
            return "expired", "the reply was posted, and nobody ran it"
        case _ if after.status == "closed":
            return "expired", f"the question was closed ({(after.outcome or 'closed').replace('-', ' ')})"
        case _:
            return "expired", "another investigation began before anybody decided"


def _go_on(thread: Thread, event: RunbookEnded, limits: WorkflowLimits) -> Transition:
    """Start the tier that goes on after a runbook; else record why a wanted one does not start."""
    incident = thread.incident
    assert incident is not None  # noqa: S101  # its runbook ended; narrows the type
    choice = choose_after_remedy(incident, thread.escalation, limits.escalation)
    if choice is None or choice.refusal:
        return change_thread(thread, event, **refused(choice))
    updated = incident.evolve(next_tier=None, next_reason="")
    stale = "a runbook was run since this draft was begun"
    return escalate(thread, event, choice, draft_stale=thread.stale or stale, incident=updated)


def _replace_last(incident: Incident, remedy: Remedy) -> Incident:
    """Return the incident with another state of its newest remedy; its message shows one that was approved."""
    revision = incident.revision + bool(remedy.run_id)
    return incident.evolve(remedies=(*incident.remedies[:-1], remedy), revision=revision)
