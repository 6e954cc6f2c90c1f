"""Presses on the notice of an automatic reply: *Take Back* and *It Is Right*, by people who may approve there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.triage.auto_reply_notices import UNKNOWN

if TYPE_CHECKING:
    from bot.models.auto_reply import AutoReplyPress
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.slack import Chat
    from bot.triage.auto_reply_notices import AutoReplyNotices
    from bot.triage.maturity_gates import MaturityGates
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)

_BROKE = "This did not work; the log says why. Press again to go on with it."


@dataclass(frozen=True, kw_only=True)
class AutoReplyPresses:
    """Handler of presses. `audit` is the journal of decisions."""

    notices: AutoReplyNotices
    gates: MaturityGates
    operators: Operators
    store: Store
    chat: Chat
    audit: Journal
    clock: Clock

    async def handle_press(self, press: AutoReplyPress, *, replayed: bool = False) -> None:
        """Act on a press and tell the user why it had no effect, if so; a replayed press notifies nobody."""
        try:
            answer = await self._act(press, replayed=replayed)
        except Exception:  # a replay must not act on it later; the next start goes on with what was begun
            log.exception("thread %s: the press %s failed", press.thread_id, press.action)
            answer = _BROKE
        record = press.model_dump(mode="json")
        at = self.clock.now().isoformat()
        await self.audit.append({**record, "at": at, "result": answer or "done", "replayed": replayed})
        if answer and not replayed:
            try:
                await self.chat.post_ephemeral(channel=press.channel_id, user=press.user_id, text=answer)
            except TriageError as problem:
                log.warning("%s was not told: %s", press.user_id, problem)

    async def _act(self, press: AutoReplyPress, *, replayed: bool) -> str:
        """Judge the reply; return why that had no effect, empty if it had one."""
        thread = await self.store.load(press.thread_id)
        if thread is None:
            return UNKNOWN
        refusal = await self.operators.refusal(press.user_id, press.team_id, thread, replayed=replayed)
        if refusal and not await self._is_admin(press):
            return refusal
        answer = await self.notices.judge(press.draft_id, press.action, by=press.user_id)
        self.gates.check_soon()
        return answer

    async def _is_admin(self, press: AutoReplyPress) -> bool:
        """Return whether an admin has pressed, who is a member of this workspace."""
        members = self.operators.members
        is_named = press.user_id in self.operators.admins and members.may_come_from(press.team_id)
        return is_named and await members.is_member(press.user_id)
