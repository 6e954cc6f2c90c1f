"""The last part of a card: what the operator can do now, or what was done. Called by `blocks/card`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, button, clip, context, escape, moment, section

if TYPE_CHECKING:
    from bot.models.thread import Thread


def press_value(thread: Thread) -> str:
    """What the card's buttons carry: the draft's id and its nonce, nothing else."""
    draft = thread.draft_pending
    return f"{draft.draft_id} {draft.nonce}" if draft else f"{thread.thread_id}/0 {thread.card.nonce}"


def waiting(thread: Thread, link: str) -> list[Block]:
    """What the operator can do now, or what was done."""
    match thread.status:
        case "pending-user" if thread.draft_pending is None:
            why = escape(clip(thread.failure or "the investigation ended without a draft", 1_500))
            return [section(f"*No draft:* {why}"), controls(thread, "redraft", "dismiss")]
        case "pending-user" if thread.draft_pending and thread.draft_pending.withheld:
            return _held_back(thread, thread.draft_pending.withheld)
        case "pending-user" if thread.stale:
            warning = section(f"*Look again:* {escape(clip(thread.stale, 1_000))}")
            return [warning, controls(thread, "post_anyway", "redraft", "edit", "bounce", "dismiss")]
        case "pending-user":
            asked = thread.investigator_return and thread.investigator_return.open_questions
            more = [*(["answer"] if asked else []), "bounce", *(["redraft"] if _lacks_the_model(thread) else [])]
            return [controls(thread, "approve", "edit", *more, "dismiss")]
        case "approved" if thread.held_back:
            return [context(f"{decided(thread)} Held back; looking whether it was posted just before…")]
        case "approved":
            return [context(f"{decided(thread)} Posting…")]
        case "in-doubt":
            doubt = f"Slack did not confirm the reply, and it was not found. Please look in <{link}|the thread>."
            return [section(f"*In doubt:* {doubt}"), controls(thread, "was_posted", "post_again")]
        case _:
            return [context(decided(thread))]


def _lacks_the_model(thread: Thread) -> bool:
    """Whether a model was to draft or to judge and could not: another draft may have it."""
    return bool(thread.fallback or thread.unvalidated)


def _held_back(thread: Thread, kinds: str) -> list[Block]:
    """A secret stood in the draft: there is nothing to approve."""
    held = f"the draft held what looks like {escape(kinds)}. It is taken out above."
    stale = [section(f"*Look again:* {escape(clip(thread.stale, 1_000))}")] if thread.stale else []
    said = section(f"*Held back:* {held} Nothing is posted until the draft is edited or made again.")
    return [said, *stale, controls(thread, "edit", "redraft", "bounce", "dismiss")]


_BUTTONS = {
    "approve": "Approve",
    "post_anyway": "Post Anyway",
    "edit": "Edit",
    "bounce": "Bounce",
    "answer": "Answer",
    "redraft": "Redraft",
    "dismiss": "Dismiss",
    "was_posted": "It Was Posted",
    "post_again": "Post Again",
}


def controls(thread: Thread, *actions: str) -> Block:
    value = press_value(thread)
    made = [button(_BUTTONS[a], a, value, style="primary" if a == "approve" else None) for a in actions]
    return {"type": "actions", "block_id": f"controls-{thread.revision}-{thread.card.nonce}", "elements": made}


def decided(thread: Thread) -> str:
    decision = thread.decision
    if thread.outcome == "withdrawn":
        return "*Withdrawn*: the question was deleted. Nothing was posted."
    if thread.outcome == "muted":
        return "*Muted*: Triage is silent in this thread. Nothing was posted."
    if thread.outcome == "expired" and thread.closed_at:
        return f"*Expired* {moment(thread.closed_at)}: nobody decided in time. Nothing was posted."
    if decision is None:
        return "Closed."
    who = f"by <@{decision.by}> {moment(decision.at)}"
    match thread.status, thread.outcome, decision.action:
        case "closed", "practice", _:
            return f"*Approved* {who}. Practice: nothing was posted."
        case _, "dismissed", _:
            return f"*Dismissed* {who}. Nothing was posted."
        case "closed", _, "approve":
            return f"*Approved* {who}. The reply is posted."
        case _:
            return f"*Approved* {who}."
