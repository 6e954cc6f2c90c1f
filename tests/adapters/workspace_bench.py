"""Repositories on disk for tests of workspaces: an origin, its bare remote, and one that does what it can to bite."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from bot.adapters.checkouts.workspaces import GitWorkspaces
from bot.models.project import Repository
from bot.models.workspace import Author, WorkRepository
from bot.tools.denied_paths import is_denied
from bot.tools.git_folder import source_folder
from tests.fakes import HandClock

if TYPE_CHECKING:
    from bot.models.workspace import RepositoryKind

ANA = Author(name="Ana Müller", user_id="U0ANA", team_id="T0SANDBOX")


def git(root: Path, *arguments: str) -> str:
    """Run git as its user would; a fixed author, no settings of this machine."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _SOMEBODY.items()}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=root, env=env, check=True, capture_output=True)  # noqa: S607  # a test's own
    return done.stdout.decode("utf-8", "surrogateescape").strip()


_SOMEBODY = {"NAME": "somebody", "EMAIL": "somebody@example.com"}


def commit(root: Path, message: str = "more", **files: str) -> str:
    """Write files and commit everything; return the SHA."""
    for name, text in files.items():
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", message, "--allow-empty")
    return git(root, "rev-parse", "HEAD")


def build_remote(folder: Path, **files: str) -> Path:
    """Build a bare repository with one commit on `main`; its files are those given."""
    built = _built(tuple(sorted((files or {"a": "one\n"}).items())))
    shutil.copytree(built, folder, dirs_exist_ok=True)
    for config in (folder / "people/.git/config", folder / "remote.git/config"):
        config.write_text(config.read_text().replace(str(built), str(folder)))
    return folder / "remote.git"


@cache
def _built(files: tuple[tuple[str, str], ...]) -> Path:
    """Build it once in a folder that lasts as long as this process."""
    folder = Path(mkdtemp(prefix="triage-remote-"))
    atexit.register(shutil.rmtree, folder)
    work = folder / "people"
    work.mkdir()
    git(work, "init", "-q", "-b", "main", "--template=")
    commit(work, "first", **dict(files))
    git(folder, "clone", "-q", "--bare", "--template=", str(work), "remote.git")
    git(work, "remote", "add", "origin", str(folder / "remote.git"))
    return folder


@dataclass(kw_only=True)
class Bench:
    """Workspaces below a folder, and a repository of them."""

    folder: Path
    clock: HandClock = field(default_factory=HandClock)

    def build(self) -> GitWorkspaces:
        """Build the workspaces as a new process does."""
        return GitWorkspaces(
            folder=self.folder / "home" / "checkouts" / ".work",
            clock=self.clock,
            source=source_folder,
            token=lambda _: "",
            withholds=is_denied,
        )


def work_repository(address: Path | str = "", *, kind: RepositoryKind = "clone", **given: object) -> WorkRepository:
    """Return the repository of a project `shop`."""
    origin = Repository.model_validate({"url": str(address), **given}) if address else None
    return WorkRepository(name="shop", project="shop", kind=kind, origin=origin)
