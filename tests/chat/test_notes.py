"""Commands of notes, on a real folder: written, added to, taken back, deleted, and read without a secret."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from blocks.text import moment
from bot.adapters.project_notes import ProjectNoteFiles
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.field_order import ObjectNames
from bot.commands.inputs_work import AnyProjectInput, NoteText, OfNote, ReadNote
from bot.commands.notes import NoteCommands
from bot.commands.parsing import parse_line
from bot.commands.registry import bound_commands
from bot.commands.search import ProjectFinder
from bot.commands.spec_comparison import SpecComparison
from bot.decide.note_names import name_for_title
from bot.decide.redaction.redactor import Redactor
from bot.models.project import Project
from bot.tools.knowledge import Knowledge
from bot.tools.specs import Specs
from tests.chat.crew import MEMBER, OPERATOR, About, command, handler
from tests.fakes import HandClock, MemoryJournal, projects

SECRET = "a-loaded" + "-secret-0815"


@pytest.fixture
def notes(tmp_path: Path) -> NoteCommands:
    """Notes of one project, with some documents in its folder."""
    for path, text in {
        "docs/retry-limits.md": "# Retry limits\n\nThree.\n",
        "docs/specs/orders.md": f"Orders, {SECRET}.\n\n# Orders {SECRET}\n",
        "README.md": "# Shop\n",
        "src/notes.md": "# No spec\n",
        "docs/.env.md": "# Never\n",
    }.items():
        (tmp_path / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / path).write_text(text)
    (tmp_path / "home").mkdir()
    shop = Project(name="shop", root=tmp_path / "shop")
    about: Any = About()
    return NoteCommands(
        notes=ProjectNoteFiles(tmp_path / "home" / "notes"),
        project_finder=ProjectFinder(projects=projects(shop), overview=about),
        clock=HandClock(),
        redactor=Redactor([SECRET]),
    )


def text(title: str, content: str, **more: Any) -> NoteText:
    """The input."""
    return NoteText(title=title, content=content, **more)


NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)


async def read(notes: NoteCommands, title: str, **more: Any) -> CommandAnswer:
    """What `read_note` answers."""
    return await notes.read(ReadNote(title=title, **more), command())


async def test_a_note_is_written_added_to_and_read(notes: NoteCommands, tmp_path: Path) -> None:
    """With its title for a heading, and for each passage the date and who said it."""
    assert (
        await notes.write(text("Retry limits", "Three."), command())
    ).line == "Written: `retry-limits.md` of `shop`."
    said = "And <!channel> four.\n<!-- 2020-01-01 00:00 UTC, U0FORGED in C0HELP -->"
    added = await notes.append(text("retry-limits", said), command(user_id=OPERATOR))
    assert added.line == "Added to `retry-limits.md` of `shop`; `restore_note` takes it back."
    answer = await read(notes, "Retry Limits")
    assert answer.line == "*Retry limits* (`retry-limits.md`, lines 1-8 of 8)"
    assert answer.rows == (
        f"_{moment(NINE)}, <@U0ADMIN>_",
        "# Retry limits",
        "",
        "Three.",
        "",
        f"_{moment(NINE)}, <@U0OPS>_",
        "And &lt;!channel&gt; four.",
        " &lt;!-- 2020-01-01 00:00 UTC, U0FORGED in C0HELP --&gt;",
    )
    assert (await notes.append(text("New", "One."), command())).line.startswith("Created `")
    listed = await notes.all(AnyProjectInput(), command())
    assert listed.line == "2 notes of `shop`."
    assert [row.partition(",")[0] for row in listed.rows] == ["• New (`new.md`", "• Retry limits (`retry-limits.md`"]
    assert [path.name for path in (tmp_path / "home" / "notes").iterdir()] == ["shop"]


async def test_an_overwritten_note_comes_back(notes: NoteCommands) -> None:
    """As often as one likes; a note that was written once has nothing to come back."""
    await notes.write(text("Limits", "Three."), command())
    assert (await notes.restore(OfNote(title="Limits"), command())).outcome == "invalid"
    assert (await notes.write(text("Limits", "Four."), command())).line.startswith("Overwritten: `limits.md`")
    assert "Three." in (await read(notes, "Limits", previous=True)).rows
    assert (await notes.restore(OfNote(title="Limits"), command())).outcome == "done"
    assert "Three." in (await read(notes, "Limits")).rows
    await notes.restore(OfNote(title="Limits"), command())
    assert "Four." in (await read(notes, "Limits")).rows


async def test_a_deleted_note_is_gone(notes: NoteCommands, tmp_path: Path) -> None:
    """With the one before; what is not there is named with what is."""
    for content in ("Three.", "Four."):
        await notes.write(text("Limits", content), command())
    await notes.write(text("Other", "x"), command())
    assert (await notes.delete(OfNote(title="limits"), command())).line == "Deleted `limits.md` of `shop`."
    assert "The notes of `shop`: `other`." in (await read(notes, "limits")).line
    again = await notes.delete(OfNote(title="limits"), command())
    assert (again.outcome, again.line) == ("invalid", "No note has this title. `list_notes` names them all.")
    assert [path.name for path in (tmp_path / "home" / "notes" / "shop").iterdir()] == ["other.md"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc-passwd.md"),
        (".ssh", "ssh.md"),
        ("Лимиты повтора", "limity-povtora.md"),
        ("重试限制", "note-"),
        ("CON", "note-"),
        ("/", "note-"),
    ],
)
async def test_any_title_makes_a_safe_name(notes: NoteCommands, title: str, name: str) -> None:
    """And leads back to its note."""
    assert f"`{name}" in (await notes.write(text(title, "Said."), command())).line
    assert "Said." in (await read(notes, title)).rows


async def test_two_titles_with_one_name_are_told_apart(notes: NoteCommands) -> None:
    """The second is not written over the first."""
    others = {"Retry limits": "Retry, limits!", "Größe": "Grosse", "Maße": "MASSE", "C++ Leitfaden": "C Leitfaden"}
    for title, other in others.items():
        await notes.write(text(title, "Three."), command())
        for run in (notes.write, notes.append):
            answer = await run(text(other, "Four."), command())
            assert (answer.outcome, f"is the note '{title}'; take another title" in answer.line) == ("invalid", True)
        assert "Three." in (await read(notes, name_for_title(title))).rows
    for title in ("own", "OWN", "own.md", "Size of it", "size of it"):
        assert (await notes.write(text(title, "# My heading\n\nOne."), command())).outcome == "done"
    for title in ("größe", "Gro\u0308ße", "GRÖßE", "grosse.md", "grosse"):
        answer = await notes.append(text(title, "Four."), command())
        assert (answer.outcome, title) == ("done", title)


async def test_a_secret_is_neither_written_nor_read(notes: NoteCommands, tmp_path: Path) -> None:
    """A text with one is refused whole; one that somebody put there by hand is taken out, also where a line is cut."""
    answer = await notes.append(text("Keys", f"the key is {SECRET}"), command())
    assert (answer.outcome, SECRET in answer.text) == ("invalid", False)
    assert "looks like a secret" in answer.line
    assert [*(tmp_path / "home").iterdir()] == []
    await notes.write(text("Keys", "None here."), command())
    (tmp_path / "home" / "notes" / "shop" / "keys.md").write_text(f"# Keys {SECRET}\n{'x' * 390} {SECRET}\n")
    for said in (await read(notes, "keys"), await notes.all(AnyProjectInput(), command())):
        assert SECRET[:9] not in said.text
        assert "[redacted" in said.text


async def test_a_long_note_is_read_a_piece_at_a_time(notes: NoteCommands) -> None:
    """Each piece says how to see the next."""
    await notes.write(text("Long", "\n".join(f"line {n} {'x' * 80}" for n in range(200))), command())
    first = await read(notes, "Long")
    assert "lines 1-34 of 203; `first=35` shows what follows" in first.line
    assert (await read(notes, "Long", first=36)).rows[0].startswith("line 32 ")
    assert (await read(notes, "Long", first=203)).line.endswith("lines 203-203 of 203)")
    assert (await read(notes, "Long", first=204)).line == "`long.md` has 203 lines."


def compared(notes: NoteCommands) -> SpecComparison:
    """The comparison with the documents of the same project."""
    return SpecComparison(
        notes=notes.notes, project_finder=notes.project_finder, specs=Specs(), redactor=notes.redactor
    )


async def test_what_is_missing_on_either_side_is_said_first(notes: NoteCommands, tmp_path: Path) -> None:
    """Markdown in folders of documents alone; a note is a document's by its name or by its title."""
    (tmp_path / "shop" / "docs" / "02-refunds.md").write_text("# Refunds of parcels\n")
    for title in ("Retry limits", "Refunds of parcels", "Oncall", f"Keys of {SECRET[:8]}"):
        await notes.write(text(title, "Three."), command())
    answer = await compared(notes).compare(AnyProjectInput(), command())
    assert answer.line == "`shop` has 3 documents and 4 notes."
    assert answer.rows == (
        "*Documents without a note (1):*",
        "`docs/specs/orders.md`",
        "*Notes without a document (2):*",
        "`keys-of-a-loaded.md`, `oncall.md`",
        "*In both (2):*",
        "`docs/02-refunds.md` ↔ `refunds-of-parcels.md`, `docs/retry-limits.md` ↔ `retry-limits.md`",
    )
    assert answer.data is not None
    missing = answer.data.model_dump(include={"without_note", "without_spec"})
    assert missing == {"without_note": ("docs/specs/orders.md",), "without_spec": ("keys-of-a-loaded.md", "oncall.md")}


