"""Ends of runs: findings, failures and the gate's verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.escalation import TierChoice, choose_after_run
from bot.decide.gate import reach_verdict
from bot.decide.workflow.escalating import (
    end_without_report,
    record_tier_progress,
    refused,
    start_tier,
    why_draft_is_stale,
)
from bot.decide.workflow.remedies import record_proposal
from bot.decide.workflow.steps import Transition, WorkflowLimits, add_round, investigate, move_thread
from bot.models.answer_change import MAX_UNCHECKED_CHARS, MOST_UNCHECKED, UncheckedNotes
from bot.models.effect import CheckFindings
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, TierProgress, Validated
from bot.models.verdict import CountedVerdict

if TYPE_CHECKING:
    from bot.models.status import Status
    from bot.models.thread import Thread
    from bot.models.verdict import GateVerdict, ValidatorReturn

RunEnd = Findings | RunFailed | EvidenceFailed | Validated

_AGENTS = ("investigator", "validator")


def apply_run_event(thread: Thread, event: RunEnd | TierProgress, limits: WorkflowLimits) -> Transition | None:
    """Apply the progress or the end of the current run; the caller has compared the run's id."""
    match event:
        case RunFailed():
            return _apply_failure(thread, event, limits)
        case Findings():
            is_searching = thread.status in ("investigating", "escalated", "bounced-round-1")
            return _apply_findings(thread, event, limits) if is_searching else None
        case EvidenceFailed() | Validated():
            return _apply_verdict(thread, event, limits) if thread.status == "awaiting-validation" else None
        case TierProgress():
            return record_tier_progress(thread, event) if thread.status == "escalated" else None
        case _:
            assert_never(event)


def _apply_failure(thread: Thread, event: RunFailed, limits: WorkflowLimits) -> Transition:
    """Let a longer run go on after a run without findings, or have its operator decide."""
    changes = _add_notes(thread, _AGENTS[0], event.unchecked_notes) | _runs(thread, event)
    choice = _choose_next(thread, event, limits)
    if step := start_tier(thread, event, choice, draft_stale=why_draft_is_stale(thread), **changes):
        return step
    if thread.status == "escalated":
        return end_without_report(thread, event, **changes)
    changes |= refused(choice)
    return move_thread(thread, event, "pending-user", run_id=None, failure=event.reason, draft_pending=None, **changes)


def _choose_next(thread: Thread, event: Findings | RunFailed, limits: WorkflowLimits) -> TierChoice | None:
    """Return the tier that goes on after a run, if any."""
    if thread.status == "escalated":
        return TierChoice(event.next_tier, event.next_reason) if event.next_tier else None
    return choose_after_run(thread, event, limits.escalation)


def _apply_findings(thread: Thread, event: Findings, limits: WorkflowLimits) -> Transition:
    """Check the draft of an investigation, or investigate again if messages came in meanwhile."""
    changes: dict[str, Any] = {
        "project": event.report.project,
        "engine": event.report.engine,
        "fallback": event.report.fallback,
        "answer_changes": event.report.answer_changes,
        "original_sender_name": event.asker_name,
        "investigator_return": event.report.findings,
        "sources": event.sources,
        "code_of": event.code_of,
        "owners": event.owners,
        "unopened": event.report.unopened,
        "recorded": event.report.recorded,
        "found_nothing": event.report.found_nothing,
        "chance": event.report.chance,
        "cited": event.report.cited,
        "served_edited_by": event.report.edited_by,
        "opening_problem": None,
        "hinted": event.hinted,
        "asked_before": event.asked_before,
        "visibility": event.visibility,
        "paused_project": event.paused_project,
        "external": thread.external and thread.external.evolve(kept_back=event.kept_back),
        **_add_notes(thread, _AGENTS[0], event.report.unchecked_notes),
        **_runs(thread, event),
    }
    choice, proposed = record_proposal(thread, event, _choose_next(thread, event, limits))
    changes |= proposed
    unread = tuple(ts for ts in thread.inbox if ts not in event.read_messages)
    if unread:
        status: Status = "investigating" if thread.status == "escalated" else thread.status
        return investigate(thread, event, status, **changes)
    changes |= {"inbox": (), "draft_pending": event.draft, "drafts_made": thread.drafts_made + 1, **_UNCHECKED}
    if step := start_tier(thread, event, choice, draft_stale=thread.stale, **changes):
        return step
    changes |= refused(choice)
    if thread.status == "escalated":
        changes |= {"escalation_problem": event.problem or None, "is_escalated": event.is_started}
        changes["escalation"] = thread.escalation and thread.escalation.evolve(has_result=event.is_started)
    step = move_thread(thread, event, "awaiting-validation", **changes)
    return Transition(step.thread, CheckFindings(run_id=event.run_id))


