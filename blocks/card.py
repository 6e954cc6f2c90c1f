"""The operator's card: a thread's document as a message, short and in the order in which it is read.

What will be said, where and to whom; the question; the draft from the very bytes that will be posted; how sure the
engine is, what was checked and what was not; what the validator attacked; the evidence; the decision. What does not fit
into a glance is in the dialog behind Show Evidence (`blocks/dossier`). Called by `triage/cards`, which redraws it until
it matches the document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blocks.again import asked_before, serves_again
from blocks.controls import controls, waiting
from blocks.evidence import brief, pointer
from blocks.judgement import asks, badge, gloss, judgement, rounds, took
from blocks.manner import oddities
from blocks.question import asked
from blocks.text import Block, ago, clip, context, escape, moment, place, section, size, titled

if TYPE_CHECKING:
    from bot.models.draft import Draft
    from bot.models.thread import Thread, Waiting

MAX_CHARS = 12_500
"""Characters of JSON that a card may take; Slack refuses a message somewhere above 13,000."""


@dataclass(frozen=True)
class _Detail:
    """How many characters each part may have; 0 leaves a part out."""

    question: int
    said: int
    """Of each word about the draft."""
    claim: int
    """Of what a reference shows."""
    quote: int
    """Of each quoted snippet."""
    bare: bool = False
    """Whether only what the decision hangs on is shown, and the rest is behind Show Evidence."""


_DETAILS = (
    _Detail(question=600, said=200, claim=100, quote=300),
    _Detail(question=400, said=120, claim=60, quote=0),
    _Detail(question=200, said=60, claim=0, quote=0),
    _Detail(question=120, said=40, claim=0, quote=0),
    _Detail(question=80, said=40, claim=0, quote=0, bare=True),
)
"""Tried in turn until the card fits; the draft itself is always shown whole."""


def card(thread: Thread, *, link: str, held: str | None = None) -> dict[str, Any]:
    """The `text` and `blocks` of the card; `link` is the address of the question.

    `held` says why its investigation waits, in plain words but for code in backticks.
    """
    blocks: list[Block] = []
    for detail in _DETAILS:
        blocks = _blocks(thread, link, detail, held)
        if size(blocks) <= MAX_CHARS:
            break
    return {"text": _summary(thread), "blocks": blocks}


def _blocks(thread: Thread, link: str, detail: _Detail, held: str | None) -> list[Block]:
    blocks = [section(_first_line(thread, link)), *asked(thread, detail.question)]
    blocks += [*gloss(thread, 2 * detail.said), *asked_before(thread, detail.said)]
    if thread.mode == "preview":
        blocks.append(context("*Practice*: in this channel Approve posts nothing."))
    match thread.status:
        case "pending-user" | "approved" | "in-doubt" | "closed":
            blocks += _draft(thread, detail) if thread.draft_pending else _without_a_draft(thread, detail)
            blocks += waiting(thread, link)
        case "collecting" if thread.waiting and thread.due_at:
            blocks += [context(_in_line(thread.waiting, thread.due_at, thread)), controls(thread, "dismiss")]
        case "collecting":
            blocks += [context("Investigating as soon as the question is complete."), controls(thread, "dismiss")]
        case "investigating" | "bounced-round-1" if held:
            blocks += [context(f"*Waits:* {escape(clip(held, 300))}."), controls(thread, "dismiss")]
        case _:
            again = f" again: {escape(clip(thread.feedback, 500))}" if thread.feedback else "…"
            blocks += [context(f"Investigating{_route(thread)}{again}"), controls(thread, "dismiss")]
    return blocks


def _in_line(waiting: Waiting, turn: datetime, thread: Thread) -> str:
    """How many questions stand before it, whose they are, and when its turn comes."""
    of = {"user": f" of <@{thread.original_sender_id}>", "channel": f" in {place(thread.chat_id)}", "workspace": ""}
    count = f"{waiting.ahead} question{'' if waiting.ahead == 1 else 's'}" if waiting.ahead else "no other question"
    return f"*Waits:* {count}{of[waiting.level]} ahead of it. Its turn comes {moment(turn)}."


def _route(thread: Thread) -> str:
    """Where it is investigated, and as whom, where there are rules."""
    return f" in {escape(thread.route.project)} as {escape(thread.route.role_name)}" if thread.route else ""


def _first_line(thread: Thread, link: str) -> str:
    where = f"<@{thread.original_sender_id}> in {place(thread.chat_id)} (<{link}|open the question>)"
    if thread.status == "pending-user" and thread.draft_pending:
        if thread.mode == "preview":
            return f"*Would you post this reply to* {where}*?*"
        return f"*Post this reply to* {where}*?*"
    return f"*Question from* {where}"


def _draft(thread: Thread, detail: _Detail) -> list[Block]:
    """The draft as it will be posted, then what speaks for it and against it, shortest first."""
    draft = thread.draft_pending
    findings = thread.investigator_return
    if draft is None or findings is None:
        return []
    instead = f"*Without the model:* {escape(clip(thread.fallback, 2 * detail.said))}." if thread.fallback else None
    sure = f"*Confidence: {findings.confidence}.* {escape(clip(findings.confidence_reason, 2 * detail.said))}"
    odd = oddities(draft.text)
    return [
        *([section(instead)] if instead else []),
        {"type": "divider"},
        *shown_draft(draft),
        {"type": "divider"},
        *([context(f"*Not a person's manner:* {escape('; '.join(odd))}. Edit takes it out.")] if odd else []),
        section(f"{sure}\n{badge(thread, detail.said)}"),
        *([pointer(thread)] if detail.bare else _grounds(thread, detail)),
        context(_origin(thread)),
        *_times(thread),
    ]


def _grounds(thread: Thread, detail: _Detail) -> list[Block]:
    """What is asked back, what was attacked, what it rests on, what it was before."""
    return [
        *asks(thread, detail.said),
        *judgement(thread, detail.said),
        *brief(thread, claim=detail.claim, quote=detail.quote),
        *rounds(thread, detail.said),
    ]


def _without_a_draft(thread: Thread, detail: _Detail) -> list[Block]:
    said = took(thread)
    return [*rounds(thread, detail.said), *([context(said)] if said else []), *_times(thread)]


def shown_draft(draft: Draft) -> list[Block]:
    """The blocks that will be posted, taken from the sealed payload itself."""
    blocks: list[Block] = json.loads(draft.payload)["blocks"]
    return blocks


def _origin(thread: Thread) -> str:
    """Who drafted it from what, as which kind of question, and what that took."""
    commits = {source.commit for source in thread.sources}
    at = f" at `{next(iter(commits))[:8]}`" if len(commits) == 1 else ""
    old = f" (code of {moment(thread.code_of)}; it could not be fetched since)" if thread.code_of else ""
    project = f"{escape(thread.project or '')}{at}{old}"
    role = f" as {escape(thread.route.role_name)}, {escape(clip(thread.route.why, 120))}" if thread.route else ""
    by = f"Drafted by the {thread.engine} engine from {project}{role}, round {thread.investigator_round}."
    if serves_again(thread):
        by = f"Answered before, from {project}{role}; no model was asked."
    kind = thread.rubric.partition(", since ")[0] if thread.question_type != "other" else ""
    taken = f"Taken for {escape(clip(kind, 60))}." if kind else ""
    return " ".join(part for part in (by, took(thread), taken) if part)


def _times(thread: Thread) -> list[Block]:
    """How old the question is, and when its card expires, while a decision is outstanding."""
    if thread.status != "pending-user":
        return []
    last = thread.expires_at or thread.due_at
    expires = f" Expires {moment(last)}." if last else ""
    asked = datetime.fromtimestamp(
        min(float(message.message_id) for message in thread.messages if message.round == thread.question_round), UTC
    )
    return [context(f"Asked {ago(asked)}.{expires}")]


def _summary(thread: Thread) -> str:
    """The notification: the point, and the action that is needed."""
    channel = titled(thread.chat_id, thread.chat_name)
    match thread.status:
        case "pending-user" if thread.draft_pending:
            return f"A draft for {channel} waits for your decision."
        case "pending-user":
            return f"A question in {channel} has no draft; it waits for your decision."
        case "in-doubt":
            return f"A reply for {channel} may not have been posted; please look."
        case "approved":
            return f"The reply for {channel} is being posted."
        case "closed" if thread.outcome == "expired":
            return f"A question in {channel} expired without a decision."
        case "closed":
            return f"A question in {channel} is settled."
        case "collecting" if thread.waiting:
            return f"A question in {channel} waits for its turn."
        case _:
            return f"A question in {channel} is being investigated."
