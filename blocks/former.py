"""The card of somebody who had the question before: to whom it went, and nothing to press. Called by `triage/cards`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import clip, context, moment, place, quote, rule, section, titled

if TYPE_CHECKING:
    from bot.models.card import HandOver
    from bot.models.thread import Thread

_QUESTION = 600
"""Characters of the question that it still shows."""


def former_card(thread: Thread, hand_over: HandOver, *, link: str) -> dict[str, Any]:
    """The `text` and `blocks` of the card; `link` is the address of the question."""
    where = f"<@{thread.original_sender_id}> in {place(thread.chat_id)} (<{link}|open the question>)"
    line = context(f"{handed_over_line(hand_over)} Nothing is left to do here.")
    blocks = [
        rule(),
        section(f"*Question from* {where}"),
        quote(clip(thread.question, _QUESTION)),
        line | {"block_id": f"outcome-{thread.revision}-{hand_over.card.nonce}"},
    ]
    return {"text": f"A question in {titled(thread.chat_id, thread.chat_name)} was handed over.", "blocks": blocks}


def handed_over_line(hand_over: HandOver) -> str:
    """Who has it now, since when and by whom."""
    when = moment(hand_over.at)
    if hand_over.for_second:
        return f"*Approved* by <@{hand_over.by}> · {when}. <@{hand_over.to}> is asked to approve it, too."
    if hand_over.by is None:
        return f"*Handed over* to <@{hand_over.to}> · {when}, since nobody had decided."
    return f"*Handed over* to <@{hand_over.to}> by <@{hand_over.by}> · {when}."
