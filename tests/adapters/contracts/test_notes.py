"""Notes of projects: with the version before, one change at a time, and never under another name."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from bot.errors import Refused
from bot.models.note import MOST_BYTES
from bot.ports.notes import ProjectNotes
from tests.adapters.contracts.backends import Backend


@pytest.fixture
def notes(backend: Backend) -> ProjectNotes:
    """No note."""
    return backend.storage.notes


async def put(notes: ProjectNotes, content: str, name: str = "limits.md", project: str = "shop") -> bool:
    """Write a note."""
    return await notes.change(project, name, lambda _: content)


async def test_a_note_is_written_kept_and_removed(notes: ProjectNotes) -> None:
    """With what stood there before; when it is removed nothing is left."""
    assert await notes.list_all("shop") == ()
    assert await notes.read("shop", "limits.md") is None
    assert not await put(notes, "# Limits\n\nThree.\n")
    assert await notes.read("shop", "limits.md", previous=True) is None
    assert await put(notes, "# Limits\n\nFour.\n")
    assert await put(notes, "# Limits\n\nFour.\n")
    assert await notes.read("shop", "limits.md") == "# Limits\n\nFour.\n"
    assert await notes.read("shop", "limits.md", previous=True) == "# Limits\n\nThree.\n"
    (note,) = await notes.list_all("shop")
    assert (note.name, note.title, note.size) == ("limits.md", "Limits", 16)
    assert await notes.remove("shop", "limits.md")
    assert not await notes.remove("shop", "limits.md")
    assert await notes.read("shop", "limits.md", previous=True) is None


async def test_every_text_is_a_note(notes: ProjectNotes) -> None:
    """Half a character becomes a question mark, as in a file."""
    await put(notes, "half \ud800, nul \0")
    assert await notes.read("shop", "limits.md") == "half ?, nul \0"


async def test_all_notes_of_a_project_are_removed(notes: ProjectNotes) -> None:
    """With their earlier versions; those of others stay."""
    for name in ("limits.md", "deploy.md"):
        for content in ("one", "two"):
            await put(notes, content, name)
    await put(notes, "x", project="api")
    assert [note.name for note in await notes.list_all("shop")] == ["deploy.md", "limits.md"]
    assert [await notes.remove_all(project) for project in ("shop", "shop", "none")] == [2, 0, 0]
    assert (await notes.list_all("shop"), await notes.read("api", "limits.md")) == ((), "x")


async def test_changes_of_one_note_come_one_after_the_other(notes: ProjectNotes) -> None:
    """None is lost, however many come at the same time."""
    await asyncio.gather(
        *(notes.change("shop", "log.md", lambda known, n=n: f"{known or ''}{n}\n") for n in range(20))  # type: ignore[misc]  # n is bound at once
    )
    assert sorted((await notes.read("shop", "log.md") or "").split(), key=int) == [str(n) for n in range(20)]


@pytest.mark.parametrize("name", ["../limits.md", ".limits.md", "a/b.md", "limits", "Limits.md", "", "x" * 200 + ".md"])
async def test_no_other_name_is_a_note(notes: ProjectNotes, name: str) -> None:
    """Whatever a caller makes of a title."""
    for call in (partial(put, notes, "x"), partial(notes.read, "shop"), partial(notes.remove, "shop")):
        with pytest.raises(Refused):
            await call(name)


@pytest.mark.parametrize("project", ["..", ".", "", "shop/api", ".hidden", "a" * 100])
async def test_no_other_name_is_a_project(notes: ProjectNotes, project: str) -> None:
    """Nothing is read, listed or written for it."""
    for call in (partial(put, notes, "x", "limits.md"), notes.list_all, notes.remove_all):
        with pytest.raises(Refused):
            await call(project)


async def test_a_note_has_an_end(notes: ProjectNotes) -> None:
    """One that grows too long, or whose maker refuses, stays as it was."""
    await put(notes, "short")
    with pytest.raises(Refused, match="at most"):
        await put(notes, "x" * (MOST_BYTES + 1))

    def refuse(_: str | None) -> str:
        raise Refused("no", code="no")

    with pytest.raises(Refused, match="no"):
        await notes.change("shop", "limits.md", refuse)
    assert await notes.read("shop", "limits.md") == "short"
