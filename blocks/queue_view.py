"""Queue of pending decisions: a list with the drafts that may be approved there, or card by card.

Shown on the App Home, and in the answer to `/triage queue`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from blocks.card import shown_draft
from blocks.controls import build_ending_buttons, decision, press_value
from blocks.figure_table import table
from blocks.progress import describe_progress
from blocks.question import name_source, own_words, state_source
from blocks.queue import age, entry, question_link
from blocks.text import Block, button, clip, context, escape, name_channel, section, shorten_line, size
from blocks.trust import trust
from bot.models.queue import BLOCK, QueueView
from bot.models.queue_order import may_approve_from_list, waits_since
from bot.models.status_words import state_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from bot.models.thread import Thread

_REASON = 120
_WAYS = {
    "queue_list": "of questions that wait",
    "queue_back": "in the queue of questions that wait",
    "queue_next": "in the queue of questions that wait",
    "queue_step": "the questions that wait, card by card",
    "queue_order": "in the queue of questions that wait",
}
"""Labels for screen readers, after a button's text."""


def queue_list(
    threads: Sequence[Thread],
    view: QueueView,
    *,
    of: int,
    page: int,
    room: int,
    url: str,
    now: datetime,
    reader: str = "",
) -> list[Block]:
    """Build one page of the questions, `of` in all, in at most `room` characters; drafts that do not fit are left out.

    A draft that `reader` has approved already has no Approve button.
    """
    blocks = [_list_controls(view, of, page)]
    bare = [entry(thread, url=url, now=now) for thread in threads]
    left = room - size([*blocks, *bare])
    for number, (thread, line) in enumerate(zip(threads, bare, strict=True)):
        blocks.append(line)
        first = thread.approved_first
        may_approve = may_approve_from_list(thread) and not (first and first.by == reader)
        approval = _to_approve(thread, view, number) if may_approve else []
        if approval and size(approval) <= left:
            left -= size(approval)
            blocks += approval
    last = view.at + len(threads)
    return [*blocks, context(f"{view.at + 1} to {last} of {of}.")] if of > page else blocks


def work_row(thread: Thread, *, url: str, now: datetime, held_reason: str | None) -> list[Block]:
    """Build the row of a question in work: its progress and the buttons to end it; `held_reason` is the reason why it
    waits."""
    question = escape(clip(own_words(thread), 60))
    who = f"<{question_link(thread, url)}|{name_source(thread, 40)}>"
    line = (
        f"*{age(now - waits_since(thread))}* · {who} in {name_channel(thread.chat_id)}: {question}\n"
        f"{describe_progress(thread, held_reason)}"
    )
    return [section(line), build_ending_buttons(thread)]


def queue_table(
    threads: Sequence[Thread], *, of: int, room: int, now: datetime, held_names: Collection[str] = ()
) -> Block:
    """Build a table of further questions, `of` in all, in at most `room` characters; those in `held_names` wait to be
    investigated."""
    rows = [
        (
            age(now - waits_since(thread)),
            "a direct message" if thread.chat_id.startswith("D") else f"#{thread.chat_name}",
            shorten_line(state_source(thread)),
            own_words(thread),
            "waiting for its turn" if thread.waiting or thread.thread_id in held_names else state_words(thread),
        )
        for thread in threads
    ]
    return table(("Age", "Channel", "Asked by", "Question", "State"), rows, of=of, room=room, align="left")


def queue_card(blocks: list[Block], view: QueueView, names: Sequence[str]) -> list[Block]:
    """Build one card of the queue with buttons to its neighbours; all buttons carry the view."""
    ways = [("Back to the List", "queue_list", QueueView(view.order))]
    if view.at > 0:
        ways.append(("Previous", "queue_back", QueueView(view.order, "card", view.at - 1, names[view.at - 1])))
    if view.at + 1 < len(names):
        ways.append(("Next", "queue_next", QueueView(view.order, "card", view.at + 1, names[view.at + 1])))
    card = [
        block | {"block_id": f"{BLOCK}{view.value}:{number}"} if _has_buttons(block) else block
        for number, block in enumerate(blocks)
    ]
    return [
        _way_buttons(view, ways),
        context(f"{view.at + 1} of {len(names)}. After each decision the next one follows."),
        *card,
    ]


def _list_controls(view: QueueView, of: int, page: int) -> Block:
    other = replace(view, order="certain" if view.order == "oldest" else "oldest", at=0)
    label = "Most Certain First" if view.order == "oldest" else "Oldest First"
    ways = [("Step Through", "queue_step", replace(view, shape="card"))]
    if of > 1:
        ways.append((label, "queue_order", other))
    if view.at > 0:
        ways.append(("Previous Page", "queue_back", replace(view, at=max(0, view.at - page))))
    if view.at + page < of:
        ways.append(("Next Page", "queue_next", replace(view, at=view.at + page)))
    return _way_buttons(view, ways)


def _way_buttons(view: QueueView, ways: list[tuple[str, str, QueueView]]) -> Block:
    buttons = [button(label, action, to.value, about=_WAYS[action]) for label, action, to in ways]
    return {"type": "actions", "block_id": f"{BLOCK}{view.value}:ways", "elements": buttons}


def _to_approve(thread: Thread, view: QueueView, number: int) -> list[Block]:
    """Build the draft in full, its evidence line, and Approve; the press is handled like one on a card."""
    if thread.draft_pending is None:
        return []
    approve = decision(thread, "approve", press_value(thread))
    row = {"type": "actions", "block_id": f"{BLOCK}{view.value}:{number}", "elements": [approve]}
    return [*shown_draft(thread.draft_pending), *trust(thread, _REASON), row]


def _has_buttons(block: Block) -> bool:
    return block["type"] == "actions" or "accessory" in block
