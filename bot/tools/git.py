"""Reader of a project's git history. Nothing here runs a command of the repository or of the user's configuration.

`git_folder` finds the repository. A ref must match a strict pattern before git sees it: a name that cannot be an
option, a range or a search. Starting a program costs more than its work here, so each question is a single git call if
possible.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.isolation import Grant, NotIsolated
from bot.tools import subprocesses
from bot.tools.git_folder import git_folder
from bot.tools.names import is_legible
from bot.tools.roots import resolve_root

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE = 10.0
"""Time limit of one git command in seconds."""

MAX_BYTES = 2_000_000
"""Maximum bytes read of one command's output."""

_OBJECT = re.compile(rb"(?P<sha>[0-9a-f]{40,64}) (?P<kind>[a-z]+) (?P<size>\d+)")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}(?:[~^]\d{0,4}){0,8}(?:\^\{(?:commit)?\})?")
"""Name of a branch, a tag or a commit, then steps to an ancestor; no range, no message, no entry of the reflog."""
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit"),
    *("-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "mailmap.file=", "-c", "mailmap.blob="),
    *("-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null", "-c", "core.commitGraph=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8", "-c", "diff.orderFile=/dev/null"),
    *("-c", "protocol.allow=never"),  # a partial clone would fetch what is missing
    *("--no-pager", "--literal-pathspecs"),
)
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


def commit_ref(ref: str) -> str:
    """Return `ref` in the form that git accepts only as a commit. Raises `ToolError` for an invalid name."""
    if not _REF.fullmatch(ref) or ".." in ref:
        raise ToolError(f"{ref[:80]!r} is not a name of a commit: give a branch, a tag, a SHA, or such as HEAD~1")
    return f"{ref}^{{commit}}"


async def commit_sha(root: Path, ref: str) -> str:
    """Return the full SHA of the commit that `ref` names in the repository at `root`. Raises `ToolError` when none
    does."""
    out, _ = await run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", commit_ref(ref))
    return out.decode().strip()


async def lines_at(root: Path, ref: str, path: str) -> tuple[str, tuple[str, ...]]:
    """Return the full SHA of `ref`, and the lines of the text file `path` (relative to `root`) in that commit.

    The commit is resolved before and after: if the branch moves in between, the call fails.
    """
    commit, blob = commit_ref(ref), f"{ref}:./{check_path(path)}"
    out, cut = await run(root, "cat-file", "--batch", stdin_text=f"{commit}\n{blob}\n{commit}\n")
    sha, _, rest = _object(out, b"commit", path)
    _, content, rest = _object(rest, b"blob", path)
    if cut or b"\0" in content:
        raise ToolError(f"{path} is too large or no text file")
    if _object(rest, b"commit", path)[0] != sha:
        raise ToolError(f"{ref} has just become another commit; ask again")
    lines = content.decode("utf-8-sig", errors="replace").split("\n")
    return sha, tuple(line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines))


def _object(out: bytes, kind: bytes, path: str) -> tuple[str, bytes, bytes]:
    """Parse the next object of `cat-file --batch`: its id, its content, and the rest."""
    line, _, rest = out.partition(b"\n")
    head = _OBJECT.fullmatch(line)
    if head is None:
        raise ToolError("git does not know it")
    if head["kind"] != kind:
        raise ToolError(f"{path} is not a file there")
    size = int(head["size"])
    return head["sha"].decode(), rest[:size], rest[size + 1 :]


def check_path(path: str) -> str:
    """Return `path` unchanged. Raises `ToolError` when it leads out of its base folder."""
    if not path or path.startswith(("/", "-")) or ".." in path.split("/") or "\0" in path or not is_legible(path):
        raise ToolError(f"{path[:80]!r} is not a path inside the project")
    return path


def has_repository(root: Path) -> bool:
    """Return whether a folder is in a git repository."""
    try:
        return git_folder(root) is not None
    except ToolError:
        return False


def build_command(root: Path, *arguments: str) -> tuple[tuple[str, ...], dict[str, str], Grant]:
    """Build the command, the environment and the grant to read the repository around a root without running its code.

    It sees only the git folders found for it, and no file of the project: only commits are read. Blocking. Raises
    `ToolError` without a repository.
    """
    repository = git_folder(root)
    if repository is None:
        raise ToolError("the project is in no git repository")
    real = resolve_root(root)
    command = ("git", *_SAFE, f"--git-dir={repository.folder}", f"--work-tree={repository.top}", *arguments)
    return command, _ENVIRONMENT, Grant(folder=real, reads=repository.reads)


async def run(root: Path, *arguments: str, stdin_text: str = "") -> tuple[bytes, bool]:
    """Run git; return at most `MAX_BYTES` of its output, and if that was cut. Raises `ToolError` when it fails."""
    command, environment, grant = await asyncio.to_thread(build_command, root, *arguments)
    try:
        result = await subprocesses.run(
            command,
            cwd=root,
            grant=lambda: grant,
            env=environment,
            max_bytes=MAX_BYTES,
            deadline=DEADLINE,
            stdin_data=stdin_text.encode(),
        )
    except TimeoutError as problem:
        raise ToolError(f"git took longer than {DEADLINE:.0f} s") from problem
    except NotIsolated as problem:
        raise ToolError(f"git does not start: {problem.strerror}") from problem
    except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in an argument
        raise ToolError("git does not start with that") from problem
    if result.code:
        raise ToolError("git does not know it")
    return result.output[:MAX_BYTES], result.cut
