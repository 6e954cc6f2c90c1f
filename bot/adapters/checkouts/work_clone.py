"""Clone of a repository that Triage works on: its refs, and what is fetched into it.

refs/remotes/origin/*       the branches at the remote
refs/heads/triage/<slug>    the branches of Triage, with refs/triage/base/<slug>, the commit where each began
refs/heads/<default>        the default branch of a repository that began here, or with what was merged here
refs/triage/default         the default branch: a symbolic ref, or a commit where the remote's HEAD is detached
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.adapters.checkouts import ATTRIBUTES, MB, OF_ANYONE, tidy
from bot.errors import ToolError
from bot.models.workspace import BRANCH_PREFIX
from bot.runtime.real_folder import check_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bot.adapters.checkouts import Source
    from bot.adapters.checkouts.sealed_git import SealedGit
    from bot.models.project import Repository
    from bot.models.workspace import Author, WorkRepository

DEFAULT = "refs/triage/default"
HEADS, REMOTE, BASES = "refs/heads/", "refs/remotes/origin/", "refs/triage/base/"
OWN_HEADS = f"{HEADS}{BRANCH_PREFIX}"
FIRST_BRANCH = "main"
"""Default branch of a repository that begins empty."""
ABSENT = "0" * 40
"""Value of a ref that does not exist, for `update-ref`."""

_REF = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._/-]{0,199})(?P<steps>(?:[~^]\d{0,4}){0,8})")
_SHA = re.compile(r"[0-9a-f]{7,64}")
_NAME, _EMAIL = "Triage", "triage@triage.invalid"


@dataclass(kw_only=True)
class WorkClone:
    """The clone of one repository, in `folder`. `source` locates a repository of this machine, as for `Checkout`.

    A caller holds `lock` while it works on the clone.
    """

    folder: Path
    repository: WorkRepository
    git: SealedGit
    source: Callable[[Repository], Source]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _is_clean: bool = False
    """True once the leftovers of an earlier process are removed."""

    @property
    def clone(self) -> Path:
        """Return the folder of git's data."""
        return self.folder / "repository.git"

    @property
    def trees(self) -> Path:
        """Return the folder of the worktrees."""
        return self.folder / "trees"

    async def open(self) -> None:
        """Make the clone usable, and fetch it if it never was; what a killed process left is removed first.

        Raises `ToolError` if a link is in the place of one of its folders.
        """
        was_clean, self._is_clean = self._is_clean, False
        await asyncio.to_thread(self.check_folders)
        if was_clean:
            self._is_clean = True
            return
        await asyncio.to_thread(self._make_folders)
        await asyncio.to_thread(tidy, self.clone)
        branch = f"--initial-branch={FIRST_BRANCH}"
        await self.run("init", "--quiet", "--bare", "--template=", branch, str(self.clone), cwd=self.folder)
        await asyncio.to_thread(self._write_attributes)
        if await self._is_new():
            await self.fetch()
        self._is_clean = True

    async def tidy(self) -> bool:
        """Remove what a killed process left, without any other change; return whether there is a clone."""
        await asyncio.to_thread(self.check_folders)
        await asyncio.to_thread(tidy, self.clone)
        return await asyncio.to_thread((self.clone / "HEAD").is_file)

    def check_folders(self) -> None:
        """Raise `ToolError` if a link or a file is in the place of one of the clone's folders. Blocking."""
        for folder in (self.trees, self.clone / "worktrees"):
            check_folder(folder, own=len(folder.relative_to(self.folder.parent.parent).parts))

    def distrust(self) -> None:
        """Remove leftovers before the next work: git was ended in the middle of this one."""
        self._is_clean = False

    async def fetch(self) -> None:
        """Fetch all branches of the remote, and note its default branch. Raises `GitError`, `ToolError`."""
        origin = self.repository.origin
        if origin is None:
            await self._begin()
            return
        source = await self.locate_source()
        address, reads = (str(source.folder), source.reads) if source else (origin.url, ())
        options = OF_ANYONE if source else ()
        listed = await self.run("ls-remote", "--symref", *options, "--end-of-options", address, "HEAD", reads=reads)
        branch, commit = _parse_head(listed)
        await self.run(
            *("fetch", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", *options),
            *("--end-of-options", address, f"+{HEADS}*:{REMOTE}*"),
            *(["+HEAD:refs/triage/detached"] if commit and not branch and not origin.branch else []),
            reads=reads,
            growing=self.clone / "objects",
            max_bytes=origin.max_mb * MB,
        )
        if name := origin.branch or branch:
            await self.run("symbolic-ref", DEFAULT, f"{REMOTE}{name}")
        elif commit:
            await self.run("update-ref", "--no-deref", DEFAULT, commit)
        else:
            await self.run("symbolic-ref", DEFAULT, f"{REMOTE}{FIRST_BRANCH}")

    async def locate_source(self) -> Source | None:
        """Return the location of a remote on this machine; `None` for one of the network. Raises `ToolError`."""
        origin = self.repository.origin
        if origin is None or origin.protocol != "file":
            return None
        return await asyncio.to_thread(self.source, origin)

    async def find_ref(self, name: str) -> str:
        """Return the SHA of a full ref; empty if there is none."""
        accepted = (0, 1, 128)
        _, output = await self.call(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", accepted=accepted
        )
        return output.decode("ascii", "replace").strip()

    async def find_refs(self, *names: str) -> list[str]:
        """Return the SHAs of full refs, all of commits, as `find_ref` does."""
        listed = await self.run("for-each-ref", "--format=%(refname)%00%(objectname)", *names)
        by_name = dict(line.split("\0", 1) for line in listed.splitlines())
        return [by_name.get(name, "") for name in names]

    async def resolve(self, ref: str) -> str:
        """Return the SHA of a branch, here or at the remote, or of a commit. Raises `ToolError`."""
        match = _REF.fullmatch(ref)
        if match is None or ".." in ref:
            raise ToolError(f"{ref[:80]!r} is no name of a commit: give a branch, a SHA, or such as main~1")
        name, steps = match["name"], match["steps"]
        places = [f"{HEADS}{name}", f"{REMOTE}{name}"] if name.startswith(BRANCH_PREFIX) else [f"{REMOTE}{name}"]
        if self.repository.origin is None:
            places.append(f"{HEADS}{name}")
        if name == "HEAD":
            places = [DEFAULT]
        elif _SHA.fullmatch(name):
            places.append(name)
        places.append(f"{OWN_HEADS}{name}")  # a branch of Triage's own by its short name
        for place in places:
            if sha := await self.find_ref(f"{place}{steps}"):
                return sha
        raise ToolError(f"{ref[:80]!r} is neither a branch nor a commit of {self.repository.name}")

    async def find_default(self) -> tuple[str, str]:
        """Return the name of the default branch, and the SHA of its newest commit; empty where there is none."""
        _, output = await self.call("symbolic-ref", "--quiet", DEFAULT, accepted=(0, 1))
        full = output.decode("utf-8", "replace").strip()
        name = full.removeprefix(REMOTE if self.repository.origin else HEADS)
        return name, await self.find_ref(DEFAULT)

    async def is_ancestor(self, earlier: str, later: str) -> bool:
        """Return whether a commit is reachable from another one."""
        code, _ = await self.call("merge-base", "--is-ancestor", earlier, later, accepted=(0, 1))
        return code == 0

    async def find_merge_base(self, one: str, other: str) -> str:
        """Return the commit since which two commits have parted; empty if their histories have nothing in common."""
        _, output = await self.call("merge-base", one, other, accepted=(0, 1))
        return output.decode("ascii", "replace").strip()

    async def count_commits(self, *revisions: str) -> int:
        """Return the number of commits in a range of SHAs, given as `rev-list` takes them."""
        return int(await self.run("rev-list", "--count", *revisions))

    async def move_ref(self, name: str, new: str, old: str) -> None:
        """Set a ref to `new` if it is still at `old` (`ABSENT`: not there). Raises `GitError` if it is not."""
        await self.run("update-ref", name, new, old)

    async def commit_tree(self, tree: str, parents: tuple[str, ...], message: str, author: Author | None = None) -> str:
        """Make a commit of a tree without moving a branch, by default in Triage's own name; return its SHA."""
        variables = {
            "GIT_AUTHOR_NAME": _author_name(author) if author else _NAME,
            "GIT_COMMITTER_NAME": _NAME,
            "GIT_AUTHOR_EMAIL": author.email if author else _EMAIL,
            "GIT_COMMITTER_EMAIL": _EMAIL,
        }
        parent_options = [option for parent in parents for option in ("-p", parent)]
        stdin = message.encode("utf-8", "replace")
        arguments = ("commit-tree", tree, *parent_options, "-F", "-")
        return (await self.run(*arguments, variables=variables, stdin=stdin)).strip()

    async def run(self, *arguments: str, **options: Any) -> str:
        """Run git on the clone, with write access to its folder alone; return its output."""
        _, output = await self.call(*arguments, **options)
        return output.decode("utf-8", "replace")

    async def call(
        self,
        *arguments: str,
        cwd: Path | None = None,
        writes: tuple[Path, ...] = (),
        variables: Mapping[str, str] | None = None,
        **options: Any,
    ) -> tuple[int, bytes]:
        """Run git as `SealedGit.call` does."""
        named = {"GIT_DIR": str(self.clone)} if cwd is None else {}
        return await self.git.call(
            *arguments,
            cwd=cwd or self.clone,
            writes=(self.folder, *writes),
            variables={**named, **(variables or {})},
            **options,
        )

    async def _begin(self) -> None:
        """Give an empty repository a first commit without files, on which branches can begin."""
        first = f"{HEADS}{FIRST_BRANCH}"
        if not await self.find_ref(first):
            tree = (await self.run("mktree")).strip()
            await self.move_ref(first, await self.commit_tree(tree, (), "Begin the repository\n"), ABSENT)
        await self.run("symbolic-ref", DEFAULT, first)

    async def _is_new(self) -> bool:
        code, _ = await self.call("symbolic-ref", "--quiet", DEFAULT, accepted=(0, 1))
        return bool(code) and not await self.find_ref(DEFAULT)

    def _make_folders(self) -> None:
        for folder in (self.folder.parent.parent, self.folder.parent, self.folder, self.trees):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _write_attributes(self) -> None:
        info = self.clone / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(ATTRIBUTES)


def _parse_head(listed: str) -> tuple[str, str]:
    """Parse the answer about a remote's HEAD: the branch that it names, if any, and its commit, if any."""
    branch = commit = ""
    for line in listed.splitlines():
        value, _, name = line.partition("\t")
        if name == "HEAD" and value.startswith(f"ref: {HEADS}"):
            branch = value.removeprefix(f"ref: {HEADS}")
        elif name == "HEAD" and not value.startswith("ref:"):
            commit = value
    return branch, commit


def _author_name(author: Author) -> str:
    """Return a name that git accepts: without its own signs, and not empty."""
    name = " ".join("".join(char if char.isprintable() and char not in "<>" else " " for char in author.name).split())
    return name[:100] if any(map(str.isalnum, name)) else author.user_id
