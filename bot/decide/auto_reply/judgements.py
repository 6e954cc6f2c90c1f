"""Judgements: an operator's decision on the first draft of a question, and a reader's complaint about it. Pure.

A document holds its current question only, so a judgement is read from it when the decision is saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.auto_reply.edit_substance import changes_substance
from bot.decide.risk.risky_advice import find_risky_advice
from bot.models.judged_draft import JudgedDraft, Pool
from bot.models.reasons import BOUNCED

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.decision import Round
    from bot.models.feedback import Reason
    from bot.models.reasons import BounceCode
    from bot.models.thread import Thread

_CODES: dict[str, BounceCode] = {name: code for code, (name, _) in BOUNCED.items()}


def read_judgement(thread: Thread) -> JudgedDraft | None:
    """Return the judgement of the first draft of a thread's current question.

    `None` without a decision on it, without a validator's verdict on it, and where a later draft was decided on.
    """
    verdicts = [each for each in thread.judged if each.question_round == thread.question_round]
    model = thread.validator_return.validator_model if thread.validator_return else _find_validator(thread)
    if not verdicts or verdicts[0].validator is None or thread.project is None or not model:
        return None
    first = JudgedDraft(
        question_id=f"{thread.thread_id}/{thread.first_round or thread.question_round}",
        pool=Pool(project=thread.project, kind=thread.question_type, validator=model),
        at=verdicts[0].at,
        verdict=verdicts[0].validator,
        judgement="approved",
        touches_production=thread.is_about_incident or thread.is_about_alert,
    )
    if thread.rounds:
        return _read_bounce(thread, first, thread.rounds[0])
    return _read_decision(thread, first) if len(verdicts) == 1 else None


def _find_validator(thread: Thread) -> str:
    """Return the model of the validator's first run for this question; empty if there was none."""
    return next((run.model for run in thread.runs if run.agent == "validator"), "")


def _read_bounce(thread: Thread, first: JudgedDraft, sent_back: Round) -> JudgedDraft | None:
    """Return the judgement of a first draft that was sent back; `None` if code or the validator did that."""
    if sent_back.by != "operator":
        return None
    history = [each for each in thread.status_history if each.previous == "pending-user" and each.at >= first.at]
    at = history[0].at if history else first.at
    code = _CODES.get(sent_back.attack.partition(": ")[0])
    return _touch(first.evolve(at=at, judgement="bounced", reason=code), sent_back.draft)


def _read_decision(thread: Thread, first: JudgedDraft) -> JudgedDraft | None:
    """Return the judgement of a first draft that was approved or dismissed."""
    decision, draft = thread.decision, thread.draft_pending
    if decision is None or draft is None:
        return None
    drafted = draft.drafted if draft.is_edited and draft.drafted else draft.text
    judged = _touch(first.evolve(at=decision.at, draft_id=draft.draft_id), drafted)
    if decision.action == "approve":
        is_changed = draft.is_edited and changes_substance(drafted, draft.text)
        return judged.evolve(judgement="edited" if is_changed else "approved")
    return judged.evolve(judgement="dismissed", reason=decision.code) if decision.action == "dismiss" else None


def _touch(judged: JudgedDraft, draft: str) -> JudgedDraft:
    return judged.evolve(touches_production=judged.touches_production or bool(find_risky_advice(draft)))


def mark_unhelpful(judged: JudgedDraft, *, at: datetime, reason: Reason | None, has_words: bool) -> JudgedDraft:
    """Return a reader's complaint about a draft as another judgement of it."""
    return judged.evolve(judgement="unhelpful", at=at, reason=reason, has_words=has_words)
