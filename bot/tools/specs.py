"""Specification documents of a project: Markdown in folders named docs or specs.

Files are listed by ripgrep and read like all project files: confined to the root, without denied and ignored ones.
"""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.models.note import title_of
from bot.tools import search
from bot.tools.files import read_lines, resolve_file
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.project import Project

FOLDERS = ("specs", "spec", "docs", "doc")
MAX_DOCUMENTS = 200
"""Maximum number of documents of a project, those in folders of specs first."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Specification document. `path` begins with the root's name if the project has several."""

    path: str
    title: str
    size: int
    """Size in bytes."""
    changed_at: datetime | None
    """Time of the last change; `None` for fetched code, whose files are as old as the fetch."""

    @property
    def stem(self) -> str:
        """Return the file's stem, normalized like that of a note with the same title."""
        return posixpath.basename(self.path).rpartition(".")[0].lower().replace("_", "-")


class Specs:
    """Reader of specification documents."""

    async def list_specs(self, roots: Sequence[Project]) -> tuple[Spec, ...]:
        """List the documents of a project, by path. A root that cannot be searched has none."""
        specs: list[Spec] = []
        for root in map(pin_tree, roots):
            try:
                paths = await search.list_files(root.root, root.ignore)
            except ToolError:
                continue
            front = f"{root.name.partition('/')[2]}/" if len(roots) > 1 else ""
            specs += await asyncio.to_thread(
                _read, root, sorted(filter(_is_spec, paths), key=_rank)[:MAX_DOCUMENTS], front
            )
        return tuple(sorted(specs, key=lambda spec: spec.path))


def _is_spec(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return name.endswith((".md", ".markdown")) and any(folder in FOLDERS for folder in folders)


def _rank(path: str) -> tuple[int, str]:
    folders = path.lower().split("/")[:-1]
    return min(FOLDERS.index(folder) for folder in folders if folder in FOLDERS), path


def _read(project: Project, paths: Sequence[str], front: str) -> list[Spec]:
    specs = []
    for path in paths:
        try:
            title = title_of(posixpath.basename(path), "\n".join(read_lines(project.root, path)))
            about = resolve_file(project.root, path).stat()
        except (ToolError, OSError):  # deleted meanwhile, or unreadable
            continue
        changed_at = None if project.repository else datetime.fromtimestamp(about.st_mtime, UTC)
        specs.append(Spec(path=f"{front}{path}", title=title, size=about.st_size, changed_at=changed_at))
    return specs
