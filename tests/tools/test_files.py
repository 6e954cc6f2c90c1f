"""What an agent may read: inside the root, no secrets, regular text files of a bearable size."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bot.errors import ToolError
from bot.tools import files
from bot.tools.denied_paths import is_denied
from bot.tools.files import read_lines, resolve_file
from tests.tables import each_row

if TYPE_CHECKING:
    from pathlib import Path


@each_row(
    "path",
    [
        ".env",
        ".env.local",
        "deploy/prod.env",
        "certs/server.PEM",
        "tls/private.key",
        "id_rsa",
        "home/id_ed25519.pub",
        "kubeconfig.yaml",
        ".npmrc",
        "a/.netrc",
        ".pypirc",
        "credentials.json",
        "config/secrets.yml",
        ".git/config",
        "vendor/x/.git/HEAD",
        ".aws/config",
        "infra/terraform.tfstate.backup",
    ],
)
def test_names_of_secrets_are_denied(path: str) -> None:
    """A path is denied when any part of it is on the list, in any case."""
    assert is_denied(path)


@pytest.mark.parametrize(
    "path", ["bot/config/settings.py", "docs/keys.md", "environment.py", ".github/workflows/ci.yml", "monkey.py"]
)
def test_other_names_are_not_denied(path: str) -> None:
    """A name that only resembles one on the list is readable."""
    assert not is_denied(path)


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "/etc/passwd",
        "sub/../../outside.txt",
        "link_out",
        "folder_out/outside.txt",
        "sub",
        ".",
        "",
        "a\0b",
        "missing.txt",
        "pipe",
        "loop",
        "x" * 5000,
        "\ud800",
        "link_to_secret",
        ".env",
    ],
)
def test_nothing_but_a_readable_file_of_the_root_is_opened(tmp_path: Path, path: str) -> None:
    """Every way out of the root, to a secret or to something that is no file ends in a tool's error."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside\n")
    (root / "link_out").symlink_to(tmp_path / "outside.txt")
    (root / "folder_out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / ".env").write_text("TOKEN=1\n")
    (root / "link_to_secret").symlink_to(root / ".env")
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolError):
        resolve_file(root, path)
    with pytest.raises(ToolError):
        read_lines(root, path)


def test_a_link_inside_the_root_is_followed(tmp_path: Path) -> None:
    """A symbolic link that stays in the root gives the file that it leads to."""
    (tmp_path / "real.txt").write_text("one\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert resolve_file(tmp_path, "link.txt") == (tmp_path / "real.txt").resolve()
    assert read_lines(tmp_path, "link.txt") == ("one",)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", ()),
        (b"one", ("one",)),
        (b"one\ntwo\n", ("one", "two")),
        (b"one\r\ntwo\r\n", ("one", "two")),
        (b"one\n\n\n", ("one", "", "")),
        (b"a\x0cb\x0bc\nd", ("a\x0cb\x0bc", "d")),
        ("a\u2028b\u0085c\n".encode(), ("a\u2028b\u0085c",)),
        (b"a\rb\n", ("a\rb",)),
        (b"\xef\xbb\xbfone\n", ("one",)),
        (b"caf\xe9\n", ("caf\ufffd",)),
    ],
)
def test_lines_end_at_newlines_only(tmp_path: Path, content: bytes, lines: tuple[str, ...]) -> None:
    """No other character ends a line, so line numbers are those of an editor and of ripgrep."""
    (tmp_path / "a.txt").write_bytes(content)
    assert read_lines(tmp_path, "a.txt") == lines


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """A NUL byte makes a file binary."""
    (tmp_path / "a.bin").write_bytes(b"text\0more")
    with pytest.raises(ToolError, match="binary"):
        read_lines(tmp_path, "a.bin")


@pytest.mark.parametrize(("size", "fits"), [(files.MAX_BYTES, True), (files.MAX_BYTES + 1, False)])
def test_a_file_above_the_cap_is_refused(tmp_path: Path, size: int, fits: bool) -> None:
    """The cap is two million bytes, that many included."""
    (tmp_path / "big.txt").write_bytes(b"x" * size)
    if fits:
        assert len(read_lines(tmp_path, "big.txt")) == 1
    else:
        with pytest.raises(ToolError, match="larger"):
            read_lines(tmp_path, "big.txt")


@pytest.mark.parametrize("swapped", ["sub/a.txt", "sub"])
def test_a_link_put_in_place_after_the_check_is_not_followed(tmp_path: Path, swapped: str) -> None:
    """Between the check and the open a file or a folder may be swapped for a link; the open refuses it."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.txt").write_text("inside\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_text("outside\n")
    found = resolve_file(root, "sub/a.txt")
    (root / swapped).rename(tmp_path / "moved")
    (root / swapped).symlink_to(tmp_path / "elsewhere" / ("a.txt" if swapped.endswith("txt") else ""))
    with pytest.raises(ToolError):
        files._read(root, found, "sub/a.txt")