_UNCHECKED: dict[str, Any] = {
    "evidence_checks": (),
    "validator_return": None,
    "unvalidated": None,
    "unsupported": (),
    "verdict": None,
}
"""Results of the checks, empty for a new draft."""


def _apply_verdict(thread: Thread, event: EvidenceFailed | Validated, limits: WorkflowLimits) -> Transition | None:
    findings, draft = thread.investigator_return, thread.draft_pending
    if findings is None or draft is None:
        return None
    validator = event.validator_return if isinstance(event, Validated) else None
    verdict = reach_verdict(
        findings,
        event.checks,
        validator,
        references=thread.references,
        is_edited=draft.edited_by is not None,
        advises=draft.advises,
        unsupported=event.unsupported if isinstance(event, Validated) and not event.is_model_away else (),
    )
    changes: dict[str, Any] = {
        "evidence_checks": event.checks,
        "validator_return": validator,
        "verdict": verdict,
        **_runs(thread, event),
        "judged": (*thread.judged, _count_verdict(thread, event, verdict, validator)),
    }
    if isinstance(event, Validated):
        changes |= {"unvalidated": event.unvalidated, "unsupported": event.unsupported}
        changes |= _add_notes(thread, _AGENTS[1], event.unchecked_notes)
    if thread.inbox:
        return investigate(thread, event, "investigating", **changes)
    if verdict.verdict == "bounce" and thread.validator_bounces < limits.validator_bounces:
        changes |= {"validator_bounces": thread.validator_bounces + 1, "feedback": verdict.feedback, "bounced_as": None}
        changes["rounds"] = add_round(thread, "validator" if validator else "checks", " ".join(verdict.reasons))
        return investigate(thread, event, "bounced-round-1", **changes)
    return move_thread(thread, event, "pending-user", run_id=None, **changes)


def _add_notes(thread: Thread, agent: str, text: str) -> dict[str, Any]:
    """Return the change that adds the text of a run without an answer; none without a text."""
    if not text:
        return {}
    shown = text if len(text) <= MAX_UNCHECKED_CHARS else f"{text[: MAX_UNCHECKED_CHARS - 1]}…"
    notes = UncheckedNotes(agent=agent, round=thread.investigator_round, text=shown)
    return {"unchecked_notes": (*thread.unchecked_notes, notes)[-MOST_UNCHECKED:]}


def _runs(thread: Thread, event: RunEnd) -> dict[str, Any]:
    """Return the changes that record the ended runs, with the newest run of each agent by its id."""
    newest = {f"{figures.agent}_task_id": figures.session_id for figures in event.runs if figures.agent in _AGENTS}
    return {"runs": (*thread.runs, *event.runs), **newest}


def _count_verdict(
    thread: Thread, event: EvidenceFailed | Validated, verdict: GateVerdict, validator: ValidatorReturn | None
) -> CountedVerdict:
    word = validator.verdict if validator else None
    return CountedVerdict(at=event.at, question_round=thread.question_round, verdict=verdict.verdict, validator=word)
