"""Past orders: answers of rules and typed commands to one person, for the history of their conversation.

Read from the audit by `chat/thread_history`. In a channel no thread contains these answers, and a model that does not
know them would execute the orders again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import READ
from bot.errors import TriageError
from bot.models.conversation import ChatMessage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.conversation_record import TurnRecord
    from bot.ports.outbound import Journal

log = logging.getLogger(__name__)

_MAX_RECORDS = 500
"""Number of audit records read, the newest ones."""
_MAX_LINES = 20
"""Number of them in one history, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class PastOrders:
    """Reader of past orders."""

    audit: Journal

    async def list_messages(self, turn: TurnRecord) -> list[ChatMessage]:
        """Return the outcomes of the asker's orders without a model since the turn's thread began.

        Orders in the thread are given with any outcome, others in the same place only if they changed something.
        """
        if turn.message.thread_id is None:
            return []
        try:
            records = await self.audit.tail(_MAX_RECORDS)
        except TriageError as problem:
            log.warning("turn %s goes without what the rules have answered: %s", turn.turn_id, problem)
            return []
        place = (turn.message.sender.id, turn.message.chat_id)
        own = [record for record in records if (record.get("user_id"), record.get("channel_id")) == place]
        return [spoken for record in own if (spoken := _to_message(record, turn))][-_MAX_LINES:]


def _to_message(record: Mapping[str, Any], turn: TurnRecord) -> ChatMessage | None:
    """Convert an audit record to a history message; `None` if the history has it already or does not need it."""
    if record.get("rejected"):
        return None
    ts, home = _find_ts(record), turn.message.home
    is_here = record.get("thread_id") == home or ts == turn.root_ts
    if not Decimal(turn.root_ts) <= Decimal(ts) < Decimal(turn.message.message_id):
        return None
    name, outcome = str(record.get("action")), str(record.get("outcome") or record.get("result"))
    is_talk, is_command = record.get("via") == "chat", record.get("kind") == "command"
    if is_here and not is_talk and (is_command or (record.get("kind") == "direct" and name != "thanks")):
        mark = f"[`{name}`, by rule: {outcome}]"
    elif (
        not is_here and is_command and outcome == "done" and record.get("tier") != READ and not record.get("unchanged")
    ):
        mark = f"[`{name}`, outside of this thread: done]"
    else:
        return None
    spec = CATALOGUE.get(name)  # its line may contain text by other people, which the model's history must not
    line = str(record.get("result") or "") if is_command and spec and not spec.untrusted else ""
    return ChatMessage(ts=ts, author_name="Triage", is_bot=True, text=f"{mark} {line}".rstrip())


def _find_ts(record: Mapping[str, Any]) -> str:
    """Return the record's time as a Slack ts; without a message, by this machine's clock."""
    channel, name = record.get("channel_id"), str(record.get("interaction_id"))
    ts = name.removeprefix(f"{channel}-")
    if ts != name and ts.replace(".", "", 1).isdigit():
        return ts
    return f"{datetime.fromisoformat(str(record['at'])).timestamp():.6f}"
