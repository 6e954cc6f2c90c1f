"""Notes of a team on the next card that they concern, on the whole line and without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.findings import ProposedTriageFile
from tests.fakes import HeldEngine
from tests.line.human import shows

if TYPE_CHECKING:
    from tests.line.conftest import Line

NOTE = "# Déploiement\n\nThe nightly export to the warehouse in Hafenstraße stops at 04:30.\n"


async def test_a_note_that_an_approval_kept_is_quoted_on_the_next_card(line: Line) -> None:
    """Kept outside the project's folder; another person asks in other words, and code has opened the note again."""
    (line.folder / "handbook").mkdir()
    knowledge = f"knowledge: [{line.folder / 'handbook'}]"
    engine = HeldEngine()
    async with line.bot(engine=engine, project=knowledge):
        await line.ana.say("what is one?")
        note = ProposedTriageFile(filename="Nächtlicher Export.md", content=NOTE)
        engine.answer("what is one?", "The answer is ONE.", proposed_triage_file=note)
        await line.olu.press("approve_and_save", await line.olu.card("Note to keep"))
        await line.olu.card("The note is kept in `handbook/nächtlicher-export.md`")
    async with line.bot(project=knowledge):
        asked = await line.ada.say("when does the Hafenstraße warehouse export end each night?")
        card = await line.olu.card("handbook/nächtlicher-export.md:", "stops at 04:30", '"approve"')
        assert shows(card, "1 of 1 reference open")
        await line.olu.evidence(card, "the quote is in line")
        await line.olu.press("approve", card)
        assert shows((await line.ada.replies(asked))[0], "04:30")
        await line.ana.say("when does the Hafenstraße warehouse export end each night?")
        await line.olu.card("stops at 04:30", "Answered before", '"approve"')


async def test_a_note_of_another_project_never_shows(line: Line) -> None:
    """A note that a command wrote lies in the home, below its own project's name."""
    for project, text in (("shop", "The parcel desk opens at nine."), ("till", "The parcel desk opens at noon.")):
        (line.home / "notes" / project).mkdir(parents=True)
        mark = "<!-- 2026-01-02 10:00 UTC, U0ADMIN in C0HELP -->"
        (line.home / "notes" / project / "desk.md").write_text(f"# Desk\n\n{mark}\n{text}\n")
    (line.folder / "till").mkdir()
    async with line.bot(chat="project: shop", project=f"}}\n  till: {{root: {line.folder / 'till'}"):
        await line.ana.say("when does the parcel desk open?")
        card = await line.olu.card("notes/shop/desk.md:", "opens at nine", '"approve"')
        evidence = await line.olu.evidence(card, "opens at nine")
        assert not shows(card, "noon")
        assert not shows(evidence, "noon")
        assert not shows(evidence, "U0ADMIN in")
