"""Tools that change files: text files of their folder, and nothing else, whatever a model asks."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from bot.errors import ToolError
from bot.tools.edit_tools import MAX_FILES, DeleteFile, EditFile, EditTools, WriteFile
from bot.tools.edited_files import MAX_FILE_BYTES, overwrite_file
from tests.tools.conftest import make_guard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CODE = "def limit():\n    return 3\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file, beside a file that no tool may reach."""
    (root := tmp_path / "tree").mkdir()
    (root / "src").mkdir()
    (root / "src/a.py").write_text(CODE)
    (tmp_path / "outside.py").write_text(CODE)
    return root


def tools(root: Path, **fields: Any) -> EditTools:
    """The tools of a run."""
    return EditTools(root=root, guard=make_guard(), **fields)


def listed(root: Path) -> dict[str, bytes]:
    """All files, outside of the folder as well."""
    files = (path for path in root.parent.rglob("*") if path.is_file())
    return {str(path.relative_to(root.parent)): path.read_bytes() for path in files}


async def test_changes_are_on_disk_and_on_record(root: Path) -> None:
    """With the content before the first of them; a change that was taken back is none."""
    desk = tools(root)
    said = await desk.edit_file(EditFile(path="./src/a.py", old="    return 3\n", new="    # four\n    return 4\n"))
    assert said == "Changed line 2 of src/a.py, now 3 in place of 2."
    await desk.write_file(WriteFile(path="tests/new/test_a.py", content="assert limit() == 4\n"))
    await desk.write_file(WriteFile(path="gone.txt", content="x"))
    await desk.delete_file(DeleteFile(path="gone.txt"))
    assert (root / "src/a.py").read_text() == CODE.replace("    return 3", "    # four\n    return 4")
    assert [(file.change.status, file.path) for file in desk.changes] == [
        ("modified", "src/a.py"),
        ("added", "tests/new/test_a.py"),
    ]
    assert "-    return 3\n+    # four\n+    return 4\n" in desk.patch
    await desk.edit_file(EditFile(path="src/a.py", old="# four\n    return 4", new="return 3"))
    await desk.delete_file(DeleteFile(path="tests/new/test_a.py"))
    assert (desk.changes, desk.patch) == ((), "")
    await desk.delete_file(DeleteFile(path="src/a.py"))
    assert [(each.change.status, each.digest) for each in desk.changes] == [("deleted", "")]


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py",
        "src/../../outside.py",
        "src/../src/a.py",
        "src//a.py",
        "src/./a.py",
        "src/",
        "/etc/passwd",
        ".",
        "./",
        "a\0b",
        "a\nb.py",
        "a\u202eb.py",
        ".git",
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "src/.git/config",
        ".g\u200dit/config",
        ".git./config",
        "\uff0egit/config",
        ".gitmodules",
        ".env",
        "src/.env.local",
        "key.pem",
        ".ssh/id_rsa",
        "secrets/a.py",
        "link/outside.py",
        "link.py",
        "hard.py",
        "pipe",
        "folder",
        "vendor/a.py",
        "/".join(["a"] * 40),
        "a" * 300,
    ],
)
async def test_a_hostile_path_changes_nothing(root: Path, path: str) -> None:
    """Neither outside, nor through a link, nor in git, nor where secrets may be."""
    (root / "link").symlink_to("..")
    (root / "link.py").symlink_to("../outside.py")
    os.link(root.parent / "outside.py", root / "hard.py")
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    before = listed(root)
    desk = tools(root, ignore=("vendor/**",))
    for request in (
        EditFile(path=path, old="return 3", new="return 4"),
        WriteFile(path=path, content="x\n"),
        DeleteFile(path=path),
    ):
        run: Callable[[Any], Any] = next(tool.run for tool in desk.tools if tool.input is type(request))
        with pytest.raises(ToolError):
            await run(request)
    assert listed(root) == before
    assert desk.changes == ()


