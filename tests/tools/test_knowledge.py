"""What is known already: notes, triage files and replies of this channel, ranked for a question."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.agents.tool_runner import cut
from bot.decide.limits import RunLimits
from bot.models.project import Project
from bot.tools.knowledge import PLACES, Knowledge, SearchKnowledge, knowledge_tool
from tests.fakes import MemoryJournal
from tests.tools.conftest import LOADED, make_guard

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "how do I rotate the signing key of the payment gateway?"


def reply(text: str, *, chat: str = "C0HELP", team: str = "T0SANDBOX", **more: Any) -> dict[str, Any]:
    thread_id = f"{team}-{chat}-100.000001"
    return dict(chat_id=chat, thread_id=thread_id, posted_message_id="200.000001", reply_text=text, **more)


def known(home: Path, *records: dict[str, Any]) -> Knowledge:
    journal = MemoryJournal()
    journal.kept = list(records)
    return Knowledge(replies=journal, home=home)


def project(tmp_path: Path) -> Project:
    """A project with notes inside and outside its root."""
    for path, text in {
        "root/docs/payments.md": "# Payments\n\nRotate the signing key of the payment gateway with `make rotate`.\n",
        "root/docs/other.md": "# Lunch\n\nThe canteen opens at noon.\n",
        "notes/keys.md": "# Keys\n\nThe gateway's signing key is rotated in January.\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    folders = (tmp_path / "root/docs", tmp_path / "notes")
    return Project(name="shop", root=tmp_path / "root", knowledge=folders)


async def search(knowledge: Knowledge, about: Project) -> list[tuple[str, str]]:
    places = await knowledge.search(QUESTION, about, team_id="T0SANDBOX", chat_id="C0HELP")
    return [(place.source, place.ref) for place in places]


async def test_notes_are_found_where_they_can_be_cited(tmp_path: Path) -> None:
    """A note inside the root by its path there, one outside by its folder's name; what does not fit is left out."""
    about = project(tmp_path)
    places = await known(tmp_path).search(QUESTION, about, team_id="T", chat_id="C")
    assert [(place.ref, place.in_project) for place in places] == [
        ("docs/payments.md:1-3", True),
        ("notes/keys.md:1-3", False),
    ]
    assert "make rotate" in places[0].said


async def test_replies_of_this_channel_only(tmp_path: Path) -> None:
    """What was approved in another channel or team is not told here."""
    text = "The signing key of the payment gateway is rotated by the platform team."
    about = Project(name="shop", root=tmp_path)
    assert await search(known(tmp_path, reply(text)), about) == [("reply", "200.000001")]
    assert await search(known(tmp_path, reply(text, chat="C0OTHER"), reply(text, team="T0OTHER")), about) == []


async def test_replies_of_some_projects_only(tmp_path: Path) -> None:
    """Where people of another company read along, those of a project that they may not see are none."""
    text = "The signing key of the payment gateway is rotated by the platform team."
    about, said = Project(name="shop", root=tmp_path), known(tmp_path, reply(text, project="vault"))
    where: dict[str, Any] = {"team_id": "T0SANDBOX", "chat_id": "C0HELP"}
    assert await said.search(QUESTION, about, **where)
    assert not await said.search(QUESTION, about, **where, only={"shop"})


async def test_triage_files_of_this_channel(tmp_path: Path) -> None:
    """A reply names its triage file; one outside the home is not opened."""
    (tmp_path / "home/tasks/keys").mkdir(parents=True)
    (tmp_path / "home/tasks/keys/note.md").write_text("Rotate the signing key of the payment gateway in the vault.\n")
    (tmp_path / "outside.md").write_text("Rotate the signing key of the payment gateway elsewhere.\n")
    about = Project(name="shop", root=tmp_path / "home")
    records = [reply("Done.", triage_file="tasks/keys/note.md"), reply("Done.", triage_file="../outside.md")]
    assert await search(known(tmp_path / "home", *records), about) == [("triage_file", "tasks/keys/note.md:1-1")]


async def test_an_agent_gets_it_in_envelopes(tmp_path: Path) -> None:
    """Redacted, and with a word on how to cite it."""
    about = project(tmp_path)
    (tmp_path / "notes/keys.md").write_text(f"The signing key of the payment gateway is {LOADED}.\n")
    tool = knowledge_tool(known(tmp_path), make_guard(), about, team_id="T", chat_id="C")
    said = await tool.run(SearchKnowledge(question=QUESTION))
    assert 'source="knowledge" ref="docs/payments.md:1-3" note="read_file opens it"' in said
    assert "gateway is [redacted]." in said
    assert LOADED not in said


async def test_nothing_known_is_said(tmp_path: Path) -> None:
    """An empty answer would leave the model guessing."""
    tool = knowledge_tool(known(tmp_path), make_guard(), Project(name="shop", root=tmp_path), team_id="T", chat_id="C")
    assert await tool.run(SearchKnowledge(question="quux?")) == "Nothing that is known answers this."


@pytest.mark.parametrize("beside", ["", " mirror", " lunch"])
async def test_a_secret_cannot_be_guessed_by_asking(tmp_path: Path, beside: str) -> None:
    """The beginning of a word of one finds as much as any other word, in notes and in replies."""
    about = project(tmp_path)
    (tmp_path / "notes" / "mirror.md").write_text(f"# The mirror\n\nIts password is {LOADED}.\n")
    knowledge = known(tmp_path, reply(f"The mirror's password is {LOADED}."))
    guard = make_guard()
    tool = knowledge_tool(knowledge, guard, about, team_id="T0SANDBOX", chat_id="C0HELP")
    answers = await asyncio.gather(
        *(tool.run(SearchKnowledge(question=f"{guess}{beside}")) for guess in ("4711", "4719"))
    )
    told = [[line for line in said.split("\n") if "⟦end" not in line and "⟦untrusted" not in line] for said in answers]
    assert told[0] == told[1]
    assert ("password is [redacted]" in str(told)) is (beside == " mirror")


async def test_each_place_of_an_answer_has_its_own_whole_envelope(tmp_path: Path) -> None:
    """However long the notes are."""
    about = project(tmp_path)
    for number in range(9):
        text = "Rotate the signing key of the payment gateway. " * 20
        (tmp_path / "notes" / f"{number}.md").write_text(f"# Keys {number}\n\n" + f"{text}\n" * 60)
    tool = knowledge_tool(known(tmp_path), make_guard(), about, team_id="T", chat_id="C")
    said = await tool.run(SearchKnowledge(question=QUESTION))
    assert cut(said, RunLimits().result_bytes) == said
    assert said.count("⟦untrusted") == said.count("⟦end") == PLACES