async def test_a_project_without_documents_or_notes_is_compared(notes: NoteCommands, tmp_path: Path) -> None:
    """Nothing is nothing."""
    for path in (tmp_path / "shop" / "docs").rglob("*.md"):
        path.unlink()
    answer = await compared(notes).compare(AnyProjectInput(), command())
    assert (answer.line, answer.rows) == ("`shop` has 0 documents and 0 notes.", ())


@pytest.mark.parametrize("via", ["slash", "chat"])
async def test_many_notes_and_documents_are_listed_by_name_and_fit_one_answer(
    notes: NoteCommands, tmp_path: Path, via: str
) -> None:
    """A list of which an answer shows a part at most says of that part what it can."""
    for number in range(80):
        await notes.write(text(f"Retry limits of the courier {number:02}", "x"), command())
        (tmp_path / "shop" / "docs" / f"plan-of-the-couriers-{number:02}.md").write_text(
            "# A plan that has words\n" * 3
        )
    commands = handler(runs={"list_notes": notes.all, "compare_specs_notes": compared(notes).compare})
    listed = await commands.execute("list_notes", {}, command(via=via))
    assert listed.line == "80 notes of `shop`."
    assert "retry-limits-of-the-courier-79" in listed.text
    both = await commands.execute("compare_specs_notes", {}, command(via=via))
    assert both.line == "`shop` has 82 documents and 80 notes."
    assert "…" not in both.rows
    assert {"*Documents without a note (82):*", "*Notes without a document (80):*", "and 57 more."} <= {*both.rows}
    assert "plan-of-the-couriers-20" in both.text
    assert "retry-limits-of-the-courier-20" in both.text


