"""What is never read: by name however it is spelled, by place, below and above the root, and by hard links."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from bot.errors import ToolError
from bot.tools import search
from bot.tools.denied_paths import denied_part, is_denied
from bot.tools.files import read_lines
from measure.attack.secrets import DENIED, SPELLINGS
from tests.tables import each_row

if TYPE_CHECKING:
    from pathlib import Path

HELD = "canary-outside\n"


@each_row("path", DENIED)
def test_a_name_is_denied_in_every_spelling(path: str) -> None:
    """In capitals, with what nobody sees in it, in look-alikes, with what some systems drop."""
    assert [spelling(path) for spelling in SPELLINGS if not is_denied(spelling(path))] == []


@each_row(
    "path",
    [
        *(
            "src/tokens.py",
            "secret.go",
            "src/shadow/dom.ts",
            "keys.md",
            "settings.xml",
            ".github/config.yml",
            "monkey.py",
        ),
        *(
            "gradle.properties",
            "history.py",
            "design/tokens.json",
            "config/gh.yml",
            "environment.ts",
            "src/password.rb",
        ),
        *("docs/keyboard.md", "private.py", "public_key.txt", "azure/main.tf", "src/aws.go", "CHANGELOG.md", "a:b.py"),
    ],
)
def test_ordinary_names_are_read(path: str) -> None:
    """Source that speaks of keys and secrets is source."""
    assert not is_denied(path)


@pytest.mark.parametrize("folder", [".kube", ".docker", "secrets", ".config/gh", ".SSH", "a/.aws/b"])
async def test_a_root_in_a_denied_folder_is_not_read(tmp_path: Path, folder: str) -> None:
    """Nor by a link to it: no file is opened, none is found."""
    root = tmp_path / folder
    root.mkdir(parents=True)
    (root / "config").write_text(HELD)
    link = tmp_path / "shop"
    link.symlink_to(root)
    for place in (root, link):
        with pytest.raises(ToolError, match="never read"):
            read_lines(place, "config")
        with pytest.raises(ToolError, match="never read"):
            await search.find_text(place, ["canary"])
        with pytest.raises(ToolError, match="never read"):
            await search.list_files(place)
    assert denied_part(root.as_posix())


async def test_names_that_only_look_different_are_not_searched(tmp_path: Path) -> None:
    """What ripgrep's patterns do not know is left out of what it found."""
    for name in ("ѕecrets.txt", "id_\u200drsa", "server.kеy"):
        (tmp_path / name).write_text(HELD)
    (tmp_path / "a.txt").write_text(HELD)
    assert await search.list_files(tmp_path) == ("a.txt",)
    assert [found.path for found in (await search.find_text(tmp_path, ["canary"])).files] == ["a.txt"]


def test_a_hard_link_out_of_the_root_is_not_read(tmp_path: Path) -> None:
    """One to a file outside is refused; two names of one file below the root are well."""
    outside, root = tmp_path / "id_rsa", tmp_path / "root"
    outside.write_text(HELD)
    (root / "docs").mkdir(parents=True)
    os.link(outside, root / "readme.md")
    with pytest.raises(ToolError, match="another name outside"):
        read_lines(root, "readme.md")
    (root / "a.md").write_text("fine\n")
    os.link(root / "a.md", root / "docs" / "b.md")
    assert read_lines(root, "docs/b.md") == ("fine",)
    os.link(root / "a.md", tmp_path / "c.md")
    with pytest.raises(ToolError, match="copy it"):
        read_lines(root, "docs/b.md")
    (tmp_path / "c.md").unlink()
    assert read_lines(root, "docs/b.md") == ("fine",)


def test_a_checkout_made_of_links_is_read(tmp_path: Path) -> None:
    """What git holds of a project is no news, however many names it has; what was linked into it is refused."""

    def run(*command: str) -> None:
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    def git(*arguments: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        run("git", *named, *arguments)

    first = tmp_path / "first"
    first.mkdir()
    git("init", "-q", "first")
    (first / "a.py").write_text("limit = 3\n")
    git("-C", "first", "add", ".")
    git("-C", "first", "commit", "-qm", "First")
    run("cp", "-al", "first", "second")
    git("clone", "-q", "--local", "first", "third")
    for root in (first, tmp_path / "second", tmp_path / "third"):
        assert read_lines(root, "a.py") == ("limit = 3",)
    (tmp_path / "note").write_text(HELD)
    os.link(tmp_path / "note", tmp_path / "second" / "b.py")
    with pytest.raises(ToolError, match="another name outside"):
        read_lines(tmp_path / "second", "b.py")


def test_an_archive_is_no_text(tmp_path: Path) -> None:
    """Nothing in it is unpacked."""
    (tmp_path / ".env").write_text(HELD)
    for name, options in (("a.tar", "cf"), ("a.tgz", "czf")):
        subprocess.run(("tar", options, name, ".env"), cwd=tmp_path, check=True)  # noqa: S607  # the system's
        with pytest.raises(ToolError, match="binary"):
            read_lines(tmp_path, name)
