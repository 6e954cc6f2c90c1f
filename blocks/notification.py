"""Notification of a card: its `text`, which is all that a locked phone shows.

Names the asker, channel, question, decision and confidence in plain words, since a notification has no markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.evidence import describe_opened
from blocks.incident import title_incident
from blocks.question import find_denial, name_source, own_words
from blocks.text import clip, escape, name_channel_plainly
from blocks.verdict import is_validated
from bot.models.faults import has_answer

if TYPE_CHECKING:
    from bot.models.incident import Incident
    from bot.models.thread import Thread

_QUESTION = 150
_WHY = 200


def notification(thread: Thread) -> str:
    """Return the notification for the thread's state."""
    return f"{describe_question(thread)} {_attempt(thread)}{_state(thread)}{_runbook(thread)}"


def describe_question(thread: Thread) -> str:
    """Name the asker, the channel and the question."""
    where = name_channel_plainly(thread.chat_id, thread.chat_name)
    question = escape(clip(own_words(thread), _QUESTION)) or "…"
    practice = "Practice: " if thread.mode == "preview" else ""
    ends = "" if question.endswith((".", "!", "?", "…")) else "."
    back = find_denial(thread)
    after = f" The reply that did not help answered: {escape(clip(back[1], _QUESTION))}" if back else ""
    after = f"{after}." if back and not after.endswith((".", "!", "?", "\u2026")) else after
    company = " of another company" if thread.external and thread.external.asker else ""
    return f"{practice}{name_source(thread)}{company} in {where}: {question}{ends}{after}"


def _attempt(thread: Thread) -> str:
    """Say that a runbook has ended and that the outage goes on, before the decision; empty where none has."""
    incident = thread.incident
    attempt = incident.last_attempt if incident and thread.is_about_incident else None
    if incident is None or attempt is None or thread.status not in ("pending-user", "in-doubt"):
        return ""
    name = escape(attempt.runbook)
    if attempt.outcome == "not-started":
        return f"The runbook {name} did not start. "
    if attempt.is_healthy_after is None:
        return f"The runbook {name} ran; the checks after it could not be made. "
    return f"The runbook {name} ran, and did not help: {escape(clip(title_incident(incident), _WHY))}. "


def _runbook(thread: Thread) -> str:
    """Name the runbook that waits for a decision, or is approved, which a pause may hold; empty without one."""
    if not thread.is_about_incident or thread.incident is None or thread.incident.proposal is None:
        return ""
    name = escape(thread.incident.proposal.runbook)
    return (
        f" A runbook is proposed: {name}." if thread.incident.waits_for_press else f" The runbook {name} is approved."
    )


def _state(thread: Thread) -> str:
    match thread.status:
        case "pending-user":
            return _decision(thread)
        case "in-doubt":
            return "The reply may not have been posted; please look."
        case "approved":
            return "Approved; the reply is being posted."
        case "closed":
            return describe_end(thread)
        case "collecting" if thread.waiting:
            return "It waits for its turn."
        case "escalated":
            return "A longer run works on it."
        case _:
            return "It is being investigated."


def describe_end(thread: Thread) -> str:
    """Name the outcome of a closed question."""
    if thread.is_about_incident and thread.incident and _is_unknown(thread.incident):
        return "Closed: it is no longer checked."
    outcome = (thread.outcome or "closed").replace("-", " ")
    if thread.outcome == "settled":
        is_by_operator = thread.decision is not None and thread.decision.action == "settle"
        outcome = f"closed by {'an operator' if is_by_operator else 'the asker'}"
    return f"Settled: {escape(outcome)}."


def _is_unknown(incident: Incident) -> bool:
    """Return whether an incident ended since none of its services is checked any more."""
    return bool(incident.unchecked) and not incident.healthy_again


def _decision(thread: Thread) -> str:
    """Name the decision to make, and the draft's confidence."""
    draft = thread.draft_pending
    if draft is None:
        return f"No draft: {_to_one_line(thread.failure or 'the investigation ended without one')}"
    if draft.withheld:
        return "Draft held back: it contains what looks like a secret."
    if thread.stale:
        return f"Look again: {_to_one_line(thread.stale)}"
    if not has_answer(thread):
        return "It waits for you." if _attempt(thread) else "Nothing was found that answers it; it waits for you."
    has_result = thread.escalation and thread.escalation.has_result
    if thread.is_escalated and thread.escalation_problem and not has_result:
        return f"The longer run has no result, so the draft of before waits: {_certainty(thread)}."
    ready = "New draft ready" if thread.drafts_made > 1 else "Draft ready"
    if draft.is_edited:
        ready = "Edited draft"
    if thread.approved_first:
        ready = "Draft approved by one; a second person is asked"
    return f"{ready}: {_certainty(thread)}."


def _certainty(thread: Thread) -> str:
    """Count the references that passed, and name the validator's result and the confidence."""
    findings = thread.investigator_return
    if thread.opening:
        return "what the new text cites is being opened"
    parts = [describe_opened(thread) if thread.references else "no reference"]
    if thread.draft_pending and thread.draft_pending.edited_by:  # the edited text was not validated
        return parts[0]
    if thread.verdict and thread.validator_return:
        passed = "validated" if is_validated(thread) else "no spot-check"
        parts.append(passed if thread.verdict.verdict == "pass" else "not validated")
    return ", ".join([*parts, *([findings.confidence] if findings else [])])


def _to_one_line(text: str) -> str:
    line = escape(clip(" ".join(text.split()), _WHY))
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
