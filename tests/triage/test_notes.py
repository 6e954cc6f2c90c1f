"""Keeping a note: into the project's own notes, without secrets, found by the next search."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.note_files import NoteFileWriter
from bot.models.findings import ProposedTriageFile
from bot.models.project import Project
from bot.models.thread import Thread
from bot.tools.knowledge import Knowledge
from bot.triage.notes import NoteKeeper
from tests.builders import CHANNEL, TEAM, findings
from tests.decide.test_workflow import pending
from tests.fakes import HandClock, MemoryJournal, projects


def thread_with(content: str) -> Thread:
    """A draft whose findings propose this note."""
    note = ProposedTriageFile(filename="../Retry limits.md", content=content)
    return pending().evolve(investigator_return=findings(proposed_triage_file=note))


def notes(*roots: Project) -> NoteKeeper:
    """On a real disk."""
    return NoteKeeper(files=NoteFileWriter(), projects=projects(*roots), clock=HandClock())


async def test_a_note_is_found_by_the_next_search(tmp_path: Path) -> None:
    """In the first folder of the project's knowledge, by the path that is kept of it."""
    (tmp_path / "notes").mkdir()
    project = Project(name="triage", root=tmp_path, knowledge=(tmp_path / "notes",))
    token = "xoxb-" + "1234567890-" * 2 + "abcdefghijklmnop"
    kept = await notes(project).keep(thread_with(f"A payment is tried again three times.\n{token}"))
    assert (kept.path, kept.problem) == ("notes/retry-limits.md", None)
    assert token not in (tmp_path / "notes" / "retry-limits.md").read_text()
    known = Knowledge(replies=MemoryJournal(), home=tmp_path / "home")
    found = await known.search("how often is a payment tried again?", project, team_id=TEAM, chat_id=CHANNEL)
    assert [place.ref for place in found] == ["notes/retry-limits.md:1-2"]


async def test_a_project_without_notes_says_so(tmp_path: Path) -> None:
    """The reply is posted all the same: this never raises."""
    kept = await notes(Project(name="triage", root=tmp_path)).keep(thread_with("Three."))
    assert kept.path is None
    assert "projects.<name>.knowledge" in str(kept.problem)


async def test_a_disk_that_fails_is_said(tmp_path: Path) -> None:
    """The folder is gone."""
    project = Project(name="triage", root=tmp_path, knowledge=(tmp_path / "gone",))
    kept = await notes(project).keep(thread_with("Three."))
    assert kept.path is None
    assert "No such file" in str(kept.problem)
