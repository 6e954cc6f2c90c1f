"""Branches of a clone: their creation and their list, and the commits to compare them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.checkouts.work_clone import ABSENT, BASES, OWN_HEADS, REMOTE
from bot.errors import ToolError
from bot.models.workspace import BRANCH_PREFIX

if TYPE_CHECKING:
    from bot.adapters.checkouts.work_clone import WorkClone
    from bot.models.workspace import Workspace


async def create_branch(clone: WorkClone, slug: str, base: str) -> None:
    """Create a branch of Triage with its base, both at once. Raises `ToolError`."""
    _, default = await clone.find_default()
    start = await clone.find_ref(f"{REMOTE}{BRANCH_PREFIX}{slug}")
    if start:
        begin = (await clone.find_merge_base(start, default) if default else "") or start
    else:
        start = begin = await clone.resolve(base) if base else default
    if not start:
        where = clone.repository.address
        raise ToolError(f"a branch begins at a commit, and there is none yet: make the first one at {where}")
    orders = f"update {OWN_HEADS}{slug} {start} {ABSENT}\nupdate {BASES}{slug} {begin}\n"
    await clone.run("update-ref", "--stdin", stdin=orders.encode())


async def list_refs(clone: WorkClone, prefix: str) -> list[tuple[str, str]]:
    """Return the refs below a prefix, without it, and their SHAs; the newest commit first."""
    listed = await clone.run(
        "for-each-ref", "--sort=-committerdate", "--format=%(refname)%00%(objectname)", prefix.rstrip("/")
    )
    pairs = (line.split("\0") for line in listed.splitlines())
    return [(name.removeprefix(prefix), sha) for name, sha in pairs]


async def find_start(clone: WorkClone, workspace: Workspace, base: str) -> str:
    """Return the commit to compare a workspace with: its base, or where it has parted from another one."""
    if not base:
        return workspace.base
    other = await clone.resolve(base)
    return await clone.find_merge_base(other, workspace.head) or other
