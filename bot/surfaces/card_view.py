"""Card rendering without secrets: the same content for the direct message, the ephemeral card and a colleague's
copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks.card import build_card
from blocks.fix_message import build_fix_message
from blocks.long_run import build_long_run
from blocks.retired_card import build_retired_card
from bot.decide.escalation import EscalationPolicy, choose_deeper
from bot.decide.redaction.redactor import Redactor
from bot.decide.workflow.fixes import may_propose_fix
from bot.errors import Refused
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_thread

if TYPE_CHECKING:
    from bot.models.card import HandOver
    from bot.models.thread import Thread
    from bot.ports.access import CurrentLosses, Deciders
    from bot.ports.effects import ThreadQueue
    from bot.ports.fixes import FixDrafter
    from bot.ports.slack import Chat


@dataclass(kw_only=True)
class CardRenderer:
    """Renderer of a document's `text` and `blocks`; the address of its question is requested once."""

    chat: Chat
    redactor: Redactor = field(default_factory=Redactor)
    threads: ThreadQueue
    operators: Deciders
    losses: CurrentLosses
    escalation: EscalationPolicy = field(default_factory=EscalationPolicy)
    """Rules for longer runs, which the operator may start."""
    fixes: FixDrafter | None = None
    """Drafts of fixes, which the operator may ask for; `None` where nothing drafts one."""
    _links: dict[str, str] = field(default_factory=dict)
    _fix_links: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Message of a fix and its address, by thread."""

    async def render_card(self, thread: Thread, reader: str = "", *, is_short: bool = False) -> dict[str, Any]:
        """Render the card of a document; `reader` is its only reader, if there is one. `is_short` leaves out all that
        the decision does not need."""
        held_reason = self.threads.why_held(thread)
        has_begun = self.fixes is not None and thread.fix is not None and self.fixes.is_started(thread.fix.order.run_id)
        return build_card(
            await run_offloaded(redact_thread, thread, self.redactor),
            link=await self._link(thread),
            held_reason=held_reason,
            may_delegate=self.operators.may_delegate(thread),
            reader=reader,
            lacks_second=self.operators.lacks_second(thread),
            unreachable_reason=self.losses.card_line(thread.chat_id),
            is_short=is_short,
            may_dig_deeper=choose_deeper(thread, self.escalation) is not None,
            may_propose_fix=self.fixes is not None and may_propose_fix(thread),
            fix_link=await self._find_fix_link(thread),
            fix_held_reason=None if has_begun else held_reason,
            is_fix_ended=has_begun and held_reason is not None and self.threads.state() == "stopped",
            fix_refusal=(self.fixes.find_refusal(thread) or "") if self.fixes and may_propose_fix(thread) else "",
        )

    async def render_long_run(self, thread: Thread) -> dict[str, Any]:
        """Render the message about a long run."""
        link = await self._link(thread)
        return build_long_run(
            await run_offloaded(redact_thread, thread, self.redactor),
            link=link,
            held_reason=self.threads.why_held(thread),
        )

    async def render_fix(self, thread: Thread) -> dict[str, Any]:
        """Render the message about the fix of a thread, which has one."""
        redacted = await run_offloaded(redact_thread, thread, self.redactor)
        assert redacted.fix is not None  # noqa: S101  # as above; narrows the type
        link, held_reason = await self._link(thread), self.threads.why_held(thread)
        return build_fix_message(thread.thread_id, redacted.fix, link=link, held_reason=held_reason)

    async def render_retired_card(self, thread: Thread, hand_over: HandOver) -> dict[str, Any]:
        """Render the card of a previous operator."""
        return build_retired_card(
            await run_offloaded(redact_thread, thread, self.redactor), hand_over, link=await self._link(thread)
        )

    def forget(self, thread_id: str) -> None:
        """Drop the cached address of this thread's question."""
        self._links.pop(thread_id, None)
        self._fix_links.pop(thread_id, None)

    async def _find_fix_link(self, thread: Thread) -> str:
        """Return the address of the message of a proposed fix; empty where there is none yet, or none any more."""
        fix = thread.fix
        if fix is None or fix.state != "proposed" or not (fix.card.channel and fix.card.ts):
            return ""
        ts, link = self._fix_links.get(thread.thread_id, ("", ""))
        if ts != fix.card.ts:
            try:
                link = await self.chat.permalink(channel=fix.card.channel, ts=fix.card.ts)
            except Refused:  # the message was deleted
                return ""
            self._fix_links[thread.thread_id] = (fix.card.ts, link)
        return link

    async def _link(self, thread: Thread) -> str:
        if thread.thread_id not in self._links:
            try:
                link = await self.chat.permalink(channel=thread.chat_id, ts=thread.original_message_id)
            except Refused:  # the question was deleted
                return f"slack://channel?team={thread.team_id}&id={thread.chat_id}"
            self._links[thread.thread_id] = link
        return self._links[thread.thread_id]