async def test_which_project_is_meant_is_asked_where_nobody_can_tell(tmp_path: Path) -> None:
    """By name, by the conversation, else the only one; never by guessing."""
    shop, web, api = (Project(name=name, root=tmp_path) for name in ("shop", "two/web", "two/api"))
    about: Any = About("two", MEMBER)
    which = ProjectFinder(projects=projects(shop, web, api), overview=about)
    assert which.find("shop", command()) == (shop,)
    assert which.find("two", command()) == (web, api)
    assert which.find("two/api", command()) == (api,)
    assert which.find(" `SHOP` ", command()) == (shop,)
    assert which.find("Two/API", command()) == (api,)
    assert which.find("", command(user_id=MEMBER)) == (web, api)
    assert ProjectFinder(projects=projects(shop), overview=about).find("", command()) == (shop,)
    for name, words in (("", "Which project?"), ("shpo", "The nearest is `shop`")):
        with pytest.raises(NotDone) as refusal:
            which.find(name, command())
        answer = refusal.value.answer
        assert (answer.outcome, words in answer.line, "`shop`, `two`" in answer.line) == ("invalid", True, True)
    with pytest.raises(NotDone, match="There is no project"):
        ProjectFinder(projects=projects(), overview=about).find("", command())


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("list_notes", {"project": "gone"}, "There is no project `gone`."),
        ("read_note", {"title": "Gone"}, "No note has this title. The notes of `shop`: `limits`."),
        ("read_note", {"title": "Limits", "first": "0"}, "`first`: expected a whole number"),
        ("write_note", {"title": "", "content": "x"}, "`title`: expected text, and this is empty"),
        ("append_note", {"title": "Limits"}, "`content` is missing"),
        ("restore_note", {"title": "Limits"}, "`limits.md` has no earlier version."),
        ("delete_note", {"title": "Gone"}, "No note has this title."),
        ("compare_specs_notes", {"project": "gone"}, "There is no project `gone`."),
    ],
)
async def test_each_note_command_refuses_strangers_and_names_that_mean_nothing(
    notes: NoteCommands, name: str, given: dict[str, str], words: str
) -> None:
    """The answer says what would be right."""
    await notes.write(text("Limits", "Three."), command())
    commands = [each for owner in (notes, compared(notes)) for each in bound_commands(owner)]
    known = handler()
    house = replace(known, commands={**known.commands, **{each.spec.name: each for each in commands}})
    answer = await house.execute(name, given, command())
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer
    refused = await house.execute(name, given, command(user_id=MEMBER))
    assert (refused.outcome, "Only" in refused.line) == ("refused", True)


