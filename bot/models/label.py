"""Label of a message given by a person, as a line of `labels.ndjson`, which `triage retrain` learns from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from bot.models.message import Message, Sender

if TYPE_CHECKING:
    from bot.models.classification import Class
    from bot.models.thread import Thread

WITHDRAWN: Final = "withdrawn"
"""Label of a line that withdraws the same person's label of the same message."""

Why = Literal["missed_this", "not_for_us", "sampled"]
"""The person's statement: a message was missed, a question is not for this team, or a sampled message was rightly left
alone."""


def label_record(
    message: Message, label: Class | Literal["withdrawn"], *, by: str, at: datetime, why: Why, interaction_id: str
) -> dict[str, Any]:
    """Build the line. `message` has the same form as in `events-classified.ndjson`."""
    return {
        "at": at.isoformat(),
        "label": label,
        "by": by,
        "why": why,
        "thread_id": message.home,
        "interaction_id": interaction_id,
        "message": message.model_dump(mode="json"),
    }


def question_of(thread: Thread) -> Message | None:
    """Return the first message of the thread's current question; `None` if none by its asker is left."""
    messages = [message for message in thread.messages if message.round == thread.question_round]
    first = next((message for message in messages if message.sender_id == thread.original_sender_id), None)
    if first is None:
        return None
    is_root = first.message_id == thread.root_ts
    return Message(
        team_id=thread.team_id,
        chat_id=thread.chat_id,
        chat_name=thread.chat_name,
        message_id=first.message_id,
        create_time=datetime.fromtimestamp(float(first.message_id), UTC),
        msg_type="text" if is_root else "thread_reply",
        content=first.content,
        thread_id=None if is_root else thread.thread_id,
        sender=Sender(id=first.sender_id, type="bot" if first.sender_id.startswith("B") else "user"),
    )
