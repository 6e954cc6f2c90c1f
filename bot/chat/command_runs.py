"""Commands that a chat turn has run, from the audit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.chat.call_summary import format_past_summary
from bot.commands.catalogue import CATALOGUE
from bot.models.conversation_record import CommandRun
from bot.models.interaction import message_interaction_id

if TYPE_CHECKING:
    from bot.models.conversation_record import TurnRecord
    from bot.ports.outbound import Journal


@dataclass(frozen=True)
class CommandRuns:
    """Reads the audit."""

    audit: Journal

    async def runs_of(self, turn: TurnRecord) -> tuple[CommandRun, ...]:
        """Return the commands of a turn, in their order."""
        interaction_id = message_interaction_id(turn.message)
        records = self.audit.records(since=turn.began_at)
        own = [record async for record in records if record.get("interaction_id") == interaction_id]
        is_run = (record for record in own if record.get("kind") == "command" and not record.get("rejected"))
        return tuple(map(_run, is_run))


def _run(record: dict[str, Any]) -> CommandRun:
    """Read a command's line of the audit; a channel reads of no name that the model may have chosen."""
    name, outcome, tier, line = (str(record.get(key) or "") for key in ("action", "outcome", "tier", "result"))
    is_done, spec, waits = outcome == "done" and tier != "read", CATALOGUE.get(name), outcome == "asked"
    has_changed = is_done and not record.get("unchanged")
    text = line if is_done and line else f"`{name}`" if waits else f"`{name}`: {outcome}"
    row = (
        format_past_summary(spec.deed, str((record.get("input") or {}).get("project") or ""))
        if has_changed and spec
        else ""
    )
    return CommandRun(line=text, row=row, at=datetime.fromisoformat(record["at"]), has_changed=has_changed, waits=waits)
