"""Audit of commands: one record for each, by whom it was given, with its input and its outcome."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import clip
from bot.commands.confirmations import LIFE
from bot.commands.nearest_name import LONGEST_WORD
from bot.errors import RetryLater
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.command import CommandAnswer, CommandSpec
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker
    from bot.models.pending_command import Confirmation
    from bot.ports.outbound import Clock, Journal

log = logging.getLogger(__name__)

_CHANGING_OUTCOMES = ("done", "asked")
"""Outcomes of a command that may have changed something."""

_NOBODY = dict.fromkeys(("interaction_id", "team_id", "user_id", "channel_id"), "")


@dataclass(frozen=True, kw_only=True)
class CommandAudit:
    """Writer of the audit's records of commands."""

    journal: Journal
    clock: Clock
    redactor: Redactor

    async def record(
        self,
        name: str,
        spec: CommandSpec | None,
        arguments: Mapping[str, Any],
        asker: Asker,
        answer: CommandAnswer,
        *,
        is_confirmed: bool = False,
    ) -> None:
        """Append one audit record: the catalogue's name, and the alias if one was used.

        A full disk blocks only the answers of commands that may have changed something.
        """
        record = await self._build(name, spec, arguments, asker.model_dump(mode="json", exclude={"text"}), answer)
        further: dict[str, Any] = {}
        if answer.confirmation:
            further["confirmation"] = answer.confirmation
        if is_confirmed:
            further["settled"] = "confirmed"
        if answer.is_unchanged:
            further["unchanged"] = "yes"
        changed = answer.outcome in _CHANGING_OUTCOMES and (spec is None or spec.tier != "read")
        await self._append(record | further, may_be_lost=not changed)

    async def has_outcome(self, waiting: Confirmation, asker: Asker) -> bool:
        """Return whether the outcome of a confirmed command is recorded."""
        own = ("command", asker.interaction_id, waiting.command)
        async for record in self.journal.records(since=waiting.until - LIFE):
            is_own = (record.get("kind"), record.get("interaction_id"), record.get("action")) == own
            if is_own and record.get("outcome") != "asked":
                return True
        return False

    async def record_rejected(
        self,
        name: str,
        spec: CommandSpec | None,
        arguments: Mapping[str, Any],
        who: Mapping[str, Any],
        answer: CommandAnswer,
    ) -> None:
        """Append the record of a try that never was executed; `who` are the fields of an `Asker` that are known."""
        record = await self._build(name, spec, arguments, {**_NOBODY, **who}, answer)
        await self._append(record | {"rejected": "yes"}, may_be_lost=True)

    async def _build(
        self,
        name: str,
        spec: CommandSpec | None,
        arguments: Mapping[str, Any],
        who: Mapping[str, Any],
        answer: CommandAnswer,
    ) -> dict[str, Any]:
        called = await run_offloaded(self._redact_clip, name, LONGEST_WORD)
        record = {
            "kind": "command",
            "at": self.clock.now().isoformat(),
            **who,
            "action": spec.name if spec else called,
            "input": await run_offloaded(self._redact_arguments, dict(arguments)),
            "takes_role": spec.role if spec else None,
            "tier": spec.tier if spec else None,
            "outcome": answer.outcome,
            "result": answer.line,
        }
        return record | ({"called": called} if spec and name != spec.name else {})

    async def _append(self, record: dict[str, Any], *, may_be_lost: bool) -> None:
        try:
            await self.journal.append(record, may_be_lost=may_be_lost)
        except RetryLater as problem:
            log.warning("`%s` of %s is not in the audit: %s", record["action"], record["user_id"], problem)

    def _redact_arguments(self, arguments: dict[str, Any]) -> dict[str, str]:
        """Return the start of an input, redacted, for the audit."""
        return {
            self._redact_clip(key, LONGEST_WORD): self._redact_clip(value, 300)
            for key, value in [*arguments.items()][:10]
        }

    def _redact_clip(self, value: Any, limit: int) -> str:
        """Redact, then shorten: a shortened secret would no longer be recognised."""
        return clip(self.redactor.redact(str(value)), limit)
