"""Message with a weekly sample: each sampled message with *Fine* and *Missed*, or with its judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import button, context, escape, format_count, mention, name_channel, section, shorten_line, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blocks.text import Block
    from bot.models.message_sample import MessageSample, SampledMessage

MAX_CHARS = 12_500
"""Characters of all blocks as JSON; Slack takes some 13,000 a message."""
_BUDGETS = (400, 240, 120, 60)
"""Characters of a message's words, tried in turn until all fit."""
_GONE = "_Its words are no longer kept._"
_HEAD = (
    "*Did Triage miss anything?* It left these messages of the last week alone, drawn by lot from {messages}. "
    "*Missed*: somebody wanted an answer; it is investigated now if Triage answers there. *Fine*: nothing was wanted."
)
_NOTE = "The answers give the rate of missed messages, and the classifier learns from them. Leave out what is unclear."


def build_sample(sample: MessageSample, words: Mapping[tuple[str, str], str], url: str) -> dict[str, Any]:
    """Build the `text` and `blocks` of a sample.

    `words` are the redacted texts by channel and ts; `url` is the workspace's address, which ends with a slash.
    """
    head = _HEAD.format(messages=format_count(sample.messages, "message"))
    blocks: list[Block] = []
    for budget in _BUDGETS:
        blocks = [section(head)]
        for number, row in enumerate(sample.rows):
            blocks += _build_row(sample, number, row, words.get((row.chat_id, row.message_id)), url, budget)
        blocks.append(context(_NOTE))
        if size(blocks) <= MAX_CHARS:
            break
    judged = sum(row.judgement is not None for row in sample.rows)
    return {
        "text": f"Did Triage miss anything? {judged} of {len(sample.rows)} messages of the weekly sample are judged.",
        "blocks": blocks,
    }


def _build_row(
    sample: MessageSample, number: int, row: SampledMessage, words: str | None, url: str, budget: int
) -> list[Block]:
    link = escape(f"{url}archives/{row.chat_id}/p{row.message_id.replace('.', '')}")
    said = escape(shorten_line(words, budget)) if words is not None else _GONE
    line = f"{number + 1}. {name_channel(row.chat_id)} <{link}|open> {said}"
    if row.judgement and row.by:
        judged = f"*{row.judgement.capitalize()}*, by {mention(row.by)}. {row.said}".strip()
        return [context(f"{line}\n{judged}")]
    if row.is_void:
        return [context(f"{line}\n_Edited or deleted since; it counts nowhere._")]
    if words is None:
        return [context(line)]
    value, about = f"{sample.day} {number}", f"message {number + 1}"
    buttons = [button("Fine", "fine", value, about=about), button("Missed", "missed", value, about=about)]
    return [section(line), {"type": "actions", "elements": buttons}]