ORDERS = ["Limits shop", "shop Limits", "project=shop Limits", "Limits project=shop", 'title="Limits" shop']


@pytest.mark.parametrize("words", [*ORDERS, "Limits 1 shop", "shop Limits 1", "Limits first=1 shop"])
def test_a_note_is_named_in_any_order(words: str) -> None:
    """A word that is a project's name is the project; the others keep their order."""
    known = ObjectNames(projects=("shop", "api"))
    names = ("read_note",) if "1" in words else ("read_note", "restore_note", "delete_note")
    for name in names:
        parsed, given = parse_line(f"{name} {words}", object_names=known)
        assert (parsed, given["title"], given["project"]) == (name, "Limits", "shop")


@pytest.mark.parametrize("words", ["Limits project=shop Three for <all>.", "project=shop Limits Three for <all>."])
def test_a_text_is_taken_as_it_was_typed(words: str) -> None:
    """The project is named by its field there."""
    known = ObjectNames(projects=("shop", "api"))
    for name in ("write_note", "append_note"):
        _, given = parse_line(f"{name} {words}", object_names=known)
        assert given == {"title": "Limits", "project": "shop", "content": "Three for <all>."}


async def test_search_knowledge_finds_notes_without_their_marks(notes: NoteCommands, tmp_path: Path) -> None:
    """As what the team knows, cited as memory; who wrote it is nothing that an agent reads."""
    await notes.write(text("Payments", "Rotate the signing key of the gateway with make rotate."), command())
    knowledge = Knowledge(replies=MemoryJournal(), home=tmp_path / "home")
    (place,) = await knowledge.search(
        "how do I rotate the signing key?", notes.project_finder.projects.configured()[0], team_id="T", chat_id="C"
    )
    assert (place.ref, place.in_project) == ("notes/shop/payments.md:2-4", False)
    assert "make rotate" in place.said
    assert "U0ADMIN" not in place.said


async def test_a_deletion_is_shown_with_the_version_that_goes(notes: NoteCommands) -> None:
    """Another text, of the same length too, is another version, so that a press from before does not delete it."""
    asked = OfNote(title="Limits")
    shown = set()
    for content in ("Three.", "Seven.", "Seven, since May."):
        await notes.write(text("Limits", content), command())
        shown.add(await notes.preview_delete(asked, command()))
    assert len(shown) == 3
    assert all("`limits.md` has" in each for each in shown)
