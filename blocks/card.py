"""Card of the operator: a thread's document as a short message.

While a decision is outstanding: a header with the request, the asker and channel, the question, the draft exactly as it
will be posted, one line on its evidence, the buttons. Once settled: two lines (`blocks/settled_card`). Everything else
is in the dialog behind Show Evidence (`blocks/evidence_dialog`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blocks.alert import build_alert_line
from blocks.controls import build_decision_part, controls, offer_deeper, remove_from_menu, without_approve
from blocks.evidence import with_button
from blocks.external_people import first_line, kept_back
from blocks.faults import build_fault_list
from blocks.fix import build_fix_part
from blocks.formatting_warnings import find_style_warnings
from blocks.longer_run import describe_escalation
from blocks.notification import notification
from blocks.progress import describe_progress
from blocks.question import build_question, describe_source
from blocks.remedy import build_remedy
from blocks.repeated_question import asked_before
from blocks.search import build_search_result
from blocks.settled_card import build_denial_line, build_settled_card
from blocks.text import (
    SECTION,
    Block,
    clip,
    context,
    escape,
    format_age,
    header,
    moment,
    rule,
    section,
    size,
)
from blocks.trust import trust
from blocks.verdict import describe_answer_faults, gloss, list_questions
from bot.models.faults import has_answer
from bot.models.status_words import name_kind

if TYPE_CHECKING:
    from bot.models.draft import Draft
    from bot.models.thread import Thread

MAX_CHARS = 12_500
"""Characters of JSON in a card; Slack refuses a message somewhere above 13,000."""


@dataclass(frozen=True)
class _Detail:
    """Character limits of a card's parts."""

    question: int
    reason: int
    """Limit for each sentence about the draft."""


_HEAD = 3
"""Number of blocks at the top of every pending card, not counting a line on external people: divider, title, asker."""

_DETAILS = (_Detail(question=600, reason=200), _Detail(question=200, reason=60), _Detail(question=80, reason=40))
"""Tried in turn until the card fits; the draft itself is always shown in full."""


def build_card(
    thread: Thread,
    *,
    link: str,
    held_reason: str | None = None,
    may_delegate: bool = True,
    reader: str = "",
    lacks_second: bool = False,
    unreachable_reason: str = "",
    is_short: bool = False,
    may_dig_deeper: bool = False,
    may_propose_fix: bool = False,
    fix_refusal: str = "",
    fix_held_reason: str | None = None,
    is_fix_ended: bool = False,
    fix_link: str = "",
) -> dict[str, Any]:
    """Build the `text` and `blocks` of the card; `link` is the address of the question.

    `held_reason` is the reason why its investigation waits, in plain words with code in backticks. `may_delegate` is
    true if somebody else may decide, `reader` the only person who sees the card, `lacks_second` true if it waits for a
    second approval that nobody may give, `unreachable_reason` the reason why nothing can be posted there at the moment
    (mrkdwn). `is_short` shows the draft as plain text, with the buttons and little else. `may_dig_deeper` is true if a
    longer run may start, `may_propose_fix` if a fix of the named defect may begin, unless `fix_refusal` says why none
    can be drafted. `fix_held_reason` is the reason why a draft has not begun; `is_fix_ended` is true if a stop of
    Triage ended it; `fix_link` is the address of the fix's message, empty until it is known."""
    blocks: list[Block] = []
    fix: list[Block] = []
    for detail in _DETAILS:
        blocks = _short(thread, link) if is_short else _blocks(thread, link, detail, held_reason)
        fix = build_fix_part(
            thread,
            detail.reason,
            may_propose=may_propose_fix,
            refusal=fix_refusal,
            held_reason=fix_held_reason,
            is_ended=is_fix_ended,
            link=fix_link,
        )
        if size([*blocks, *fix]) <= MAX_CHARS:
            break
    if unreachable_reason and thread.status in ("pending-user", "in-doubt"):
        blocks.insert(_HEAD + len(first_line(thread)), section(unreachable_reason))
    if may_dig_deeper:
        blocks = offer_deeper(thread, blocks)
    first = thread.approved_first
    if first and (lacks_second or first.by == reader) and thread.status == "pending-user":
        blocks = without_approve(blocks, lacks_second=lacks_second)
    shown = blocks if may_delegate else remove_from_menu("delegate", blocks)
    return {"text": notification(thread), "blocks": [*shown, *fix]}


def _blocks(thread: Thread, link: str, detail: _Detail, held_reason: str | None) -> list[Block]:
    if thread.status in ("approved", "closed"):
        return build_settled_card(thread, link)
    blocks = [*_head(thread, link), *build_question(thread, detail.question), *build_alert_line(thread)]
    blocks += [
        *build_denial_line(thread, link),
        *gloss(thread, 2 * detail.reason),
        *asked_before(thread, detail.reason)[:1],
    ]
    match thread.status:
        case "pending-user" | "in-doubt":
            remedy = build_remedy(thread, detail.reason, held_reason)
            return [*blocks, *_draft(thread, detail), *remedy, *build_decision_part(thread, link)]
        case _:
            remedy = build_remedy(thread, detail.reason, held_reason)
            progress = context(describe_progress(thread, held_reason))
            return [*blocks, progress, *remedy, controls(thread, "stop", "dismiss")]


