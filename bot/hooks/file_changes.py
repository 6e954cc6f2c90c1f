"""Changed files of fetched repositories: the commits since a hook last looked, each looked at once."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.hooks.events import find_file_cause
from bot.errors import ToolError
from bot.tools import commits
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.hook_record import HookCause, HookRecord
    from bot.models.project import Project
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class FileChanges:
    """Finder of changes in the fetched roots of a hook's project."""

    projects: Projects

    async def find(self, record: HookRecord, now: datetime) -> tuple[dict[str, str], HookCause | None]:
        """Return the commits that are looked at now, by root, and the cause that their files are, if they are one.

        A root without an earlier commit, or whose earlier one is gone, begins at its newest.
        """
        heads = await asyncio.to_thread(self._list_heads, record)
        paths = [path for root, head in heads for path in await _list_paths(root, record.commits.get(root.name), head)]
        return {root.name: head for root, head in heads}, find_file_cause(record.hook, paths, now)

    def _list_heads(self, record: HookRecord) -> list[tuple[Project, str]]:
        """Return the fetched roots with the commit of their trees; blocking."""
        roots = [root for root in self.projects.configured() if root.belongs_to == record.hook.project]
        trees = [pin_tree(root) for root in roots if root.repository and root.root.is_dir()]
        return [(tree, tree.root.name) for tree in trees]


async def _list_paths(root: Project, before: str | None, head: str) -> tuple[str, ...]:
    if before in (None, head):
        return ()
    try:
        return await commits.changed_paths(root.root, str(before), head)
    except ToolError as problem:
        log.warning("%s: the files between %s and %s are not known: %s", root.name, before, head, problem)
        return ()
