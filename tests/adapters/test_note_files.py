"""Notes on a real disk: whole, never over another file, never out of their folder."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.adapters.note_files import NoteFileWriter
from bot.errors import Refused

NAMES = ("limits.md", "limits-2.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of notes."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


async def test_a_note_is_written_whole_and_readable(folder: Path) -> None:
    """Under the first name; nothing else is left in the folder."""
    assert await NoteFileWriter().write(folder, NAMES, "The limit is 3.\n") == "limits.md"
    assert (folder / "limits.md").read_text() == "The limit is 3.\n"
    assert stat.S_IMODE((folder / "limits.md").stat().st_mode) == 0o644
    assert [path.name for path in folder.iterdir()] == ["limits.md"]


async def test_a_note_never_overwrites_another(folder: Path) -> None:
    """It gets the next name; the same bytes are the same note, so that a crash leaves one."""
    (folder / "limits.md").write_text("older")
    assert await NoteFileWriter().write(folder, NAMES, "newer") == "limits-2.md"
    assert await NoteFileWriter().write(folder, NAMES, "newer") == "limits-2.md"
    assert (folder / "limits.md").read_text() == "older"
    with pytest.raises(Refused, match="too many"):
        await NoteFileWriter().write(folder, NAMES, "a third")
    assert sorted(path.name for path in folder.iterdir()) == ["limits-2.md", "limits.md"]


@pytest.mark.parametrize("exists", [True, False])
async def test_a_symbolic_link_is_not_followed(folder: Path, exists: bool) -> None:
    """Neither to a file elsewhere nor to one that is to come."""
    outside = folder.parent / "outside.md"
    if exists:
        outside.write_text("theirs")
    (folder / "limits.md").symlink_to(outside)
    assert await NoteFileWriter().write(folder, NAMES, "theirs") == "limits-2.md"
    assert outside.exists() == exists


async def test_a_folder_that_became_a_link_is_refused(folder: Path) -> None:
    """What it leads to is not the team's folder of notes."""
    link = folder.parent / "link"
    link.symlink_to(folder)
    with pytest.raises(Refused):
        await NoteFileWriter().write(link, NAMES, "x")
    assert [*folder.iterdir()] == []
