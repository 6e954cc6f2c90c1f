"""Ask an Owner: an operator's request to a code owner or the person on call, once for each draft.

It is posted in the operators' private queue channel, else in the owner's direct message; never in public. The request
is saved first, and undone if it cannot be posted. The message carries the draft's nonce and is searched for before it
is posted, because a press that a crash interrupted is replayed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.owner_request import build_owner_request
from blocks.text import mention
from bot.approval.answers import WAS_ASKED
from bot.decide.refusals import why_not
from bot.errors import TriageError
from bot.models.thread_event import AskOwner
from bot.runtime.offload import run_offloaded
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.card_search import OWNER_REQUEST
from bot.surfaces.draft_payload import redact_thread

if TYPE_CHECKING:
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
"""A channel, and the ts of a thread in it, if any."""


@dataclass(frozen=True, kw_only=True)
class OwnerRequests:
    """Requests to owners. `shared` is the operators' private channel, if they have one."""

    orchestrator: Orchestrator
    chat: Chat
    groups: Groups
    members: Membership
    clock: Clock
    redactor: Redactor
    shared: CardChannel = field(default_factory=CardChannel)

    async def ask(self, thread: Thread, press: Press, *, replayed: bool) -> str | None:
        """Ask the owner; return the text to show to the operator, `None` if the press came too late."""
        owner = await self._owner(thread, press.user_id)
        if owner is None:
            return "The files that this draft cites have no owner in this workspace other than you. Nobody was asked."
        step = await self._save_request(press, owner)
        request = step.thread.asked_owner if step.thread else None
        mine = request is not None and (request.draft_id, request.by) == (press.draft_id, press.user_id)
        if step.thread is None or request is None or not (step.accepted or (replayed and mine)):
            if request and request.draft_id == press.draft_id:
                return f"{mention(request.owner)} was asked already, by <@{request.by}>."
            return None
        return await self._notify_owner(step.thread, press, request.owner)

    async def _save_request(self, press: Press, owner: str | None) -> Transition:
        """Save the owner who is asked; `None` undoes a request that could not be posted."""
        pressed = AskOwner(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            by=press.user_id,
            draft_id=press.draft_id,
            nonce=press.nonce,
            owner=owner,
        )
        return await self.orchestrator.submit(press.thread_id, pressed)

    async def _notify_owner(self, thread: Thread, press: Press, owner: str) -> str:
        try:
            channel, root = await self._choose_place(thread, owner)
            if not await self._is_posted(press, channel, root):
                await self._post(thread, press, owner, channel, root)
        except TriageError as problem:
            log.warning("thread %s: %s was not asked: %s", thread.thread_id, owner, problem)
            await self._save_request(press, None)
            return f"{mention(owner)} could not be reached: {why_not(problem)}. Please ask them yourself."
        if channel == self.shared.channel:
            return f"{mention(owner)} {WAS_ASKED} <#{channel}>; invite them if they are not a member."
        return f"{mention(owner)} {WAS_ASKED} a direct message from Triage; they will answer you."

    async def _post(self, thread: Thread, press: Press, owner: str, channel: str, root: str | None) -> None:
        link = await self.chat.permalink(channel=thread.chat_id, ts=thread.original_message_id)
        redacted = await run_offloaded(redact_thread, thread, self.redactor)
        content: dict[str, Any] = build_owner_request(redacted, by=press.user_id, owner=owner, link=link)
        metadata = {"event_type": OWNER_REQUEST, "event_payload": {"nonce": press.nonce, "kind": "notice"}}
        await self.chat.post(channel=channel, **content, metadata=metadata, thread_ts=root)

    async def _is_posted(self, press: Press, channel: str, root: str | None) -> bool:
        """Return whether the request is already posted, by an earlier process or a call without an answer."""
        if root:
            ts = await self.chat.find_in_thread(
                channel=channel, thread_ts=root, event_type=OWNER_REQUEST, nonce=press.nonce
            )
        else:
            oldest = press.thread_id.rpartition("-")[2]
            ts = await self.chat.find_in_channel(
                channel=channel, oldest=oldest, event_type=OWNER_REQUEST, nonce=press.nonce
            )
        return ts is not None

    async def _choose_place(self, thread: Thread, owner: str) -> _Place:
        """Choose the place: below a shared card, else in the operators' channel, else the owner's direct message."""
        queue = await self.shared.open()
        if queue is None:
            return await self.chat.open_dm(owner), None
        return queue, thread.card.ts if thread.card.channel == queue else None

    async def _owner(self, thread: Thread, by: str) -> str | None:
        """Return the first owner who is a member and not the operator; in direct messages a group means its first
        member."""
        for owner in thread.owners:
            try:
                is_group = owner.startswith("S")
                if is_group and self.shared.now:
                    return owner
                people = await self.groups.group_members(owner) if is_group else (owner,)
                for person in people:
                    if person != by and await self.members.is_member(person):
                        return person
            except TriageError as problem:
                log.warning("the owner %s cannot be asked: %s", owner, problem)
        return None
