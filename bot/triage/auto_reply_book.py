"""Book of automatic replies: where they are on, those that went out, and the gates as people were last told.

Each part is a file of the home that is written before anything is done by it. A file that cannot be read counts as
empty: automatic replies are off then.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from bot.models.auto_reply import AutoReply, Consent, GateRecord
from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.judged_draft import JudgedDraft, Pool
    from bot.models.thread import Thread
    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)

MOST_REPLIES = 500
"""Automatic replies that are kept; the oldest is forgotten first."""
Entry = TypeVar("Entry", bound=Fact)


def name_pool(pool: Pool) -> str:
    """Return the name of a pool's entry."""
    return f"{pool.project} {pool.kind} {pool.validator}"


@dataclass(kw_only=True)
class AutoReplyBook:
    """Saved state of automatic replies."""

    consents_file: JsonFile
    replies_file: JsonFile
    gates_file: JsonFile
    consents: dict[str, Consent] = field(default_factory=dict)
    """Consents by channel; automatic replies are off in all others."""
    replies: dict[str, AutoReply] = field(default_factory=dict)
    """Automatic replies by draft, oldest first."""
    gates: dict[str, GateRecord] = field(default_factory=dict)
    """Gates by pool (`name_pool`)."""

    async def load(self) -> None:
        """Load what was saved; entries that do not parse are left out."""
        self.consents = await _read(self.consents_file, Consent)
        self.replies = await _read(self.replies_file, AutoReply)
        self.gates = await _read(self.gates_file, GateRecord)

    async def switch(self, channel: str, consent: Consent | None) -> None:
        """Switch automatic replies of a channel on by a consent, or off, which counts at once. Raises `RetryLater`."""
        consents = {name: each for name, each in self.consents.items() if name != channel}
        if consent is None:
            self.consents = consents
            await _write(self.consents_file, consents)
            return
        await _write(self.consents_file, consents | {channel: consent})
        self.consents = self.consents | {channel: consent}

    async def keep(self, reply: AutoReply) -> None:
        """Save a reply. Raises `RetryLater`."""
        replies = {name: each for name, each in self.replies.items() if name != reply.draft_id}
        settled = [name for name, each in replies.items() if not each.is_under_way]
        over = settled[: max(0, len(replies) + 1 - MOST_REPLIES)]
        self.replies = {name: each for name, each in replies.items() if name not in over} | {reply.draft_id: reply}
        await _write(self.replies_file, self.replies)

    async def change(self, draft_id: str, **changes: Any) -> AutoReply | None:
        """Save changes of a reply, and return it; `None` if it is no longer kept. Raises `RetryLater`."""
        if (reply := self.replies.get(draft_id)) is None:
            return None
        changed = reply.evolve(**changes)
        await self.keep(changed)
        return changed

    def find(self, thread: Thread) -> AutoReply | None:
        """Return the automatic reply of a thread's present draft, if there is one."""
        return self.replies.get(thread.draft_pending.draft_id) if thread.draft_pending else None

    def list_sent(self) -> list[JudgedDraft]:
        """Return the drafts that were posted, as cases that perhaps nobody has judged."""
        return [reply.case for reply in self.replies.values() if reply.ts]

    def was_taken_back(self, thread_id: str) -> bool:
        """Return whether an automatic reply in this thread was taken back."""
        return any((each.thread_id, each.judgement) == (thread_id, "take_back") for each in self.replies.values())

    async def drop(self, draft_id: str) -> None:
        """Forget a reply that did not go out. Raises `RetryLater`."""
        self.replies = {name: each for name, each in self.replies.items() if name != draft_id}
        await _write(self.replies_file, self.replies)

    async def note_gate(self, gate: GateRecord) -> None:
        """Save the state of a gate. Raises `RetryLater`."""
        self.gates = self.gates | {name_pool(gate.pool): gate}
        await _write(self.gates_file, self.gates)


async def _read(file: JsonFile, model: type[Entry]) -> dict[str, Entry]:
    entries = {}
    for name, record in (await file.read()).items():
        try:
            entries[name] = model.model_validate(record)
        except ValidationError as problem:
            log.warning("automatic replies: the entry %s does not parse, and is dropped: %s", name, problem.title)
    return entries


async def _write(file: JsonFile, entries: Mapping[str, Fact]) -> None:
    await file.write({name: entry.model_dump(mode="json") for name, entry in entries.items()})
