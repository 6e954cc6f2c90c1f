"""Questions as a list: `list_threads`. What waits for a decision, with buttons, is `queue`'s."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.queue import question_link
from blocks.text import clip, escape, moment
from bot.assistant.commands.command import Answer
from bot.assistant.commands.projects import goes_to
from bot.assistant.commands.work import count
from bot.decide.redact import Redactor
from bot.errors import TriageError
from bot.triage.drafts import with_safe_question

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.assistant.commands.project_inputs import ThreadsAsked
    from bot.assistant.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.thread import Thread

SHOWN = 15
LOOKED_AT = 500
"""Of so many threads the documents are read for one list, the newest first."""


@dataclass(frozen=True, kw_only=True)
class ThreadList:
    """`url` is the workspace's address."""

    overview: ProjectOverview
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    async def list_threads(self, asked: ThreadsAsked, asker: Asker) -> Answer:
        """What is open first, each with its status, the newest first."""
        project = self.overview.named(asked.project) if asked.project else None
        channel = self.overview.channel(asked.channel, asker) if asked.channel else None
        for wrong in (project, channel):
            if isinstance(wrong, Answer):
                return wrong
        rows: list[str] = []
        async for thread in self._threads(asked.status):
            fits = project in (None, goes_to(thread)) and channel in (None, thread.chat_id)
            if not fits or (asked.status not in ("all", "open", thread.status)):
                continue
            if len(rows) == SHOWN:
                rows.append("… and more; a status, a project or a channel narrows it down.")
                break
            rows.append(self._row(thread))
        if not rows:
            return Answer(line="No thread is like that.")
        shown = min(len(rows), SHOWN)
        return Answer(
            line=f"{count(shown, 'thread')}{', open ones first' if asked.status == 'all' else ''}:", rows=tuple(rows)
        )

    async def _threads(self, status: str) -> AsyncIterator[Thread]:
        """As far as they are read: open ones, then the others where they are asked for."""
        orchestrator = self.overview.orchestrator
        still_open = {*orchestrator.open_threads.ids()}
        rest = {*await orchestrator.store.thread_ids()} - still_open if status in ("all", "closed") else set()
        names = [*(_newest_first(still_open) if status != "closed" else ()), *_newest_first(rest)]
        for name in names[:LOOKED_AT]:
            try:
                thread = await orchestrator.store.load(name)
            except TriageError:
                continue  # its next happening makes it anew
            if thread:
                yield thread

    def _row(self, thread: Thread) -> str:
        thread = with_safe_question(thread, self.redactor)
        said = escape(clip(" ".join(thread.question.split()), 80))
        ending = f" ({thread.outcome})" if thread.outcome else ""
        project = goes_to(thread)
        where = f"<#{thread.chat_id}>{f', `{project}`' if project else ''}"
        who = f"<@{thread.original_sender_id}> in {where}, {moment(thread.last_event_at)}"
        return f"*{thread.status}*{ending} {who} (<{question_link(thread, self.url)}|open>): {said}"


def _newest_first(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: float(name.rpartition("-")[2]), reverse=True)
