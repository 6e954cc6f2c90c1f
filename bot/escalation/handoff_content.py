"""Content of a handoff to the next tier: what an agent returned, or what its run had when a limit ended it. Pure.

An agent returns it as data; only code writes `handoff.json`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from bot.escalation.watch_handoffs import pass_on
from bot.models.handoff import NextTier, QuestionHandoff, WatchHandoff
from bot.models.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.long_run import LongRunOutput
    from bot.models.escalation import EscalationTask, HeadlessReturn
    from bot.models.findings import EvidenceRef
    from bot.models.handoff import Handoff
    from bot.models.incident import ProposedRunbook
    from bot.models.turn import Entry

LAST_TIER = max(get_args(NextTier))
LEAST_WORDS = 10
"""Words of notes that are worth a handoff."""
MOST_TRIED = 40
_LONGEST_CALL = 200
_LIMITS = ("limit", "over_cap")


def build_handoff(
    task: EscalationTask, returned: HeadlessReturn, answer: LongRunOutput | None, calls: Sequence[str] = ()
) -> Handoff | None:
    """Return the handoff of an ended run; `None` where it finished, failed, or has nothing worth keeping.

    Also for the last tier, whose handoff nobody takes. `calls` are those that the run made.
    """
    if answer is not None and answer.escalation_requested:
        return _build(
            task,
            findings=f"{answer.draft_reply}\n\n{answer.research_notes}",
            references=answer.evidence_refs,
            tried=answer.tried or answer.alternatives_dropped,
            missing=answer.missing or answer.escalation_reason or "\n".join(answer.open_questions),
            proposed=_find_proposal(task, returned),
        )
    notes = returned.unchecked_notes
    if answer is None and returned.outcome in _LIMITS and len(notes.split()) >= LEAST_WORDS:
        missing = f"The tier ended at a limit before it was done: {returned.reason}"
        return _build(task, findings=notes, references=(), tried=calls[-MOST_TRIED:], missing=missing)
    return None


def _find_proposal(task: EscalationTask, returned: HeadlessReturn) -> ProposedRunbook | None:
    """Return the runbook that a run proposes; `None` for one that it may not propose."""
    proposed = returned.report.findings.proposed_runbook if returned.report else None
    is_offered = proposed is not None and any(each.name == proposed.name for each in task.assignment.runbooks)
    return proposed if is_offered else None


def list_calls(history: Iterable[Entry]) -> list[str]:
    """Return the calls of a run, each once, in short form."""
    turns = (entry for entry in history if isinstance(entry, Turn))
    texts = (f"{call.tool} {json.dumps(call.input, ensure_ascii=False)}" for turn in turns for call in turn.calls)
    return list(dict.fromkeys(text[:_LONGEST_CALL] for text in texts))


def _build(
    task: EscalationTask,
    *,
    findings: str,
    references: Sequence[EvidenceRef],
    tried: Sequence[str],
    missing: str,
    proposed: ProposedRunbook | None = None,
) -> Handoff:
    """Return the handoff, with that of the tier before, so that the last one has the whole chain."""
    missing = missing.strip() or "The agent asked for the next tier and named no reason."
    if isinstance(task.handoff, WatchHandoff):
        return pass_on(
            task.handoff,
            task.tier,
            findings=findings,
            references=references,
            tried=tried,
            missing=missing,
            proposed=proposed,
        )
    before = task.handoff if isinstance(task.handoff, QuestionHandoff) else None
    earlier = f"{before.findings}\n\n" if before and before.findings else ""
    return QuestionHandoff(
        kind="question",
        schema_version=1,
        recommended_tier=3,
        thread_id=task.thread_id,
        question=task.assignment.question.strip() or "The question has no text.",
        rubric=before.rubric if before else task.assignment.question_type,
        findings=f"{earlier}Tier {task.tier}: {findings.strip()}",
        evidence_refs=tuple(dict.fromkeys((*references, *(before.evidence_refs if before else ())))),
        tried=tuple(dict.fromkeys((*(before.tried if before else ()), *tried))),
        missing=missing,
    )
