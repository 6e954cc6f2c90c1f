"""Escalated questions: the start of a longer run, its progress, and the way back to a decision or to tier 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.escalation import (
    choose_after_bounce,
    choose_before_start,
    choose_deeper,
    choose_for_services,
    choose_for_task,
)
from bot.decide.rubric import choose_rubric
from bot.decide.workflow.steps import Transition, begin_run, change_thread, investigate, move_thread
from bot.models.effect import CheckFindings, Escalate
from bot.models.escalation import Escalation
from bot.models.thread_event import Stop

if TYPE_CHECKING:
    from bot.decide.escalation import TierChoice
    from bot.decide.workflow.steps import WorkflowLimits
    from bot.models.thread import Thread
    from bot.models.thread_event import (
        Bounce,
        DigDeeper,
        Due,
        Findings,
        Redraft,
        RunbookEnded,
        RunFailed,
        TaskStarted,
        TierProgress,
    )

NOTHING_DEEPER = "No longer run may start here: the settings allow none (`escalation`, `tiers`)."
NEW_MESSAGES = "New messages came into the thread"


def escalate(
    thread: Thread,
    event: Bounce | DigDeeper | Due | Findings | Redraft | RunbookEnded | RunFailed | TaskStarted,
    choice: TierChoice,
    *,
    by: str | None = None,
    draft_stale: str | None = None,
    **changes: Any,
) -> Transition:
    """Start a run of the chosen tier, which reads every message of the question. The draft so far is kept."""
    escalation = Escalation(
        tier=choice.tier,
        reason=choice.reason,
        decided_at=event.at,
        decided_by=by,
        is_first=not thread.is_escalated,
        draft_stale=draft_stale,
    )
    fields: dict[str, Any] = {
        "is_escalated": True,
        "escalation": escalation,
        "escalation_problem": None,
        "escalation_tmux_session": None,
        "escalation_transcript_path": None,
    }
    after = begin_run(thread, event, "escalated", **(changes | fields))
    return Transition(after, Escalate(run_id=event.fresh))


def ask_program_again(thread: Thread, press: Bounce, limits: WorkflowLimits, **changes: Any) -> Transition | None:
    """Start the program of tier 2 again whose draft an operator sends back; `None` for any other draft."""
    choice = choose_after_bounce(thread, limits.escalation)
    return escalate(thread, press, choice, by=press.by, draft_stale=thread.stale, **changes) if choice else None


def record_tier_progress(thread: Thread, event: TierProgress) -> Transition | None:
    """Record the process of the current run, and how far it has come."""
    before = thread.escalation
    if before is None:
        return None
    escalation = before.evolve(
        session_id=event.session_id,
        started_at=event.started_at,
        watch_command=event.watch_command,
        turns=event.turns,
        cost_usd=event.cost_usd,
        latest=event.latest,
    )
    places = (event.tmux_session, event.transcript_path)
    if escalation == before and places == (thread.escalation_tmux_session, thread.escalation_transcript_path):
        return None
    return change_thread(
        thread,
        event,
        escalation=escalation,
        escalation_tmux_session=event.tmux_session,
        escalation_transcript_path=event.transcript_path,
    )


def end_without_report(thread: Thread, event: RunFailed, **changes: Any) -> Transition:
    """End a run of tier 2 or 3 that has no findings.

    Its question returns to the draft of before; without a draft it waits for its operator. A tier that could not be
    started before tier 1 had tried leaves the question to tier 1.
    """
    problem = event.problem or event.reason
    if not event.is_started and is_first_run(thread):
        return investigate(thread, event, "investigating", **changes, **_not_started(thread, problem))
    if not event.is_started:
        changes |= _not_started(thread, problem)
    changes["escalation_problem"] = problem
    return return_to_draft(thread, event, problem, **changes) or move_thread(
        thread, event, "pending-user", run_id=None, failure=event.reason, draft_pending=None, **changes
    )


def return_to_draft(thread: Thread, event: RunFailed | Stop, problem: str, **changes: Any) -> Transition | None:
    """Return to the draft that was kept during a longer run; `None` without one.

    A draft that was not checked yet is checked now; messages that came in meanwhile lead to another run of tier 1.
    """
    draft = thread.draft_pending
    if thread.status != "escalated" or draft is None:
        return None
    changes["escalation_problem"] = problem
    is_stopped = isinstance(event, Stop) or event.why == "stopped"
    if thread.inbox and not is_stopped:
        return investigate(thread, event, "investigating", **changes)
    changes |= {"stale": why_draft_is_stale(thread), "inbox": ()}
    if thread.verdict is None:
        step = move_thread(thread, event, "awaiting-validation", run_id=event.fresh, **changes)  # not the ended run's
        return Transition(step.thread, CheckFindings(run_id=event.fresh))
    changes |= {"run_id": None, "due_at": None, "draft_pending": draft.evolve(nonce=event.fresh), "nudged": None}
    return move_thread(thread, event, "pending-user", **changes)


def why_draft_is_stale(thread: Thread) -> str | None:
    """Return the reason why the draft kept during a longer run is stale by now; `None` if it is not."""
    if thread.escalation is None:
        return thread.stale
    since = f"{NEW_MESSAGES} since this draft was made" if thread.inbox else None
    return thread.stale or thread.escalation.draft_stale or since


def is_first_run(thread: Thread) -> bool:
    """Return whether the current run is the first one of its question."""
    return thread.status_history[-1].previous == "collecting"


def _not_started(thread: Thread, problem: str) -> dict[str, Any]:
    """Return the changes that take back an escalation which did not begin."""
    is_escalated = thread.escalation is not None and not thread.escalation.is_first
    return {"is_escalated": is_escalated, "escalation_problem": problem}


def begin_work(thread: Thread, event: Due | TaskStarted, limits: WorkflowLimits) -> Transition:
    """Start the first run of a complete question: in the bot, or a longer one, as for services that are not healthy and
    for created tasks."""
    question, names = thread.search_text, limits.project_names()
    if thread.incident and thread.is_about_incident:
        choice = choose_for_services(thread.incident.services, limits.escalation)
    elif thread.is_about_order:
        choice = choose_for_task(thread.original_sender_name, limits.escalation)
    else:
        choice = choose_before_start(question, choose_rubric(question).question_type, names, limits.escalation)
    return start_tier(thread, event, choice) or investigate(thread, event, "investigating", **refused(choice))


def start_tier(
    thread: Thread, event: Due | Findings | RunFailed | TaskStarted, choice: TierChoice | None, **changes: Any
) -> Transition | None:
    """Start the chosen tier; `None` where none was chosen, or it may not start."""
    return escalate(thread, event, choice, **changes) if choice and not choice.refusal else None


def refused(choice: TierChoice | None) -> dict[str, Any]:
    """Return the change that states why a chosen tier is not started; none where none was chosen."""
    if choice is None or not choice.refusal:
        return {}
    return {"escalation_problem": f"{choice.refusal}; the reason for one: {choice.reason}"}


def dig_deeper(thread: Thread, press: DigDeeper, limits: WorkflowLimits) -> Transition | None:
    """Start a longer run at the operator's request; the draft so far is kept."""
    if thread.opening:
        return None
    choice = choose_deeper(thread, limits.escalation)
    if choice is None:
        return Transition(thread, accepted=False, refusal=NOTHING_DEEPER)
    return escalate(thread, press, choice, by=press.by, draft_stale=thread.stale)
