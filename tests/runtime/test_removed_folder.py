"""Folders in which programs have written, removed by a bot that is not root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.runtime.removed_folder import remove_folder
from tests.rights import bound_by_modes

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_goes_with_the_folders_that_a_program_has_closed(tmp_path: Path) -> None:
    """Read-only or without any right, at any depth; what a link leads to keeps its files and its mode."""
    other, folder = tmp_path / "other", tmp_path / "folder"
    (other / "kept").mkdir(parents=True)
    (folder / "cache/inner").mkdir(parents=True)
    (folder / "cache/inner/file").touch()
    (folder / "link").symlink_to(other)
    other.chmod(0o500)
    for closed in (folder / "cache/inner", folder / "cache", folder):
        closed.chmod(0o000)
    with bound_by_modes():
        assert remove_folder(folder)
    assert not folder.exists()
    assert (other.stat().st_mode & 0o777, [path.name for path in other.iterdir()]) == (0o500, ["kept"])


def test_what_cannot_be_removed_is_said(tmp_path: Path) -> None:
    """Where the folder above does not let it go."""
    (tmp_path / "above/folder").mkdir(parents=True)
    (tmp_path / "above").chmod(0o500)
    with bound_by_modes():
        assert not remove_folder(tmp_path / "above/folder")
    (tmp_path / "above").chmod(0o700)
    assert remove_folder(tmp_path / "above/folder")
