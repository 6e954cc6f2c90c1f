"""Checkout of a repository's newest commit: a bare clone, and a tree for each commit in use.

The content of a repository is hostile: nothing in it is run, no hook, no filter, no submodule; links become plain
files; only the protocol of its address is used; the token is in the environment of the fetching git, never in an
address, an argument or a message. `current` is a link that switches atomically to a complete tree; the previous tree
stays until nobody can be reading it.

    <folder>/repository.git   the clone     <folder>/trees/<commit>   <folder>/current -> trees/<commit>   state.json
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from bot.adapters.checkouts.sealed_git import GitError, OutputTooLarge, SealedGit
from bot.errors import RetryLater, ToolError
from bot.models.project import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta
    from pathlib import Path

    from bot.models.project import Repository

HEAD = "refs/triage/head"
ATTRIBUTES = "* -text -ident -filter !diff !merge !eol !working-tree-encoding\n"
"""Overrides the repository's own attributes: files are written byte for byte as committed, and compared and merged by
git alone."""
MB = 1_000_000
MOST_FILES = 100_000
"""Files of one commit: a search reads them all within its ten seconds, and Linux has fewer."""
_TOO_MANY = f"it has more than {MOST_FILES:,} files, too many to be searched"


OF_ANYONE = ("--upload-pack", "git -c safe.directory='*' upload-pack --strict")
"""Options for a configured repository of this machine, which may belong to any user; that git serves one fetch and
writes nothing. `--strict` makes it use exactly the given folder."""


class Source(Protocol):
    """The location of a repository of this machine."""

    @property
    def folder(self) -> Path:
        """Return the folder with git's data."""

    @property
    def reads(self) -> tuple[Path, ...]:
        """Return all paths that git reads of it."""


