"""Answers to commands given in messages: on record before a command begins, so that no answer is lost.

The record is the outbox of the conversations: an answer cut off by a crash, or possibly not accepted by Slack, is sent
to the asker's direct message, even while Triage is stopped, which the command may have asked for.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import section
from bot.commands.command import READ, CommandAnswer, find_spec
from bot.commands.subjects import say_what_shows
from bot.errors import TriageError
from bot.models.conversation_record import UnsentMessage
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.commands.command import CommandSpec
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.ports.outbox import Outbox

log = logging.getLogger(__name__)

MAX_TRIES = 5
INTERRUPTED = CommandAnswer(
    outcome="failed",
    line="Triage was restarted before this had ended, and does nothing twice. Check how far it got.",
)
"""Answer in the audit of a command that an earlier process did not end."""
_LONGEST_WAIT = 30.0


@dataclass(kw_only=True)
class OrderAnswers:
    """Records and sends the answers."""

    clock: Clock
    catalogue: Mapping[str, CommandSpec]
    outbox: Outbox | None = None
    """Outbox of pending answers; set while conversations are wired."""

    def is_on_record(self, asker: Asker, command: str) -> bool:
        """Return whether an earlier process began this command: its record is delivered, and nothing is done."""
        return self.outbox is not None and self.outbox.has_nonce(_thread_of_command(asker), _nonce(asker, command))

    async def begin(self, asker: Asker, command: str) -> str:
        """Record that a command begins; return the record's nonce, empty for one that only reads or if the disk takes
        nothing.

        A command that cannot be recorded is executed all the same: a stop must not wait for a disk.
        """
        spec = find_spec(command, self.catalogue)
        if self.outbox is None or spec is None or spec.tier == READ:
            return ""
        nonce = _nonce(asker, command)
        is_kept = await self.outbox.save_fallback(
            _thread_of_command(asker), self._build_unsent(asker, nonce, {"text": describe_cut_off(spec)})
        )
        return nonce if is_kept else ""

    async def end(self, asker: Asker, nonce: str) -> None:
        """Remove the record: the asker has the answer."""
        if self.outbox and nonce:
            await self.outbox.mark_sent(_thread_of_command(asker), nonce)

    async def show(
        self, asker: Asker, nonce: str, payload: dict[str, Any], send: Callable[[], Awaitable[object]]
    ) -> None:
        """Send the answer by `send`; what may not have arrived is delivered later. Raises nothing."""
        if self.outbox and nonce:
            await self.outbox.save(_thread_of_command(asker), [self._build_unsent(asker, nonce, payload)])
        try:
            await call_with_retries(self.clock, send, longest=_LONGEST_WAIT, tries=MAX_TRIES)
        except TriageError as problem:
            log.warning("%s may not have read what came of an order: %s", asker.user_id, problem)
            if self.outbox and nonce:
                self.outbox.release(nonce)
                self.outbox.post_later(_thread_of_command(asker))
        else:
            await self.end(asker, nonce)

    def _build_unsent(self, asker: Asker, nonce: str, payload: dict[str, Any]) -> UnsentMessage:
        return UnsentMessage(
            turn_id=asker.interaction_id.replace(".", "-"),
            nonce=nonce,
            text=payload["text"],
            blocks=tuple(payload.get("blocks") or split_sections(payload["text"])),
            kept_at=self.clock.now(),
            user=asker.user_id,
            of_order=True,
        )


def describe_cut_off(spec: CommandSpec | None) -> str:
    """Return the answer to a command that a crash cut off."""
    return (
        f"I was restarted while doing this, and do nothing twice. Please check how far it got: {say_what_shows(spec)}."
    )


def split_sections(text: str) -> list[dict[str, Any]]:
    """Split a text into section blocks, between lines."""
    parts = [""]
    for line in text.split("\n"):
        if parts[-1] and len(parts[-1]) + len(line) + 1 > 2_900:
            parts.append("")
        parts[-1] = f"{parts[-1]}\n{line}" if parts[-1] else line
    return [section(part) for part in parts if part.strip()]


def _thread_of_command(asker: Asker) -> str:
    """Return the thread of the command; a message outside a thread is its own."""
    return asker.thread_id or f"{asker.team_id}-{asker.interaction_id}"


def _nonce(asker: Asker, command: str) -> str:
    return f"order-{asker.interaction_id}-{command}"
