"""What the tests of the tools share: a project in a real repository, a guard, and canaries put together here."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import count
from pathlib import Path

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.tools.guard import Guard

LOADED = "val" + "ue-of-a-loaded-" + "secret-4711"
"""Known by its value."""
TOKEN = "".join(("gh", "p_", "a1B2c3D4" * 5))
"""Known by its family."""
_WHO = {"NAME": "Ana", "EMAIL": "ana@example.com"}


def make_guard(*secrets: str) -> Guard:
    """A guard whose nonces can be told in advance."""
    numbers = count(1)
    return Guard(redactor=Redactor(secrets or (LOADED,)), new_nonce=lambda: f"n{next(numbers)}")


def git(root: Path, *arguments: str, when: str = "2026-01-05T09:00:00+00:00") -> str:
    """Run git in a repository of a test."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
    days = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", **who, **days}
    program = shutil.which("git") or "git"
    done = subprocess.run([program, *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(root: Path, message: str, **files: str) -> str:
    """Write files (`a__b_py` is `a/b.py`), commit them; the answer is the SHA."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_md", ".md").replace("dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "--force", ".")
    git(root, "commit", "--quiet", "--message", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder `app` of a repository that is larger than the project."""
    repository = tmp_path / "repository"
    (repository / "app").mkdir(parents=True)
    git(repository, "init", "--quiet", "--initial-branch=main")
    return repository / "app"
