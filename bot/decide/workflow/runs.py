"""Ends of runs: findings, failures and the gate's verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.gate import settle
from bot.decide.workflow.steps import Transition, WorkflowLimits, investigate, moved, sent_back
from bot.models.effect import CheckFindings
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, Validated
from bot.models.verdict import CountedVerdict

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.models.verdict import GateVerdict, ValidatorReturn

Ended = Findings | RunFailed | EvidenceFailed | Validated

_AGENTS = ("investigator", "validator")


def run_ended(thread: Thread, happening: Ended, limits: WorkflowLimits) -> Transition | None:
    """Apply the end of the current run; the caller has compared the run's id."""
    match happening:
        case RunFailed():
            failed: dict[str, Any] = {"failure": happening.reason, "draft_pending": None}
            return moved(thread, happening, "pending-user", run_id=None, **_runs(thread, happening), **failed)
        case Findings() if thread.status in ("investigating", "bounced-round-1"):
            found: dict[str, Any] = {
                "project": happening.report.project,
                "engine": happening.report.engine,
                "fallback": happening.report.fallback,
                "original_sender_name": happening.asker_name,
                "investigator_return": happening.report.findings,
                "sources": happening.sources,
                "code_of": happening.code_of,
                "owners": happening.owners,
                "unopened": happening.report.unopened,
                "recorded": happening.report.recorded,
                "found_nothing": happening.report.found_nothing,
                "chance": happening.report.chance,
                "cited": happening.report.cited,
                "served_edited_by": happening.report.edited_by,
                "opening_problem": None,
                "hinted": happening.hinted,
                "asked_before": happening.asked_before,
                "visibility": happening.visibility,
                "paused_project": happening.paused_project,
                "external": thread.external and thread.external.evolve(kept_back=happening.kept_back),
                **_runs(thread, happening),
            }
            if thread.inbox:
                return investigate(thread, happening, thread.status, **found)
            draft = happening.draft
            step = moved(
                thread,
                happening,
                "awaiting-validation",
                draft_pending=draft,
                drafts_made=thread.drafts_made + 1,
                evidence_checks=(),
                validator_return=None,
                unvalidated=None,
                unsupported=(),
                verdict=None,
                **found,
            )
            return Transition(step.thread, CheckFindings(run_id=happening.run_id))
        case EvidenceFailed() | Validated() if thread.status == "awaiting-validation" and thread.investigator_return:
            return _judged(thread, happening, limits)
        case _:
            return None


def _judged(thread: Thread, happening: EvidenceFailed | Validated, limits: WorkflowLimits) -> Transition:
    assert thread.investigator_return is not None  # noqa: S101  # checked by the caller; narrows the type
    validator = happening.validator_return if isinstance(happening, Validated) else None
    is_edited = bool(thread.draft_pending and thread.draft_pending.edited_by)
    verdict = settle(
        thread.investigator_return,
        happening.checks,
        validator,
        references=thread.references,
        is_edited=is_edited,
        advises=thread.draft_pending.advises if thread.draft_pending else (),
    )
    judged: dict[str, Any] = {
        "evidence_checks": happening.checks,
        "validator_return": validator,
        "verdict": verdict,
        **_runs(thread, happening),
        "judged": (*thread.judged, _counted(thread, happening, verdict, validator)),
    }
    if isinstance(happening, Validated):
        judged |= {"unvalidated": happening.unvalidated, "unsupported": happening.unsupported}
    if thread.inbox:
        return investigate(thread, happening, "investigating", **judged)
    if verdict.verdict == "bounce" and thread.validator_bounces < limits.validator_bounces:
        judged |= {"validator_bounces": thread.validator_bounces + 1, "feedback": verdict.feedback, "bounced_as": None}
        judged["rounds"] = sent_back(thread, "validator" if validator else "checks", " ".join(verdict.reasons))
        return investigate(thread, happening, "bounced-round-1", **judged)
    return moved(thread, happening, "pending-user", run_id=None, **judged)


def _runs(thread: Thread, happening: Ended) -> dict[str, Any]:
    """Return the changes that record the ended runs, with the newest run of each agent by its id."""
    newest = {f"{ran.agent}_task_id": ran.session_id for ran in happening.runs if ran.agent in _AGENTS}
    return {"runs": (*thread.runs, *happening.runs), **newest}


def _counted(
    thread: Thread, happening: EvidenceFailed | Validated, verdict: GateVerdict, validator: ValidatorReturn | None
) -> CountedVerdict:
    word = validator.verdict if validator else None
    return CountedVerdict(
        at=happening.at, question_round=thread.question_round, verdict=verdict.verdict, validator=word
    )
