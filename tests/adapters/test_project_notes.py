"""The notes of projects on a real disk: whole, private, and never out of their folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bot.adapters.project_notes import ProjectNoteFiles
from bot.errors import Refused
from bot.models.note import MOST_BYTES


@pytest.fixture
def shelf(tmp_path: Path) -> ProjectNoteFiles:
    """Notes below a folder that is not there yet."""
    return ProjectNoteFiles(tmp_path / "notes")


async def put(shelf: ProjectNoteFiles, content: str, name: str = "limits.md", project: str = "shop") -> bool:
    """Write a note."""
    return await shelf.change(project, name, lambda _: content)


async def test_a_note_is_written_kept_and_removed(shelf: ProjectNoteFiles, tmp_path: Path) -> None:
    """Private to the bot, with what stood there before; when it is removed no byte is left."""
    assert await shelf.list_all("shop") == ()
    assert await shelf.read("shop", "limits.md") is None
    assert not await put(shelf, "# Limits\n\nThree.\n")
    assert await put(shelf, "# Limits\n\nFour.\n")
    assert await put(shelf, "# Limits\n\nFour.\n")
    assert await shelf.read("shop", "limits.md") == "# Limits\n\nFour.\n"
    assert await shelf.read("shop", "limits.md", previous=True) == "# Limits\n\nThree.\n"
    (note,) = await shelf.list_all("shop")
    assert (note.name, note.title, note.size) == ("limits.md", "Limits", 16)
    folder = tmp_path / "notes" / "shop"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, *folder.iterdir())}
    assert modes == {"notes": 0o700, "shop": 0o700, "limits.md": 0o600, ".limits.md.previous": 0o600}
    assert await shelf.remove("shop", "limits.md")
    assert [*folder.iterdir()] == []
    assert not await shelf.remove("shop", "limits.md")


async def test_all_notes_of_a_project_are_removed(shelf: ProjectNoteFiles, tmp_path: Path) -> None:
    """With their earlier versions and what a dead process left; those of others stay, and so does what is no note."""
    for name in ("limits.md", "deploy.md"):
        for content in ("one", "two"):
            await put(shelf, content, name)
    await put(shelf, "x", project="api")
    folder = tmp_path / "notes" / "shop"
    (folder / ".limits.md.tmp").write_text("half")
    (folder / "readme.txt").write_text("by hand")
    assert [await shelf.remove_all(project) for project in ("shop", "shop", "none")] == [2, 0, 0]
    assert sorted(path.name for path in (tmp_path / "notes").glob("*/*")) == ["limits.md", "readme.txt"]


@pytest.mark.parametrize("project", ["..", ".", "", "shop/api", ".hidden", "a" * 100])
async def test_no_other_name_is_a_project(shelf: ProjectNoteFiles, project: str, tmp_path: Path) -> None:
    """Nothing is made for it."""
    with pytest.raises(Refused):
        await put(shelf, "x", project=project)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


async def test_links_and_special_files_are_not_opened(shelf: ProjectNoteFiles, tmp_path: Path) -> None:
    """Neither read, listed nor written through; a folder that is a link is refused."""
    await put(shelf, "mine")
    secret = tmp_path / "secret.md"
    secret.write_text("theirs")
    folder = tmp_path / "notes" / "shop"
    (folder / "link.md").symlink_to(secret)
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    assert [note.name for note in await shelf.list_all("shop")] == ["limits.md"]
    for name in ("link.md", "pipe.md", "folder.md"):
        with pytest.raises(Refused):
            await shelf.read("shop", name)
        with pytest.raises(Refused):
            await put(shelf, "x", name)
    (tmp_path / "notes" / "other").symlink_to(folder)
    with pytest.raises(Refused):
        await shelf.read("other", "limits.md")
    assert secret.read_text() == "theirs"


async def test_a_note_has_an_end(shelf: ProjectNoteFiles, tmp_path: Path) -> None:
    """One that grows too long stays as it was; one that was made too long by hand is not read."""
    await put(shelf, "short")
    with pytest.raises(Refused, match="at most"):
        await put(shelf, "x" * (MOST_BYTES + 1))
    assert await shelf.read("shop", "limits.md") == "short"
    (tmp_path / "notes" / "shop" / "long.md").write_text("x" * (MOST_BYTES + 1))
    with pytest.raises(Refused):
        await shelf.read("shop", "long.md")


async def test_what_a_kill_left_beside_a_note_is_written_over(shelf: ProjectNoteFiles, tmp_path: Path) -> None:
    """It was never a note."""
    await put(shelf, "one")
    for name in (".limits.md.tmp", ".limits.md.kept.tmp"):
        (tmp_path / "notes" / "shop" / name).write_text("half")
    await put(shelf, "two")
    assert sorted(path.name for path in (tmp_path / "notes" / "shop").iterdir()) == [".limits.md.previous", "limits.md"]
