"""Preconditions of an automatic reply (spec 1, 7): everything that must hold besides an open maturity gate. Pure.

The model's part is to be sure and to pass; every other condition is decided by code from the thread's document. A
reply that goes out without a press is one that an operator could approve without a confirmation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.auto_reply.excluded_questions import describe_exclusion
from bot.decide.redaction.redactor import REDACTED
from bot.decide.working_hours import open_from
from bot.models.faults import find_faults
from bot.models.judged_draft import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from bot.decide.auto_reply.maturity import Maturity
    from bot.decide.working_hours import WorkingHours
    from bot.models.draft import Draft
    from bot.models.findings import InvestigatorReturn
    from bot.models.thread import Thread


def find_pool(thread: Thread) -> Pool | None:
    """Return the pool that the pending draft is judged in; `None` without a project or a validator."""
    if thread.project is None or thread.validator_return is None:
        return None
    return Pool(project=thread.project, kind=thread.question_type, validator=thread.validator_return.validator_model)


def find_unmet(
    thread: Thread, maturity: Maturity, *, is_mention: bool, now: datetime, hours: WorkingHours | None
) -> tuple[str, ...]:
    """Return the conditions that do not hold, each as a sentence; none if the draft may go out without a press.

    `maturity` is that of the thread's pool. `is_mention` is true if the first message of the question mentions the bot
    in its author's own words, as Slack sent it (`Message.mentions`). Without `hours` nobody is known to be at work.
    The thread must have been read from Slack just before (`triage/freshness`).
    """
    draft, findings = thread.draft_pending, thread.investigator_return
    if draft is None or findings is None or thread.status != "pending-user":
        return ("No draft waits for a decision.",)
    sentences = (
        *([] if is_mention else ["The question does not mention the bot."]),
        *_check_question(thread),
        *_check_model(thread, findings),
        *_check_evidence(thread),
        *_check_draft(thread, draft),
        *_check_people(thread),
        *_check_hours(hours, now),
        *([] if maturity.is_open else [maturity.reason]),
    )
    return tuple(sentences)


def _check_question(thread: Thread) -> Iterator[str]:
    yield from describe_exclusion(thread.read_question)
    if thread.incident or thread.alert or thread.order:
        yield "The thread is about an incident, an alert or a created task."
    if thread.unread:
        yield f"The question has files that were not read: {', '.join(thread.unread)}."
    if thread.mode != "live":
        yield "Nothing is posted in this channel."


def _check_model(thread: Thread, findings: InvestigatorReturn) -> Iterator[str]:
    if thread.found_nothing:
        yield "Nothing was found that answers the question."
    if findings.confidence != "high":
        yield f"The confidence is {findings.confidence}."
    validator, verdict = thread.validator_return, thread.verdict
    judged = [each for each in thread.judged if each.question_round == thread.question_round]
    is_first = len(judged) == 1 and not (thread.rounds or thread.validator_bounces or thread.operator_bounces)
    if validator is None or validator.verdict != "pass" or not is_first:
        yield "The validator has not passed it in the first round."
    if validator and validator.risk_gate_check != "passes":
        yield "The validator's check of the risk does not pass."
    if verdict is None or verdict.verdict != "pass":
        yield "The gate has not passed it."


def _check_evidence(thread: Thread) -> Iterator[str]:
    opened = {check.ref for check in thread.evidence_checks if check.result == "ok"}
    opened -= {check.ref for check in thread.recorded}
    opened -= {*thread.unopened}
    unopened = [reference.ref for reference in thread.references if reference.ref not in opened]
    if unopened or not thread.references:
        yield f"Code has not opened {', '.join(unopened) or 'any reference'}."
    if thread.code_of:
        yield "The code that it rests on could not be fetched."


def _check_draft(thread: Thread, draft: Draft) -> Iterator[str]:
    if draft.withheld or REDACTED in draft.text or REDACTED in thread.read_question:
        yield "Something was redacted."
    if draft.edited_by or thread.served_edited_by:
        yield "The draft was edited."
    if thread.stale or thread.inbox or thread.reworded:
        yield "Something has changed since the draft was made."
    yield from find_faults(thread)


def _check_people(thread: Thread) -> Iterator[str]:
    first = thread.question_messages[0] if thread.question_messages else None
    if first is None or first.by_bot:
        yield "No person asked the question."
    others = {message.sender_id for message in thread.question_messages} - {thread.original_sender_id}
    later = [ts for ts in thread.left_out if first and float(ts) > float(first.message_id)]
    if others or later or thread.settled_word:
        yield "Somebody has written since the question."
    if thread.external:
        yield "People of another company may read it."
    if thread.first_approval or thread.asked_owner:
        yield "Somebody is deciding on it already."


def _check_hours(hours: WorkingHours | None, now: datetime) -> Iterator[str]:
    if hours is None:
        yield "No working hours are set."
    elif open_from(hours, now) != now:
        yield "It is outside of working hours."
