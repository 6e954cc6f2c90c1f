"""git that belongs to another user: a configured root is read all the same."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from bot.tools import git

if TYPE_CHECKING:
    from pathlib import Path


def repository(root: Path) -> None:
    """One commit, all of it owned by somebody else."""
    (root / "inner").mkdir()
    (root / "inner" / "a.py").write_text("x = 1\n")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for arguments in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "one")):
        subprocess.run(["git", *arguments], cwd=root, check=True)  # noqa: S607  # git of the developer
    for path in (root, *root.rglob("*")):
        os.chown(path, 12345, 12345)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("folder", [".", "inner"])
async def test_a_repository_of_another_user_is_read(tmp_path: Path, folder: str) -> None:
    """Its commit is found, at its root and in a folder of it, though git calls its ownership dubious."""
    repository(tmp_path)
    assert len(await git.commit_sha(tmp_path / folder, "HEAD")) == 40