@pytest.mark.parametrize(
    ("content", "old", "new", "complaint"),
    [
        (CODE, "return 5", "x", "does not occur"),
        (CODE * 2, "return 3", "x", "occurs 2 times"),
        (CODE, "return 3", "return '[redacted]'", "stands for a secret"),
        (CODE, "return 3", "\0", "binary"),
        ("a\0b", "a", "b", "binary"),
        (b"caf\xe9", "caf", "b", "no UTF-8 text"),
        ("x" * (MAX_FILE_BYTES + 1), "x", "b", "larger than"),
        (f"{'x' * (MAX_FILE_BYTES - 1)}y", "y", "yyyy", "larger than"),
    ],
)
async def test_an_edit_that_cannot_be_made_says_why(
    root: Path, content: str | bytes, old: str, new: str, complaint: str
) -> None:
    """The file stays as it is."""
    before = content.encode() if isinstance(content, str) else content
    (root / "src/a.py").write_bytes(before)
    with pytest.raises(ToolError, match=re.escape(complaint)):
        await tools(root).edit_file(EditFile(path="src/a.py", old=old, new=new))
    assert (root / "src/a.py").read_bytes() == before


async def test_windows_line_ends_and_modes_stay(root: Path) -> None:
    """As a tool shows lines without their ends."""
    (root / "run.sh").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (root / "run.sh").chmod(0o755)
    await tools(root).edit_file(EditFile(path="run.sh", old="one\ntwo", new="one\n2\nand"))
    assert (root / "run.sh").read_bytes() == b"one\r\n2\r\nand\r\nthree\r\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755


async def test_a_file_that_something_else_changed_is_not_touched(root: Path) -> None:
    """A check or another program may write there; a link put there meanwhile is not followed."""
    desk = tools(root)
    await desk.edit_file(EditFile(path="src/a.py", old="3", new="4"))
    (root / "src/a.py").write_text("def limit(): return 9\n")
    with pytest.raises(ToolError, match="changed by something else"):
        await desk.edit_file(EditFile(path="src/a.py", old="9", new="5"))
    (root / "src/a.py").unlink()
    (root / "src/a.py").symlink_to("../../outside.py")
    with pytest.raises(ToolError, match="without following a link"):
        overwrite_file(root, "src/a.py", b"x")
    assert (root.parent / "outside.py").read_text() == CODE


async def test_the_number_of_files_is_limited(root: Path) -> None:
    """Files that are changed already may be changed again."""
    desk = tools(root)
    for number in range(MAX_FILES):
        await desk.write_file(WriteFile(path=f"new/{number}.txt", content="x"))
    with pytest.raises(ToolError, match="at most"):
        await desk.write_file(WriteFile(path="one-more.txt", content="x"))
    await desk.edit_file(EditFile(path="new/3.txt", old="x", new="y"))
    assert len(desk.changes) == MAX_FILES


async def test_a_new_file_that_git_would_ignore_is_not_made(root: Path) -> None:
    """No commit would have it; a file that is there already may be changed, and other tools' lists do not count."""
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / ".ignore").write_text("docs/\n")
    (root / "kept.log").write_text("one\n")
    desk = tools(root)
    for path in ("build/x.js", "src/a.log"):
        with pytest.raises(ToolError, match=r"no commit would have it, so it is not made"):
            await desk.write_file(WriteFile(path=path, content="x"))
        assert not (root / path).exists()
    await desk.write_file(WriteFile(path="docs/a.md", content="x"))
    await desk.write_file(WriteFile(path=".hidden", content="x"))
    await desk.edit_file(EditFile(path="kept.log", old="one", new="two"))
    await desk.delete_file(DeleteFile(path="kept.log"))
    await desk.write_file(WriteFile(path="kept.log", content="three\n"))
    assert [file.path for file in desk.changes] == [".hidden", "docs/a.md", "kept.log"]


async def test_a_link_of_the_repository_is_never_changed(root: Path) -> None:
    """A workspace has it as a plain file; git would take the change for another place that it leads to."""
    (root / "link").write_text("src/a.py")
    desk = tools(root, links=("link", "gone"))
    for work in (
        desk.edit_file(EditFile(path="./link", old="src/a.py", new="/etc")),
        desk.delete_file(DeleteFile(path="link")),
        desk.write_file(WriteFile(path="gone", content="/etc")),
    ):
        with pytest.raises(ToolError, match="is a symbolic link of the repository"):
            await work
    assert (desk.changes, (root / "link").read_text()) == ((), "src/a.py")
