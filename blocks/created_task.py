"""First message of a created task: its title, the person who created it, and what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import clip, context, escape, format_count, name_channel, section

if TYPE_CHECKING:
    from bot.models.order_record import OrderRecord

CREATED_TASK = "triage_task"
"""`event_type` of its metadata, whose payload has the `order_id`."""
NEXT_STEP = "The result is posted in this thread, once an operator has approved it."


def build_first_message(record: OrderRecord) -> dict[str, Any]:
    """Build the `text`, `blocks` and `metadata` of the message, without secrets in `record`."""
    order = record.order
    title = f"*{escape(order.title)}*: a task of <@{order.created_by}>."
    lines = [line for line in (_describe_wait(record), NEXT_STEP, _describe_refusal(record)) if line]
    return {
        "text": " ".join([f"{escape(order.title)}: a task of <@{order.created_by}>.", *lines]),
        "blocks": [section(title), context(" ".join(lines))],
        "metadata": {"event_type": CREATED_TASK, "event_payload": {"order_id": order.order_id}},
    }


def _describe_wait(record: OrderRecord) -> str:
    names = [f"`{escape(name)}`" for name in record.waits_for]
    if record.waits_for_others:
        names.append(format_count(record.waits_for_others, "other task" if names else "task"))
    listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1] if names else ""
    return f"It starts after {listed}." if listed else ""


def _describe_refusal(record: OrderRecord) -> str:
    if not record.refused_in:
        return ""
    return f"It was meant for {name_channel(record.refused_in)}, but {escape(clip(record.refusal, 300))}."
