"""Reading a project's git history: never a free argument, never the user's configuration, nothing that runs a command.

Called by `agents/evidence` and `tools/commits`. A ref is matched against a strict pattern and resolved to a commit
first; only that SHA is used afterwards.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools import child

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE = 10.0
"""Seconds that one git command may take."""

MAX_BYTES = 2_000_000
"""The most that is read of one answer, in bytes."""

_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false", "-c", "mailmap.file=", "-c", "mailmap.blob="),
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
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


async def commit_sha(root: Path, ref: str) -> str:
    """The full SHA of the commit that `ref` names in the repository at `root`. Raises `ToolError` when none does."""
    if not _REF.fullmatch(ref) or ".." in ref:
        raise ToolError(f"{ref[:80]!r} is no name of a commit")
    out, _ = await run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return out.decode().strip()


async def lines_at(root: Path, sha: str, path: str) -> tuple[str, ...]:
    """The lines of the text file `path` (relative to `root`) in the commit `sha`, which `commit_sha` gave."""
    content, cut = await run(root, "cat-file", "blob", f"{sha}:./{inside(path)}")
    if cut or b"\0" in content:
        raise ToolError(f"{path} is too large or no text file")
    lines = content.decode("utf-8-sig", errors="replace").split("\n")
    return tuple(line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines))


def inside(path: str) -> str:
    """`path` itself. Raises `ToolError` when it leads out of the folder that it is relative to."""
    if not path or path.startswith(("/", "-")) or ".." in path.split("/") or "\0" in path:
        raise ToolError(f"{path[:80]!r} is no path inside the project")
    return path


async def run(root: Path, *arguments: str) -> tuple[bytes, bool]:
    """What git says, at most `MAX_BYTES` of it, and whether that is not all. Raises `ToolError` when it fails."""
    try:
        said = await child.run(
            ("git", *_SAFE, *arguments), cwd=root, env=_ENVIRONMENT, most=MAX_BYTES, deadline=DEADLINE
        )
    except TimeoutError as problem:
        raise ToolError(f"git took longer than {DEADLINE:.0f} s") from problem
    except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in an argument
        raise ToolError("git does not start with that") from problem
    if said.code:
        raise ToolError("git does not know it")
    return said.output[:MAX_BYTES], said.cut
