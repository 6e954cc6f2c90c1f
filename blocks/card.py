"""The operator's card: a thread's document as a message, short and in the order in which it is read.

What will be said, where and to whom; the question; the draft from the very bytes that will be posted; how sure the
engine is; the evidence; what was checked and what was not; the decision. Called by `triage/cards`, which redraws it
until it matches the document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.controls import controls, waiting
from blocks.judgement import asks, badge, gloss, judgement, rounds, took
from blocks.text import (
    Block,
    clip,
    context,
    escape,
    moment,
    preformatted,
    quote,
    rich,
    section,
    size,
    span,
)

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.findings import EvidenceCheck, EvidenceRef
    from bot.models.thread import Draft, Thread, Waiting

MAX_CHARS = 12_500
"""Characters of JSON that a card may take; Slack refuses a message somewhere above 13,000."""

SNIPPET_LINES = 8


@dataclass(frozen=True)
class _Detail:
    """How many characters of the question, of each quoted snippet and of each word about the draft are shown."""

    question: int
    snippet: int
    said: int


_DETAILS = (_Detail(1_200, 400, 400), _Detail(600, 150, 200), _Detail(300, 0, 80), _Detail(200, 0, 40))
"""Tried in turn until the card fits; the draft itself is always shown whole."""


_RESULTS = {"ok": "checked", "failed": "FAILED", "not_checkable": "not checked"}


def card(thread: Thread, *, link: str) -> dict[str, Any]:
    """The `text` and `blocks` of the card; `link` is the address of the question."""
    blocks: list[Block] = []
    for detail in _DETAILS:
        blocks = _blocks(thread, link, detail)
        if size(blocks) <= MAX_CHARS:
            break
    return {"text": _summary(thread), "blocks": blocks}


def _blocks(thread: Thread, link: str, detail: _Detail) -> list[Block]:
    blocks = [section(_first_line(thread, link)), quote(clip(thread.question, detail.question))]
    blocks += gloss(thread)
    if thread.mode == "preview":
        blocks.append(context("*Practice*: in this channel Approve posts nothing."))
    match thread.status:
        case "pending-user" | "approved" | "in-doubt" | "closed":
            blocks += _draft(thread, detail) if thread.draft_pending else [*rounds(thread, detail.said), *took(thread)]
            blocks += waiting(thread, link)
        case "collecting" if thread.waiting and thread.due_at:
            blocks += [context(_in_line(thread.waiting, thread.due_at, thread)), controls(thread, "dismiss")]
        case "collecting":
            blocks += [context("Investigating as soon as the question is complete."), controls(thread, "dismiss")]
        case _:
            again = f" again: {escape(clip(thread.feedback, 500))}" if thread.feedback else "…"
            blocks += [context(f"Investigating{again}"), controls(thread, "dismiss")]
    return blocks


def _in_line(waiting: Waiting, turn: datetime, thread: Thread) -> str:
    """How many questions stand before it, whose they are, and when its turn comes."""
    of = {"user": f" of <@{thread.original_sender_id}>", "channel": f" in <#{thread.chat_id}>", "workspace": ""}
    count = f"{waiting.ahead} question{'' if waiting.ahead == 1 else 's'}" if waiting.ahead else "no other question"
    return f"*Waits:* {count}{of[waiting.level]} ahead of it. Its turn comes {moment(turn)}."


def _first_line(thread: Thread, link: str) -> str:
    where = f"<@{thread.original_sender_id}> in <#{thread.chat_id}> (<{link}|open the question>)"
    if thread.status == "pending-user" and thread.draft_pending:
        return f"*Post this reply to* {where}*?*"
    return f"*Question from* {where}"


def _draft(thread: Thread, detail: _Detail) -> list[Block]:
    draft = thread.draft_pending
    findings = thread.investigator_return
    if draft is None or findings is None:
        return []
    about = f"*Confidence: {findings.confidence}.* {escape(clip(findings.confidence_reason, 500))}"
    by = (
        f"Drafted by the {thread.engine} engine from {escape(thread.project or '')}, round {thread.investigator_round}."
    )
    instead = f"*Without the model:* {escape(clip(thread.fallback, 300))}." if thread.fallback else None
    return [
        *([section(instead)] if instead else []),
        {"type": "divider"},
        *shown_draft(draft),
        {"type": "divider"},
        section(about),
        *asks(thread, detail.said),
        *_evidence(findings.evidence_refs, thread.evidence_checks, detail),
        *judgement(thread, detail.said),
        *rounds(thread, detail.said),
        context(f"{badge(thread, detail.said)} {by}"),
        *took(thread),
        *([context(f"Taken for {escape(clip(thread.rubric, 200))}.")] if thread.rubric else []),
    ]


def shown_draft(draft: Draft) -> list[Block]:
    """The blocks that will be posted, taken from the sealed payload itself."""
    blocks: list[Block] = json.loads(draft.payload)["blocks"]
    return blocks


def _evidence(references: tuple[EvidenceRef, ...], checks: tuple[EvidenceCheck, ...], detail: _Detail) -> list[Block]:
    """One block: each reference with what code found there and a few of its lines."""
    if not references:
        return [context("*Evidence:* none.")]
    elements: list[Block] = []
    results = {check.ref: check for check in checks}
    for reference in references:
        check = results.get(reference.ref)
        said = f"{_RESULTS[check.result]}: {clip(check.reason, min(detail.said, 150))}" if check else "not checked"
        spans = [span(clip(reference.ref, 200), code=True), span(f"  {said}")]
        elements.append({"type": "rich_text_section", "elements": spans})
        if reference.quote and detail.snippet:
            elements.append(preformatted(_snippet(reference.quote, detail.snippet)))
    return [section("*Evidence*"), rich(*elements)]


def _snippet(text: str, limit: int) -> str:
    lines = text.split("\n")
    shown = "\n".join(lines[:SNIPPET_LINES]) + ("\n…" if len(lines) > SNIPPET_LINES else "")
    return clip(shown, limit)


def _summary(thread: Thread) -> str:
    """The notification: the point, and the action that is needed."""
    channel = f"#{escape(thread.chat_name)}"
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