def _short(thread: Thread, link: str) -> list[Block]:
    """Build a minimal card in blocks that Slack has no reason to refuse."""
    if thread.status not in ("pending-user", "in-doubt"):
        return _blocks(thread, link, _DETAILS[-1], None)
    text = thread.draft_pending.text if thread.draft_pending else thread.failure or ""
    parts = [text[at : at + SECTION] for at in range(0, len(text), SECTION)]
    why = context("Slack rejected the full card: it is shown without formatting.")
    remedy = build_remedy(thread, _DETAILS[-1].reason)
    return [*_head(thread, link), *map(_plain_section, parts), why, *remedy, *build_decision_part(thread, link)]


def _head(thread: Thread, link: str) -> list[Block]:
    return [rule(), *first_line(thread), header(_title(thread)), context(_asker(thread, link))]


def _plain_section(text: str) -> Block:
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


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
        return "Held back: this draft contained a secret"
    if thread.mode == "preview":
        return "Practice: would you post this reply?" if has_answer(thread) else "Practice: nothing was found"
    if thread.is_about_incident and thread.incident and thread.incident.waits_for_press:
        answer = "post this reply, " if has_answer(thread) else ""
        return f"Waiting for you: {answer}run this program?"
    if thread.is_about_incident and thread.incident and thread.incident.last_attempt:
        return "Waiting for you: a runbook did not help"
    if not has_answer(thread):
        return "Waiting for you: nothing was found"
    return "Waiting for you: post this reply?"


def _asker(thread: Thread, link: str) -> str:
    """Name the asker or the unhealthy services, the channel, the time and several messages as one question, with a link
    to it."""
    since = datetime.fromtimestamp(
        min(float(message.message_id) for message in thread.messages if message.round == thread.question_round), UTC
    )
    if thread.is_about_incident:
        return f"{describe_source(thread)} · <{link}|open the incident>"
    kind, count = name_kind(thread), len(thread.question_messages)
    together = f" · {count} messages as one {kind}" if count > 1 else ""
    who = f"{describe_source(thread)} · {format_age(since)}{together} · <{link}|open the {kind}>"
    return f"{who} · *Practice*, Approve posts nothing" if thread.mode == "preview" else who


def _draft(thread: Thread, detail: _Detail) -> list[Block]:
    """Build the draft as it will be posted, then only what the decision depends on."""
    draft = thread.draft_pending
    if draft is None:
        why = escape(clip(thread.failure or "the investigation ended without a draft", 1_500))
        longer = [context(line) for line in describe_escalation(thread, 2 * detail.reason)]
        return [with_button(thread, section(f"*No draft:* {why}")), *longer]
    paused = [context(line) for line in describe_escalation(thread, 2 * detail.reason)]
    paused += [context(_format_paused(thread))] if thread.paused_project else []
    paused += [context(line)] if (line := kept_back(thread)) else []
    instead = _format_fallback(thread, 2 * detail.reason)
    if not has_answer(thread):
        return [
            *([context(instead)] if instead else []),
            *paused,
            *build_search_result(thread, detail.reason),
            *list_questions(thread, detail.reason),
        ]
    odd = find_style_warnings(draft.text)
    return [
        *([context(instead)] if instead else []),
        *paused,
        *build_fault_list(thread, detail.reason),
        rule(),
        *shown_draft(draft),
        rule(),
        *trust(thread, detail.reason),
        *describe_answer_faults(thread, detail.reason),
        *([context(f"*Style:* {escape('; '.join(odd))}.")] if odd else []),
        *(
            [context(f"*Old code:* of {moment(thread.code_of)}; it could not be fetched since.")]
            if thread.code_of
            else []
        ),
        *list_questions(thread, detail.reason),
    ]


def _format_fallback(thread: Thread, limit: int) -> str | None:
    """Say why the model made no draft, and where the text of its run is."""
    if not thread.fallback:
        return None
    notes = " Its unchecked notes are behind Show Evidence." if thread.unchecked_notes else ""
    return f"*Without the model:* {escape(clip(thread.fallback, limit))}.{notes}"


def _format_paused(thread: Thread) -> str:
    """Say that another project fits better, and how to search there."""
    name, project = escape(thread.paused_project or ""), escape(thread.project or "the others")
    return f"*Paused:* {name} fits this better than {project}; `/triage resume_project {name}` and Bounce search there."


def shown_draft(draft: Draft) -> list[Block]:
    """Return the blocks that will be posted, taken from the sealed payload itself."""
    blocks: list[Block] = json.loads(draft.payload)["blocks"]
    return blocks
