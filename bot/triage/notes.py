"""Notes: write the note that findings propose (spec 1, 4.3) into the project's notes, if an operator approves it.

A failure here does not keep the reply from being posted. Code makes the file name safe and redacts the text;
`search_knowledge` finds the note from then on.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.note_names import note_name, number_name
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.thread_event import NoteKept
from bot.runtime.offload import run_offloaded
from bot.tools.note_folders import reference_prefix
from bot.tools.roots import resolve_root

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.notes import NoteFiles
    from bot.ports.outbound import Clock
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

MOST_OF_A_NAME = 100
"""Maximum of notes with the same name, distinguished by a number."""


@dataclass(frozen=True, kw_only=True)
class NoteKeeper:
    """Writer of notes into the first folder of a project's `knowledge`."""

    files: NoteFiles
    projects: Projects
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    async def keep(self, thread: Thread) -> NoteKept:
        """Write the note that the thread's findings propose. Never raises."""
        path, problem = None, None
        try:
            path = await self._write(thread)
        except TriageError as broken:
            log.warning("thread %s: the note was not kept: %s", thread.thread_id, broken)
            problem = str(broken)
        except Exception:
            log.exception("thread %s: the note was not kept", thread.thread_id)
            problem = "the log says why"
        return NoteKept(at=self.clock.now(), fresh=self.clock.new_id(), path=path, problem=problem)

    async def _write(self, thread: Thread) -> str:
        note = thread.proposed_note
        project = next((project for project in self.projects.list_all() if project.name == thread.project), None)
        if note is None or project is None or not project.knowledge:
            raise TriageError("its project has no folder of notes (`projects.<name>.knowledge`)")
        name = note_name(self.redactor.redact(note.filename))
        names = [number_name(name, number) for number in range(1, MOST_OF_A_NAME + 1)]
        content = f"{(await run_offloaded(self.redactor.redact, note.content)).strip()}\n"
        folder = await asyncio.to_thread(resolve_root, project.knowledge[0])
        return f"{reference_prefix(folder, project)}/{await self.files.write(folder, names, content)}".removeprefix(
            "./"
        )