@dataclass(kw_only=True)
class Checkout:
    """The checkout of one repository. `keep` is the time that a replaced tree may still be read.

    `source` locates a repository of this machine, and raises `ToolError` if git must not read there. Blocking.
    """

    folder: Path
    repository: Repository
    git: SealedGit
    keep: timedelta
    source: Callable[[Repository], Source]
    _retired: dict[str, datetime] = field(default_factory=dict)
    _left: dict[str, datetime] = field(default_factory=dict)
    """Trees of an earlier process, which may be incomplete, with the time of this one's start."""

    def begin(self, now: datetime) -> Fetched | None:
        """Note the outdated trees of an earlier process, and return the state of the checkout; blocking.

        A run in a separate process may still read such a tree. Returns `None` if it is of another repository or branch:
        an earlier setting must not answer now.
        """
        now_there = self._current()
        names = [tree.name for tree in self._trees.iterdir()] if self._trees.is_dir() else []
        self._left = {name: now for name in names if name != now_there}
        return self._state() if now_there else None

    async def fetch(self, now: datetime, tell: Callable[[str], None]) -> Fetched:
        """Update `current` to the newest commit; `tell` receives the progress. Never raises `TriageError`.

        A failure changes nothing; it is reported in the result, with the time of the last success.
        """
        before = await asyncio.to_thread(self._state)
        try:
            commit = await self._fetch(now, tell)
            state = Fetched(commit=commit, at=now, source=self.repository.source)
        except (RetryLater, ToolError, OSError) as problem:
            if before is None:
                return Fetched(commit="", at=now, source=self.repository.source, problem=str(problem))
            state = before.evolve(problem=str(problem))
        await asyncio.to_thread(self._write_state, state)
        return state

    @property
    def _clone(self) -> Path:
        return self.folder / "repository.git"

    @property
    def _trees(self) -> Path:
        return self.folder / "trees"

    async def _fetch(self, now: datetime, tell: Callable[[str], None]) -> str:
        await asyncio.to_thread(self._make_folders)
        await asyncio.to_thread(tidy, self._clone)
        if not (self._clone / "HEAD").exists():
            await self._git("init", "--quiet", "--bare", "--template=", str(self._clone), cwd=self.folder)
        await asyncio.to_thread(self._write_attributes)
        local = self.repository.protocol == "file"
        source = await asyncio.to_thread(self.source, self.repository) if local else None
        wanted = f"+refs/heads/{self.repository.branch}:{HEAD}" if self.repository.branch else f"+HEAD:{HEAD}"
        await self._git(
            *("fetch", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
            *(OF_ANYONE if source else ()),
            *("--end-of-options", str(source.folder) if source else self.repository.url, wanted),
            cwd=self._clone,
            reads=source.reads if source else (),
            growing=self._clone / "objects",
            max_bytes=self.repository.max_mb * MB,
            tell=tell,
        )
        commit_line = await self._git(
            "rev-parse", "--verify", "--end-of-options", f"{HEAD}^{{commit}}", cwd=self._clone
        )
        commit = commit_line.strip()
        if commit != self._current():
            await self._put_up(commit)
            if before := self._switch(commit):
                self._retired[before] = now
        await self._clear(now, commit)
        return commit

    async def _git(self, *arguments: str, cwd: Path, **options: Any) -> str:
        """Run git with write access to this checkout's folder, and return its output."""
        return await self.git.run(*arguments, cwd=cwd, writes=(self.folder,), **options)

    async def _put_up(self, commit: str) -> None:
        """Create a complete tree of the commit."""
        if commit in self._retired:  # the branch was reset to a commit whose tree still exists
            return
        try:
            listed = await self._git("ls-tree", "-r", "-l", "-z", "--end-of-options", commit, cwd=self._clone)
        except OutputTooLarge:
            raise GitError(_TOO_MANY) from None
        count, size = await asyncio.to_thread(_parse_tree_size, listed)
        if count > MOST_FILES:
            raise GitError(_TOO_MANY)
        if size > self.repository.max_mb * MB:
            raise GitError(f"its files take {size // MB} MB, more than max_mb ({self.repository.max_mb})")
        tree = self._trees / commit
        await asyncio.to_thread(shutil.rmtree, tree, ignore_errors=True)
        await self._git("worktree", "prune", cwd=self._clone)
        await self._git("worktree", "add", "--quiet", "--force", "--detach", str(tree), commit, cwd=self._clone)

    def _switch(self, commit: str) -> str | None:
        """Point `current` at the tree; return the previous commit."""
        before = self._current()
        beside = self.folder / "current.tmp"
        beside.unlink(missing_ok=True)
        beside.symlink_to(f"trees/{commit}")
        beside.replace(self.folder / "current")
        self._retired.pop(commit, None)
        self._left.pop(commit, None)
        return before

    async def _clear(self, now: datetime, commit: str) -> None:
        """Remove the trees that nobody reads any more."""
        for trees in (self._retired, self._left):
            for old, since in [*trees.items()]:
                trees[old] = min(since, now)  # the clock may have been set back while the tree is read
                if old != commit and now >= since + self.keep:
                    await asyncio.to_thread(shutil.rmtree, self._trees / old, ignore_errors=True)
                    del trees[old]

    def _current(self) -> str | None:
        """Return the commit that `current` points to, if its tree exists."""
        try:
            name = os.path.basename(os.readlink(self.folder / "current"))  # noqa: PTH115, PTH119  # the link's own text
        except OSError:
            return None
        return name if (self._trees / name).is_dir() else None

    def _state(self) -> Fetched | None:
        """Return the last state, if it belongs to the configured source."""
        state = read_state(self.folder)
        return state if state and state.source == self.repository.source else None

    def _make_folders(self) -> None:
        for folder in (self.folder.parent, self.folder, self._trees):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _write_attributes(self) -> None:
        info = self._clone / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(ATTRIBUTES)

    def _write_state(self, state: Fetched) -> None:
        beside = self.folder / "state.json.tmp"
        beside.touch(mode=0o600)
        beside.write_text(state.model_dump_json())
        beside.replace(self.folder / "state.json")


def read_state(folder: Path) -> Fetched | None:
    """Return the saved state; `None` if there is none. Blocking."""
    try:
        document: Any = json.loads((folder / "state.json").read_text())
        return Fetched.model_validate(document)
    except (OSError, ValueError):
        return None


def tidy(clone: Path) -> None:
    """Remove the leftovers of a killed git: they would block every later git, and count towards the size of the
    clone."""
    for left in (*clone.rglob("*.lock"), *clone.glob("objects/**/tmp_*"), *clone.glob("worktrees/*/locked")):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _parse_tree_size(listed: str) -> tuple[int, int]:
    """Return a tree's number of files, and their bytes."""
    return listed.count("\0"), sum(_size(entry) for entry in listed.split("\0"))


def _size(entry: str) -> int:
    """Return the bytes of one file from `ls-tree -l`: mode, type, id, size, then a tab and the path."""
    fields = entry.partition("\t")[0].split()
    return int(fields[3]) if len(fields) == 4 and fields[3].isdecimal() else 0
