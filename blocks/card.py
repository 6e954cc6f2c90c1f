"""The operator's card: a thread's document as a message, short and in the order in which it is read.

While a decision is outstanding: a header that says what is asked, who asks where, the question, the draft from the very
bytes that will be posted, one line of trust, the buttons. When it is settled: two lines (`blocks/settled`). Everything
else is in the dialog behind Show Evidence (`blocks/dossier`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blocks.again import asked_before
from blocks.controls import controls, waiting, without
from blocks.evidence import with_button
from blocks.judgement import asks, gloss, unsupported
from blocks.manner import oddities
from blocks.question import asked
from blocks.settled import settled
from blocks.text import Block, ago, clip, context, escape, header, moment, place, section, size, titled
from blocks.trust import trust

if TYPE_CHECKING:
    from bot.models.draft import Draft
    from bot.models.thread import Thread, Waiting

MAX_CHARS = 12_500
"""Characters of JSON that a card may take; Slack refuses a message somewhere above 13,000."""


@dataclass(frozen=True)
class _Detail:
    """How many characters each part may have."""

    question: int
    reason: int
    """Of each sentence about the draft."""


_DETAILS = (_Detail(question=600, reason=200), _Detail(question=200, reason=60), _Detail(question=80, reason=40))
"""Tried in turn until the card fits; the draft itself is always shown whole."""


def card(thread: Thread, *, link: str, held: str | None = None, may_delegate: bool = True) -> dict[str, Any]:
    """The `text` and `blocks` of the card; `link` is the address of the question.

    `held` says why its investigation waits, in plain words but for code in backticks. `may_delegate` says whether
    somebody else may decide.
    """
    blocks: list[Block] = []
    for detail in _DETAILS:
        blocks = _blocks(thread, link, detail, held)
        if size(blocks) <= MAX_CHARS:
            break
    return {"text": _summary(thread), "blocks": blocks if may_delegate else without("delegate", blocks)}


def _blocks(thread: Thread, link: str, detail: _Detail, held: str | None) -> list[Block]:
    if thread.status in ("approved", "closed"):
        return settled(thread, link)
    blocks = [header(_title(thread)), context(_asker(thread, link)), *asked(thread, detail.question)]
    blocks += [*gloss(thread, 2 * detail.reason), *asked_before(thread, detail.reason)[:1]]
    match thread.status:
        case "pending-user" | "in-doubt":
            return [*blocks, *_draft(thread, detail), *waiting(thread, link)]
        case "collecting" if thread.waiting and thread.due_at:
            progress = _in_line(thread.waiting, thread.due_at, thread)
        case "collecting":
            progress = "Investigating as soon as the question is complete."
        case "investigating" | "bounced-round-1" if held:
            progress = f"*Waits:* {escape(clip(held, 300))}."
        case _:
            again = f" again: {escape(clip(thread.feedback, 500))}" if thread.feedback else "…"
            progress = f"Investigating{_route(thread)}{again}"
    return [*blocks, context(progress), controls(thread, "dismiss")]


def _title(thread: Thread) -> str:
    """Name the state and what is asked for, so that cards are told apart at a glance."""
    draft = thread.draft_pending
    if thread.status == "in-doubt":
        return "In doubt: was this reply posted?"
    if thread.status != "pending-user":
        return "In progress: no draft yet"
    if draft is None:
        return "Failed: there is no draft"
    if draft.withheld:
        return "Held back: a secret stood in this draft"
    if thread.mode == "preview":
        return "Practice: would you post this reply?"
    return "Waiting for you: post this reply?"


def _asker(thread: Thread, link: str) -> str:
    """Who asks, where and since when, with a link to the question."""
    since = datetime.fromtimestamp(
        min(float(message.message_id) for message in thread.messages if message.round == thread.question_round), UTC
    )
    who = f"<@{thread.original_sender_id}> in {place(thread.chat_id)} · {ago(since)} · <{link}|open the question>"
    return f"{who} · *Practice*, Approve posts nothing" if thread.mode == "preview" else who


def _in_line(waiting: Waiting, turn: datetime, thread: Thread) -> str:
    """How many questions stand before it, whose they are, and when its turn comes."""
    of = {"user": f" of <@{thread.original_sender_id}>", "channel": f" in {place(thread.chat_id)}", "workspace": ""}
    count = f"{waiting.ahead} question{'' if waiting.ahead == 1 else 's'}" if waiting.ahead else "no other question"
    return f"*Waits:* {count}{of[waiting.level]} ahead of it. Its turn comes {moment(turn)}."


def _route(thread: Thread) -> str:
    """Where it is investigated, and as whom, where there are rules."""
    return f" in {escape(thread.route.project)} as {escape(thread.route.role_name)}" if thread.route else ""


def _draft(thread: Thread, detail: _Detail) -> list[Block]:
    """The draft as it will be posted, then only what the decision hangs on."""
    draft = thread.draft_pending
    if draft is None:
        why = escape(clip(thread.failure or "the investigation ended without a draft", 1_500))
        return [with_button(thread, section(f"*No draft:* {why}"))]
    instead = f"*Without the model:* {escape(clip(thread.fallback, 2 * detail.reason))}." if thread.fallback else None
    odd = oddities(draft.text)
    return [
        *([context(instead)] if instead else []),
        {"type": "divider"},
        *shown_draft(draft),
        {"type": "divider"},
        *trust(thread, detail.reason),
        *unsupported(thread, most=3, limit=40),
        *([context(f"*Style:* {escape('; '.join(odd))}.")] if odd else []),
        *(
            [context(f"*Old code:* of {moment(thread.code_of)}; it could not be fetched since.")]
            if thread.code_of
            else []
        ),
        *asks(thread, detail.reason),
    ]


def shown_draft(draft: Draft) -> list[Block]:
    """The blocks that will be posted, taken from the sealed payload itself."""
    blocks: list[Block] = json.loads(draft.payload)["blocks"]
    return blocks


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
