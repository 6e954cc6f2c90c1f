"""Maturity gates by the records of the home, and the notices that one has opened or closed.

A gate has no state of its own (`decide/auto_reply/maturity`). What is saved is what people were told, so that they are
told of each change once.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.text import escape, section
from bot.decide.auto_reply.maturity import KINDS, judge_maturity
from bot.errors import TriageError
from bot.models.auto_reply import GateRecord
from bot.runtime.background_tasks import cancel_all
from bot.surfaces.notices import NOTICE
from bot.triage.auto_reply_book import name_pool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.decide.auto_reply.maturity import Maturity
    from bot.models.judged_draft import JudgedDraft, Pool
    from bot.ports.access import Members
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.triage.auto_reply_book import AutoReplyBook
    from bot.triage.judged_drafts import JudgedDrafts

log = logging.getLogger(__name__)

LOOKED_BACK = timedelta(days=90)
"""Age up to which judgements are read: a reader may complain about a draft that is older than the gate's weeks."""
_MARGIN = timedelta(hours=1)
"""Margin for a difference between Slack's clock and this machine's."""


@dataclass(kw_only=True)
class MaturityGates:
    """Judges the gates of all pools. `people` are told when one opens or closes: operators and admins."""

    judged: JudgedDrafts
    book: AutoReplyBook
    chat: Chat
    members: Members
    people: Sequence[str]
    clock: Clock
    _is_due: bool = False
    _checking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def judge(self, pool: Pool) -> Maturity:
        """Return the state of a pool's gate now."""
        drafts, damaged = await self._read()
        return judge_maturity(drafts, pool, now=self.clock.now(), damaged=damaged)

    async def judge_all(self) -> list[tuple[Pool, Maturity]]:
        """Return the pools of the present judgements whose kind may be answered automatically, with their gates."""
        now, (drafts, damaged) = self.clock.now(), await self._read()
        pools = {name_pool(each.pool): each.pool for each in drafts if each.pool.kind in KINDS}
        return [(pools[name], judge_maturity(drafts, pools[name], now=now, damaged=damaged)) for name in sorted(pools)]

    async def save_complaints(self) -> None:
        """Save the readers' complaints that are no judgements yet; one that cannot be saved is at the next look."""
        try:
            await self.judged.save_complaints(self.clock.now() - LOOKED_BACK, self.book.list_sent())
        except TriageError as problem:
            log.warning("complaints could not be saved as judgements: %s", problem)

    def check_soon(self) -> None:
        """Look at the gates in the background, since a judgement has come."""
        self._is_due = True
        if not self.book.consents or self._tasks:
            return
        task = asyncio.create_task(self._check_while_due(), name="maturity gates")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel a look that is under way; the next start looks again."""
        await cancel_all(self._tasks)

    async def check(self) -> None:
        """Save complaints, and tell of each gate that has opened or closed since people last heard of it.

        Nobody is told while no channel is on.
        """
        await self.save_complaints()
        if not self.book.consents:
            return
        async with self._checking:
            now, (drafts, damaged) = self.clock.now(), await self._read()
            pools = {name_pool(each.pool): each.pool for each in drafts if each.pool.kind in KINDS}
            pools |= {name: gate.pool for name, gate in self.book.gates.items()}
            for name, pool in pools.items():
                await self._compare(name, pool, judge_maturity(drafts, pool, now=now, damaged=damaged), now)
            for gate in [*self.book.gates.values()]:
                if not gate.is_told:
                    await self._tell(gate)

    async def _compare(self, name: str, pool: Pool, maturity: Maturity, now: datetime) -> None:
        before = self.book.gates.get(name)
        if maturity.is_open == (before is not None and before.is_open):
            return
        await self.book.note_gate(
            GateRecord(pool=pool, is_open=maturity.is_open, at=now, reason=maturity.reason, is_told=False)
        )

    async def _tell(self, gate: GateRecord) -> None:
        """Tell all people who were not told yet; each post is looked for before it is made."""
        text, state = _describe_change(gate, self.book), "open" if gate.is_open else "closed"
        nonce = f"gate-{name_pool(gate.pool)}-{state}-{gate.at.isoformat()}"
        for user in dict.fromkeys(self.people):
            if user in gate.told:
                continue
            try:
                if not await self.members.is_barred(user):
                    await self._post(user, text, nonce, gate.at)
            except TriageError as problem:
                log.warning("%s was not told of a gate: %s", user, problem)
                continue
            gate = gate.evolve(told=(*gate.told, user))
            await self.book.note_gate(gate)
        await self.book.note_gate(gate.evolve(is_told=True))

    async def _post(self, user: str, text: str, nonce: str, since: datetime) -> None:
        channel = await self.chat.open_dm(user)
        oldest = f"{(since - _MARGIN).timestamp():.6f}"
        if await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=NOTICE, nonce=nonce):
            return
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": nonce}}
        await self.chat.post(channel=channel, text=text, blocks=[section(text)], metadata=metadata)

    async def _check_while_due(self) -> None:
        while self._is_due:
            self._is_due = False
            try:
                await self.check()
            except TriageError as problem:
                log.warning("the gates of automatic replies could not be looked at: %s", problem)

    async def _read(self) -> tuple[list[JudgedDraft], int]:
        return await self.judged.read(self.clock.now() - LOOKED_BACK, self.book.list_sent())


def _describe_change(gate: GateRecord, book: AutoReplyBook) -> str:
    channels = ", ".join(f"<#{channel}>" for channel in book.consents)
    where = f"`{escape(gate.pool.project)}`, {gate.pool.kind.replace('_', ' ')}"
    if gate.is_open:
        return (
            f"*The gate of automatic replies is open* for {where}: {escape(gate.reason)} Answers that meet all "
            f"conditions go out without a press in {channels}; each is told with *Take Back*. `/triage autoreply` has "
            "the figures."
        )
    return (
        f"*The gate of automatic replies has closed* for {where}: {escape(gate.reason)} Drafts wait for a press again, "
        f"in {channels or 'all channels'} too. Only the data opens it again: `/triage autoreply`."
    )
