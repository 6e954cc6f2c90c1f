"""Where a project's folder lies: as it was found, whatever links are put there later; and never the bot's own home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.config.projects import unreadable_reason
from bot.errors import ToolError
from bot.tools import git, roots
from bot.tools.files import _FOLDER, read_lines
from bot.tools.note_folders import NoteFile
from bot.tools.roots import describe_move, keep_home, open_folder, resolve_root
from bot.tools.search import find_text, find_words, list_files
from tests.tools.conftest import commit
from tests.tools.conftest import git as run_git

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bot's own, with one file of its state, in the folder of all that follows."""
    own = tmp_path / "a[1]" / "home"
    own.mkdir(parents=True)
    (own / "events.ndjson").write_text("limit = words of others\n")
    monkeypatch.setattr(roots, "_home", ())
    keep_home(own)
    return own


READINGS: tuple[Callable[[Path], Awaitable[object]], ...] = (
    list_files,
    lambda root: find_words(root, ["limit"]),
    lambda root: find_text(root, ["limit"]),
    lambda root: git.commit_sha(root, "HEAD"),
)


@pytest.mark.parametrize("target", ["{other}", "{home}", "/etc", "../other/docs", "/", "."])
@pytest.mark.parametrize("part", ["mono/docs", "mono"])
async def test_a_folder_that_becomes_a_link_is_not_followed(tmp_path: Path, home: Path, part: str, target: str) -> None:
    """It or one above it, to wherever: no file, no match, no commit, no note; and the reason is told."""
    root, other = tmp_path / "src" / "mono" / "docs", tmp_path / "src" / "other"
    for folder in (root, other / "docs"):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("limit = 3\n")
    run_git(other, "init", "-q")
    commit(other, "one", b_py="limit = 4\n")
    assert read_lines(resolve_root(root), "a.py") == ("limit = 3",)
    assert describe_move(root) is None
    (tmp_path / "src" / part).rename(tmp_path / "was")
    (tmp_path / "src" / part).symlink_to(target.format(other=other, home=home))
    for reading in READINGS:
        with pytest.raises(ToolError, match=r"leads elsewhere|cannot be opened"):
            await reading(root)
    for path in ("a.py", "passwd", "events.ndjson"):
        with pytest.raises(ToolError, match=r"leads elsewhere|cannot be opened"):
            NoteFile(root, path).lines()
    assert str(root) in str(unreadable_reason(root))


def test_a_link_that_is_put_there_between_two_looks_is_not_followed(tmp_path: Path) -> None:
    """The folder is opened step by step."""
    (tmp_path / "real" / "docs").mkdir(parents=True)
    (tmp_path / "mono").symlink_to("real")
    for folder in (tmp_path / "mono" / "docs", tmp_path / "mono"):
        with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
            open_folder(folder, _FOLDER)


@pytest.mark.parametrize("path", ["home/events.ndjson", "./home/../home/events.ndjson", "way", "door/events.ndjson"])
async def test_a_folder_around_the_home_shows_nothing_of_it(tmp_path: Path, home: Path, path: str) -> None:
    """By its name, by a link to it or to a file of it; in no list and in no match. The bot's own reading goes on."""
    around = home.parent
    (around / "a.py").write_text("limit = 3\n")
    (around / "way").symlink_to(home / "events.ndjson")
    (around / "door").symlink_to(home)
    with pytest.raises(ToolError, match="own state"):
        read_lines(around, path)
    assert await list_files(around) == ("a.py",)
    assert [one.path for one in (await find_text(tmp_path, ["limit"])).files] == ["a[1]/a.py"]
    assert read_lines(home, "events.ndjson") == ("limit = words of others",)
    assert await list_files(home) == ("events.ndjson",)
