"""Opening of a created task's thread: the event that its order and its first message make."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.decide.workflow.routes import BY_ORDER
from bot.models.message import Message, Sender
from bot.models.thread_event import MessageAdded
from bot.models.viewed_page import SubjectProject

if TYPE_CHECKING:
    from bot.models.external import External
    from bot.models.task_order import TaskOrder


def build_task_message(order: TaskOrder, thread_id: str, *, chat_name: str, name: str = "") -> Message:
    """Return the words of an order as a message of the person who created it; `name` is theirs, if known."""
    team_id, chat_id, ts = thread_id.split("-")
    return Message(
        team_id=team_id,
        chat_id=chat_id,
        chat_name=chat_name,
        message_id=ts,
        create_time=datetime.fromtimestamp(float(ts), UTC),
        msg_type="text",
        content=order.words,
        thread_id=None,
        sender=Sender(id=order.created_by, type="user"),
        names={order.created_by: name},
        subject=SubjectProject(project=order.project, why=BY_ORDER, told=BY_ORDER) if order.project else None,
    )


def build_task_opening(
    order: TaskOrder, message: Message, *, at: datetime, fresh: str, operator: str, external: External | None = None
) -> MessageAdded:
    """Return the event that opens the thread."""
    return MessageAdded(
        at=at,
        fresh=fresh,
        message=message,
        mode="live",
        operator=operator,
        mentioned=False,
        external=external,
        order=order,
    )
