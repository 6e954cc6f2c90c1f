"""Handoffs between tiers: read from a run that succeeded, judged by code, and saved with the next run's task.

The decision is on disk before its handoff is deleted: after a crash in between the same call has the same result, and
no handoff starts two runs. All calls block.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter, ValidationError

from bot.decide.escalation import EscalationPolicy, HandoffDecision, judge_handoff, reject_handoff
from bot.errors import Unreadable
from bot.escalation.watch_handoffs import build_watch_handoff
from bot.models.fact import Fact
from bot.models.handoff import NextTier, QuestionHandoff, WatchHandoff
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from bot.escalation.folder import RunFolder
    from bot.models.escalation import EscalationTask, HeadlessReturn
    from bot.models.handoff import Handoff
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock

SUCCEEDED = ("answered", "limit", "over_cap")
"""Outcomes of runs whose handoff counts: finished, or ended at a limit with notes."""
MOST_BYTES = 5_000_000
_FORM: TypeAdapter[WatchHandoff | QuestionHandoff] = TypeAdapter(
    Annotated[WatchHandoff | QuestionHandoff, Field(discriminator="kind")]
)


class Judgement(Fact):
    """Decision about the handoff of a run: content of `judgement.json`."""

    next_tier: NextTier | None = None
    next_reason: str = ""
    refusal: str = ""


@dataclass(frozen=True, kw_only=True)
class Handoffs:
    """Reader of handoffs."""

    policy: EscalationPolicy
    clock: Clock

    def take(self, folder: RunFolder, task: EscalationTask, returned: HeadlessReturn) -> Judgement:
        """Take the handoff of an ended run and return the decision, the same at each call.

        Where a tier starts, the task of its run is saved. Raises `OSError`, `Unreadable`.
        """
        judgement = folder.read_record(folder.judgement, Judgement)
        if not folder.handoff.exists():
            return judgement or Judgement()
        if returned.outcome not in SUCCEEDED:
            record_event("warning", task.session_id, f"Handoff from tier {task.tier} ignored: its run failed")
            folder.remove(folder.handoff)
            return Judgement()
        handoff, decision = self._judge(folder, task)
        if handoff and decision.start:
            self._save_next(folder, task, handoff)
        if judgement is None:
            judgement = Judgement(
                next_tier=decision.start,
                next_reason=describe(handoff) if handoff and decision.start else "",
                refusal=decision.refusal,
            )
            folder.write(folder.judgement, judgement.model_dump(mode="json"))
        if decision.message:
            record_event(decision.level, task.session_id, decision.message)
        folder.remove(folder.handoff)
        return judgement

    def _judge(self, folder: RunFolder, task: EscalationTask) -> tuple[Handoff | None, HandoffDecision]:
        try:
            handoff = read_handoff(folder, task)
        except (OSError, Unreadable) as problem:
            return None, reject_handoff(task.tier, str(problem), is_unreadable=True)
        except ValidationError as problem:
            return None, reject_handoff(task.tier, _describe_fault(problem))
        except ValueError as problem:
            return None, reject_handoff(task.tier, str(problem))
        return handoff, judge_handoff(handoff, task.tier, self.policy)

    def _save_next(self, folder: RunFolder, task: EscalationTask, handoff: Handoff) -> None:
        """Save the task of the next run, unless a call before a crash has."""
        before = folder.read_child_task()
        if before and before.parent_session_id == task.session_id:
            return
        now = self.clock.now()
        folder.save_child(
            task.evolve(
                session_id=f"{now:%Y%m%dT%H%M%S}-{self.clock.new_id()}",
                parent_session_id=task.session_id,
                tier=handoff.recommended_tier,
                handoff=handoff,
            )
        )


def read_handoff(folder: RunFolder, task: EscalationTask) -> Handoff:
    """Read and validate the handoff of a run. Raises `Unreadable`, `OSError`, `ValueError`.

    One without a kind is of the kind *watch*, whose fields are those of the specification.
    """
    size = folder.handoff.stat().st_size
    if size > MOST_BYTES:
        raise Unreadable(f"it has {size:,} bytes, expected at most {MOST_BYTES:,}")
    try:
        content = json.loads(folder.handoff.read_bytes())
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"expected JSON: {problem}") from None
    if isinstance(content, dict):
        content = {"kind": "watch", **content}
    handoff = _FORM.validate_python(content)
    if isinstance(handoff, QuestionHandoff) and handoff.thread_id != task.thread_id:
        raise ValueError(f"it is about the thread {handoff.thread_id}, not {task.thread_id}")
    return handoff


def remove_stale(folder: RunFolder, session_id: str | None) -> None:
    """Remove a handoff that no successful session waits for. Raises `OSError`."""
    if folder.handoff.exists():
        folder.remove(folder.handoff)
        record_event("info", session_id, "Stale handoff removed: no session waits for it")


def build_handoff(thread: Thread, tier: NextTier) -> Handoff | None:
    """Return the handoff of services that are not healthy, or of a question that a run inside the bot could not finish;
    `None` if that has no results."""
    if thread.incident and thread.is_about_incident:
        return build_watch_handoff(thread, thread.incident, tier)
    found, notes = thread.investigator_return, "\n\n".join(each.text for each in thread.unchecked_notes)
    texts = (found.draft_reply, found.research_notes, notes) if found else (notes,)
    findings = "\n\n".join(text.strip() for text in texts if text.strip())
    if not findings:
        return None
    reason = thread.escalation.reason if thread.escalation else ""
    return QuestionHandoff(
        kind="question",
        schema_version=1,
        recommended_tier=tier,
        thread_id=thread.thread_id,
        question=thread.question.strip() or "The question has no text.",
        rubric=thread.rubric or thread.question_type,
        findings=findings,
        evidence_refs=found.evidence_refs if found else (),
        tried=found.alternatives_dropped if found else (),
        missing="; ".join((*(found.open_questions if found else ()), reason)).strip("; ") or "It is not finished.",
    )


def describe(handoff: Handoff) -> str:
    """Return the reason for the next tier, as a clause without a full stop."""
    if isinstance(handoff, WatchHandoff):
        return f"not healthy: {', '.join(handoff.services_affected)}"
    return f"the run before could not finish: {' '.join(handoff.missing.split()).rstrip('.')}"


def _describe_fault(problem: ValidationError) -> str:
    """Return the first faults of a handoff, by field."""
    errors = problem.errors(include_url=False, include_input=False)
    faults = [f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}" for error in errors]
    return "; ".join(faults[:3])
