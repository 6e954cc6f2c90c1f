"""Outcome of a question in one sentence: the decision, its author and time; or the hand-over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.asker import settled_line
from blocks.incident import state_unchecked
from blocks.text import clip, escape, moment
from bot.models.reasons import DISMISSED

if TYPE_CHECKING:
    from bot.models.card import HandOver
    from bot.models.decision import Decision
    from bot.models.thread import Thread


def describe_outcome(thread: Thread, reply: str | None = None) -> str:
    """Describe the outcome as mrkdwn; `reply` is the address of the posted reply."""
    decision = thread.decision
    if (ending := _describe_undecided(thread)) or decision is None:
        return ending or "Closed."
    who = f"by <@{decision.by}> · {moment(decision.at)}"
    match thread.outcome:
        case "dismissed":
            return f"*Dismissed* {who}{_format_reason(decision)}. Nothing was posted."
        case "settled":
            return f"*Settled* {who}. Nothing was posted."
        case "skipped":
            return f"*Skipped* {who}: the tasks that depend on it may start. Nothing was posted."
        case "taken-over":
            silent = "Triage stays out of this thread until somebody mentions it"
            return f"*Taken over* {who}: they answer themselves. Nothing was posted; {silent}."
    if thread.approved_first and thread.approved_first.by != decision.by:
        who = f"by <@{thread.approved_first.by}> and <@{decision.by}> · {moment(decision.at)}"
    posted = f"<{reply}|The reply is posted.>" if reply else "The reply is posted."
    if decision.action == "auto_reply":
        ending = f" {posted}" if thread.status == "closed" else ""
        return f"*Answered without a press* · {moment(decision.at)}.{ending}"
    match thread.status, thread.outcome, decision.action:
        case "closed", "practice", _:
            return f"*Approved* {who}. Practice: nothing was posted."
        case "closed", _, "approve":
            return f"*Approved* {who}. {posted}{_note(thread)}"
        case _:
            return f"*Approved* {who}."


def handed_over_line(hand_over: HandOver, thread: Thread) -> str:
    """Name the new operator, the time and the previous one.

    That the previous one has approved is said of the question that they approved, with what it was.
    """
    when = moment(hand_over.at)
    if hand_over.for_second and hand_over.at >= thread.asked_at:
        what = ", the runbook" if _is_of_runbook(hand_over, thread) else ""
        return f"*Approved* by <@{hand_over.by}> · {when}{what}. <@{hand_over.to}> is asked to approve it, too."
    if hand_over.is_lost:
        return (
            f"*Handed over* to <@{hand_over.to}> · {when}, since Slack gives <@{hand_over.before}> no cards any more."
        )
    if hand_over.by is None:
        return f"*Handed over* to <@{hand_over.to}> · {when}, since nobody had decided."
    return f"*Handed over* to <@{hand_over.to}> by <@{hand_over.by}> · {when}."


def _is_of_runbook(hand_over: HandOver, thread: Thread) -> bool:
    """Return whether a hand-over asks for a second approval of a runbook, not of the reply."""
    remedies = thread.incident.remedies if thread.incident else ()
    return any((remedy.first_by, remedy.first_at) == (hand_over.by, hand_over.at) for remedy in remedies)


def _describe_undecided(thread: Thread) -> str | None:
    """Describe an end without an operator's decision; `None` if there was a decision."""
    match thread.outcome:
        case "withdrawn":
            return "*Withdrawn*: the question was deleted. Nothing was posted."
        case "muted":
            return "*Muted*: Triage is silent in this thread. Nothing was posted."
        case "recovered" if thread.closed_at and thread.is_about_alert:
            what = "all its alerts are resolved" if thread.alert and thread.alert.parts else "the alert is resolved"
            return f"*Recovered* {moment(thread.closed_at)}: {what}. Nothing was posted."
        case "recovered" if thread.closed_at:
            if thread.incident and thread.incident.is_over and not thread.incident.healthy_again:
                return f"*Closed* {moment(thread.closed_at)}: {state_unchecked(thread.incident)} Nothing was posted."
            what = "all is healthy again" if thread.incident else "the alert is resolved"
            return f"*Recovered* {moment(thread.closed_at)}: {what}. Nothing was posted."
        case "expired" if thread.closed_at:
            return f"*Expired* {moment(thread.closed_at)}: nobody decided in time. Nothing was posted."
        case "settled" if thread.settled_word and not (thread.decision and thread.decision.action == "settle"):
            return settled_line(thread, thread.settled_word)
        case _:
            return None


def _format_reason(decision: Decision) -> str:
    name = next((label.lower() for code, label in DISMISSED.items() if code == decision.code), "")
    if not decision.link:
        return f": {name}" if name else ""
    of = " of" if decision.code == "duplicate" else ""
    return f": {name}{of} <{escape(decision.link)}|{'this one' if of else 'here'}>"


def _note(thread: Thread) -> str:
    if thread.triage_file_path:
        return f" The note is kept in `{escape(thread.triage_file_path).replace('`', ' ')}`."
    if thread.note_problem:
        return f" The note could not be kept: {escape(clip(thread.note_problem, 300))}."
    return ""
