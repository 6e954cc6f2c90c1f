"""Past orders: what the rules and typed commands answered one person, as the history of their talk tells it.

Read from the audit by `chat/thread_history`. In a channel no thread holds these answers, and a model that knows
nothing of them does what they did a second time.
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

    from bot.models.talk import TalkTurn
    from bot.ports.outbound import Journal

log = logging.getLogger(__name__)

_READ = 500
"""Lines of the audit that are read, the newest ones."""
_MOST = 20
"""So many of them stand in one history, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class PastOrders:
    """Finds them."""

    audit: Journal

    async def of(self, turn: TalkTurn) -> list[ChatMessage]:
        """What came of the orders of a turn's asker that no model was asked for, since its thread began.

        Of those in the thread each outcome, of others in the same place what they have changed.
        """
        if turn.message.thread_id is None:
            return []
        try:
            records = await self.audit.tail(_READ)
        except TriageError as problem:
            log.warning("turn %s goes without what the rules have answered: %s", turn.turn_id, problem)
            return []
        place = (turn.message.sender.id, turn.message.chat_id)
        own = [record for record in records if (record.get("user_id"), record.get("channel_id")) == place]
        return [spoken for record in own if (spoken := _spoken(record, turn))][-_MOST:]


def _spoken(record: Mapping[str, Any], turn: TalkTurn) -> ChatMessage | None:
    """A line of the audit as one of the history; `None` for what the history has already, or needs not."""
    ts, home = _moment(record), turn.message.home
    is_here = record.get("thread_id") == home or ts == turn.root_ts
    if not Decimal(turn.root_ts) <= Decimal(ts) < Decimal(turn.message.message_id):
        return None
    name, outcome = str(record.get("action")), str(record.get("outcome") or record.get("result"))
    is_talk, is_command = record.get("via") == "chat", record.get("kind") == "command"
    if is_here and not is_talk and (is_command or (record.get("kind") == "direct" and name != "thanks")):
        said = f"[`{name}`, by rule: {outcome}]"
    elif (
        not is_here and is_command and outcome == "done" and record.get("tier") != READ and not record.get("unchanged")
    ):
        said = f"[`{name}`, outside of this thread: done]"
    else:
        return None
    spec = CATALOGUE.get(name)  # whose line may repeat text of others, which no turn of the model's own holds
    line = str(record.get("result") or "") if is_command and spec and not spec.untrusted else ""
    return ChatMessage(ts=ts, author_name="Triage", is_bot=True, text=f"{said} {line}".rstrip())


def _moment(record: Mapping[str, Any]) -> str:
    """When it was said, as Slack counts; of what no message has asked for, by this machine's clock."""
    channel, name = record.get("channel_id"), str(record.get("interaction_id"))
    ts = name.removeprefix(f"{channel}-")
    if ts != name and ts.replace(".", "", 1).isdigit():
        return ts
    return f"{datetime.fromisoformat(str(record['at'])).timestamp():.6f}"
