"""Answers to orders that change something: on record before the order is begun, so that none is lost in silence.

The record is the outbox of the talks: what a crash cut off, and what Slack did not surely take, comes in the direct
message of whoever gave the order, also while Triage is stopped, which that order may have asked for.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import section
from bot.commands.command import READ, named
from bot.errors import TriageError
from bot.models.talk import Unsent
from bot.runtime.retry import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.commands.command import CommandSpec
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.ports.outbox import Outbox

log = logging.getLogger(__name__)

TRIES = 5
CUT_OFF_ORDER = (
    "I was restarted while I did this, and do nothing twice. Please look how far it came; `/triage help` lists what "
    "shows it."
)
_LONGEST_WAIT = 30.0


@dataclass(kw_only=True)
class OrderAnswers:
    """Keeps and shows them."""

    clock: Clock
    catalogue: Mapping[str, CommandSpec]
    outbox: Outbox | None = None
    """Keeps what is to be said. Set by whoever keeps conversations."""

    def is_on_record(self, asker: Asker, command: str) -> bool:
        """Return whether this order was begun by a process that has ended: what is on record is told, and nothing is
        done."""
        return self.outbox is not None and self.outbox.holds(_home(asker), _nonce(asker, command))

    async def begin(self, asker: Asker, command: str) -> str:
        """Have the record say that an order is begun; empty for one that only reads, and where the disk takes nothing.

        Such an order is done all the same: a stop must not wait for a disk.
        """
        spec = named(command, self.catalogue)
        if self.outbox is None or spec is None or spec.tier == READ:
            return ""
        nonce = _nonce(asker, command)
        is_kept = await self.outbox.begin(_home(asker), self._unsent(asker, nonce, {"text": CUT_OFF_ORDER}))
        return nonce if is_kept else ""

    async def end(self, asker: Asker, begun: str) -> None:
        """Keep no record any more: whoever asked has read what came of it."""
        if self.outbox and begun:
            await self.outbox.sent(_home(asker), begun)

    async def show(
        self, asker: Asker, begun: str, shown: dict[str, Any], send: Callable[[], Awaitable[object]]
    ) -> None:
        """Show what came of an order by `send`; what may not have arrived comes later. Raises nothing."""
        if self.outbox and begun:
            await self.outbox.keep(_home(asker), [self._unsent(asker, begun, shown)])
        try:
            await patiently(self.clock, send, longest=_LONGEST_WAIT, tries=TRIES)
        except TriageError as problem:
            log.warning("%s may not have read what came of an order: %s", asker.user_id, problem)
            if self.outbox and begun:
                self.outbox.release(begun)
                self.outbox.later(_home(asker))
        else:
            await self.end(asker, begun)

    def _unsent(self, asker: Asker, nonce: str, shown: dict[str, Any]) -> Unsent:
        return Unsent(
            turn_id=asker.interaction_id.replace(".", "-"),
            nonce=nonce,
            text=shown["text"],
            blocks=tuple(shown.get("blocks") or sections(shown["text"])),
            kept_at=self.clock.now(),
            user=asker.user_id,
            of_order=True,
        )


def sections(text: str) -> list[dict[str, Any]]:
    """A text in pieces that a section holds, cut between lines."""
    parts = [""]
    for line in text.split("\n"):
        if parts[-1] and len(parts[-1]) + len(line) + 1 > 2_900:
            parts.append("")
        parts[-1] = f"{parts[-1]}\n{line}" if parts[-1] else line
    return [section(part) for part in parts if part.strip()]


def _home(asker: Asker) -> str:
    """The thread that the order stands in; that of a message which stands in none is its own."""
    return asker.thread_id or f"{asker.team_id}-{asker.interaction_id}"


def _nonce(asker: Asker, command: str) -> str:
    return f"order-{asker.interaction_id}-{command}"
