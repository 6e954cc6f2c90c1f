"""Judged drafts of a home: `judgements.ndjson`, with readers' complaints from `feedback.ndjson`.

A complaint is saved as a judgement, too, without its person, since the line of the feedback may be purged.

A document holds its current question only, so each judgement is appended before the decision is saved. After a crash
in between it may be there twice, or without its decision; a question counts once all the same.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.decide.auto_reply.complaints import list_complaints, list_unsaved
from bot.decide.auto_reply.judgements import read_judgement
from bot.errors import TriageError
from bot.models.judged_draft import JudgedDraft
from bot.models.recorded_time import parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Store

log = logging.getLogger(__name__)

_FIELDS = frozenset(JudgedDraft.model_fields)


@dataclass(frozen=True, kw_only=True)
class JudgedDrafts:
    """Reader and writer of judgements. `journal` is `judgements.ndjson`, `feedback` is `feedback.ndjson`."""

    journal: Journal
    feedback: Journal

    async def record(self, before: Thread | None, after: Thread) -> bool:
        """Append the judgement by which a document is about to change; return whether there is one."""
        if before and (before.decision, before.rounds) == (after.decision, after.rounds):
            return False
        judged = read_judgement(after)
        if judged is None or (before and read_judgement(before) == judged):
            return False
        await self.add(judged, by=after.decision.by if after.decision else "")
        return True

    async def fill(self, store: Store, since: datetime) -> None:
        """Begin an empty journal with the judgements that the documents of newer threads hold."""
        if await self.journal.tail(1):
            return
        for thread_id in await store.thread_ids():
            if float(thread_id.rpartition("-")[2]) < since.timestamp():
                continue
            try:
                thread = await store.load(thread_id)
            except TriageError:  # its own queue will set the file aside
                continue
            if thread and thread.decision:
                await self.record(None, thread)

    async def add(self, judged: JudgedDraft, *, by: str) -> None:
        """Append a judgement of this person."""
        await self.journal.append({**judged.model_dump(mode="json"), "by": by})

    async def read(self, since: datetime, sent: Iterable[JudgedDraft] = ()) -> tuple[list[JudgedDraft], int]:
        """Return the judgements since a time, with the complaints about the posted drafts among them, and the number of
        damaged lines that may be of the time in which a gate counts.

        `sent` are drafts that were posted, and that perhaps nobody has judged.
        """
        decided, damaged = await self._read_saved(since)
        return [*decided, *list_complaints((*sent, *decided), await self._read_feedback())], damaged

    async def save_complaints(self, since: datetime, sent: Iterable[JudgedDraft]) -> None:
        """Append the complaints since a time that have no line yet, without their person."""
        for complaint in list_unsaved(sent, (await self._read_saved(since))[0], await self._read_feedback()):
            if complaint.at >= since:
                await self.journal.append(complaint.model_dump(mode="json"))

    async def _read_saved(self, since: datetime) -> tuple[list[JudgedDraft], int]:
        """Return the judgements since a time, and the number of damaged lines: those before the newest judgement that
        is too old to count are as old."""
        decided, damaged = [], 0
        async for record in self.journal.records_and_damage():
            at = parse_time(record.get("at")) if record else None
            if at and at < since:
                damaged = 0
            elif (judged := _parse(record or {})) is not None:
                decided.append(judged)
            else:
                damaged += 1
        return decided, damaged

    async def _read_feedback(self) -> list[dict[str, Any]]:
        return [record async for record in self.feedback.records()]


def _parse(record: dict[str, Any]) -> JudgedDraft | None:
    try:
        return JudgedDraft.model_validate({key: record[key] for key in _FIELDS if key in record})
    except ValidationError as problem:
        log.warning("a judgement does not parse, and closes the gates: %s", problem.error_count())
        return None
