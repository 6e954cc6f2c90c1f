"""Ask an Owner: whoever owns the cited files, or is on call, is asked by an operator's press, once for each draft.

Among operators, in the private queue channel, where there is one; else in the owner's direct message; never in public.
That they are asked is saved first, and taken back where they could not be told. The message carries the draft's nonce
and is looked for before it is posted: a press that a crash cut off is played again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.owner_request import asking
from blocks.text import mention
from bot.decide.refusals import why_not
from bot.errors import TriageError
from bot.models.thread_event import AskOwner
from bot.runtime.offload import beside
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.card_search import ASKED
from bot.surfaces.draft_payload import as_shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bot.decide.redaction.redactor import Redactor
    from bot.decide.workflow import Transition
    from bot.models.interaction import Press
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat, Groups
    from bot.triage.membership import Membership
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

_Place = tuple[str, str | None]
"""A channel, and the ts of the thread in it, if it is to stand in one."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Asks owners. `shared` is the operators' private channel, if they have one."""

    orchestrator: Orchestrator
    chat: Chat
    groups: Groups
    members: Membership
    clock: Clock
    new_id: Callable[[], str]
    redactor: Redactor
    shared: CardChannel = field(default_factory=CardChannel)

    async def ask(self, thread: Thread, press: Press, *, replayed: bool) -> str | None:
        """Ask; the answer is what to tell the operator, `None` where the press came too late."""
        owner = await self._owner(thread, press.user_id)
        if owner is None:
            return "Nobody but you, or nobody of this workspace, owns what this draft cites. Nobody was asked."
        step = await self._settled(press, owner)
        asked = step.thread.asked_owner if step.thread else None
        mine = asked is not None and (asked.draft_id, asked.by) == (press.draft_id, press.user_id)
        if step.thread is None or asked is None or not (step.accepted or (replayed and mine)):
            if asked and asked.draft_id == press.draft_id:
                return f"{mention(asked.owner)} was asked already, by <@{asked.by}>."
            return None
        return await self._told(step.thread, press, asked.owner)

    async def _settled(self, press: Press, owner: str | None) -> Transition:
        """Save who is asked; `None` where they could not be told."""
        pressed = AskOwner(
            at=self.clock.now(),
            fresh=self.new_id(),
            by=press.user_id,
            draft_id=press.draft_id,
            nonce=press.nonce,
            owner=owner,
        )
        return await self.orchestrator.submit(press.thread_id, pressed)

    async def _told(self, thread: Thread, press: Press, owner: str) -> str:
        try:
            channel, root = await self._place(thread, owner)
            if not await self._stands(press, channel, root):
                await self._post(thread, press, owner, channel, root)
        except TriageError as problem:
            log.warning("thread %s: %s was not asked: %s", thread.thread_id, owner, problem)
            await self._settled(press, None)
            return f"{mention(owner)} could not be told: {why_not(problem)}. Please ask them yourself."
        if channel == self.shared.channel:
            return f"{mention(owner)} is asked in <#{channel}>; whoever is not in it must be invited."
        return f"{mention(owner)} is asked, in a direct message of mine; they answer you."

    async def _post(self, thread: Thread, press: Press, owner: str, channel: str, root: str | None) -> None:
        link = await self.chat.permalink(channel=thread.chat_id, ts=thread.original_message_id)
        shown = await beside(as_shown, thread, self.redactor)
        made: dict[str, Any] = asking(shown, by=press.user_id, owner=owner, link=link)
        metadata = {"event_type": ASKED, "event_payload": {"nonce": press.nonce, "kind": "notice"}}
        await self.chat.post(channel=channel, **made, metadata=metadata, thread_ts=root)

    async def _stands(self, press: Press, channel: str, root: str | None) -> bool:
        """Return whether an earlier process posted it, or an earlier press that heard of no answer."""
        if root:
            found = await self.chat.find_in_thread(channel=channel, thread_ts=root, event_type=ASKED, nonce=press.nonce)
        else:
            oldest = press.thread_id.rpartition("-")[2]
            found = await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=ASKED, nonce=press.nonce)
        return found is not None

    async def _place(self, thread: Thread, owner: str) -> _Place:
        """Under the card where operators share it, else beside it in their channel, else with the owner alone."""
        queue = await self.shared.open()
        if queue is None:
            return await self.chat.open_dm(owner), None
        return queue, thread.card.ts if thread.card.channel == queue else None

    async def _owner(self, thread: Thread, by: str) -> str | None:
        """The first who is of this workspace and did not press; of a group, where they are told alone, its first."""
        for owner in thread.owners:
            try:
                is_group = owner.startswith("S")
                if is_group and self.shared.now:
                    return owner
                people = await self.groups.group_members(owner) if is_group else (owner,)
                for person in people:
                    if person != by and await self.members.includes(person):
                        return person
            except TriageError as problem:
                log.warning("the owner %s cannot be asked: %s", owner, problem)
        return None
