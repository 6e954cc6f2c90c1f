"""Commit of a drafted fix: exactly the files that the agent changed, with the content that was checked.

The process that drafted it is believed in nothing that code can see: the workspace is compared with its report first.
Each step can be repeated after a crash: a commit that was made is found.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.drafted_changes import find_unmeant, has_link, measure_change
from bot.decide.file_marks import mark_file
from bot.errors import ToolError
from bot.models.fix import MAX_DIFF_CHARS, FixProposal
from bot.models.workspace import Author
from bot.runtime.workspace_lock import hold_workspace
from bot.tools.edited_files import check_path, read_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.decide.redaction.redactor import Redactor
    from bot.models.fix import FixOrder
    from bot.models.fix_task import DraftedFile, FixDraft, FixTask
    from bot.models.thread import Thread
    from bot.models.workspace import FileChange, WorkRepository
    from bot.ports.workspaces import Workspaces
    from bot.triage.slack_names import SlackNames


@dataclass(frozen=True, kw_only=True)
class FixCommitter:
    """Maker of proposals."""

    workspaces: Workspaces
    naming: SlackNames
    redactor: Redactor

    async def propose(
        self, thread: Thread, order: FixOrder, repository: WorkRepository, task: FixTask, draft: FixDraft
    ) -> FixProposal:
        """Commit a drafted change, unless it is committed, and return it as a proposal.

        No program writes there meanwhile. Raises `ToolError` with the reason if the workspace has anything else or a
        program works there, and `RetryLater` if git fails.
        """
        workspace = await self.workspaces.find(repository, order.slug)
        if workspace is None:
            raise ToolError("the branch of this fix is gone")
        try:
            async with hold_workspace(workspace.folder, alone=False):
                return await self._propose(thread, order, repository, task, draft)
        except OSError as problem:
            raise ToolError(f"the workspace of this fix cannot be read: {problem.strerror}") from problem

    async def _propose(
        self, thread: Thread, order: FixOrder, repository: WorkRepository, task: FixTask, draft: FixDraft
    ) -> FixProposal:
        meant = tuple(file.change for file in draft.files)
        status = await self.workspaces.status(repository, order.slug)
        head, changed = status.workspace.head, status.uncommitted
        if is_committed := head != task.base:
            if len(status.commits) != 1 or status.commits[0].subject != draft.title or changed:
                raise ToolError("somebody else has changed the branch of this fix meanwhile")
            changed = await self.workspaces.changed_files(repository, order.slug)
        if status.left_out:
            raise ToolError(f"something else than the agent changed {status.left_out[0]} in the workspace")
        if fault := find_unmeant(meant, changed):
            raise ToolError(fault)
        if other := await asyncio.to_thread(_find_other_content, status.workspace.folder, draft.files):
            raise ToolError(f"{other} has another content than the one that was checked")
        diff = await self.workspaces.diff(repository, order.slug)
        if fault := _find_mode_fault(diff.text):
            raise ToolError(fault)
        text = self.redactor.redact(diff.text)
        if diff.is_cut or diff.withheld or measure_change([each.path for each in meant], text) > MAX_DIFF_CHARS:
            raise ToolError(f"the change is too large to be shown whole: at most {MAX_DIFF_CHARS:,} characters")
        if not is_committed:
            message = f"{draft.title}\n\n{draft.description}".strip()
            author = await self._find_author(thread, order.asked_by)
            committed = await self.workspaces.commit(repository, order.slug, message, author=author, task=thread.task)
            if committed is None or find_unmeant(meant, committed.files):
                raise ToolError("the workspace was changed while it was committed")
            head = committed.sha
        branches = await self.workspaces.branches(repository)
        marks = await asyncio.to_thread(_mark_files, status.workspace.folder, meant, task.check.argv)
        return FixProposal(
            repository=repository.name,
            slug=order.slug,
            base=task.base,
            head=head,
            target=branches.default,
            files=meant,
            marks=marks,
            diff=text,
            title=draft.title,
            description=draft.description,
        )

    async def _find_author(self, thread: Thread, user_id: str) -> Author:
        names = await self.naming.names({user_id: ""})
        return Author(name=names.get(user_id) or user_id, user_id=user_id, team_id=thread.team_id)


def _find_other_content(folder: Path, files: Sequence[DraftedFile]) -> str:
    """Return the first file whose content is not the reported one; empty if all are. Blocking."""
    for file in files:
        content = read_file(folder, check_path(file.change.path))
        if file.digest != ("" if content is None else hashlib.sha256(content).hexdigest()):
            return file.change.path
    return ""


def _mark_files(folder: Path, files: Sequence[FileChange], argv: Sequence[str]) -> dict[str, str]:
    """Return the marks of files that have some, by path. Blocking."""
    marks = {
        file.path: mark_file(file.path, argv, is_executable=os.access(folder / file.path, os.X_OK)) for file in files
    }
    return {path: mark for path, mark in marks.items() if mark}


def _find_mode_fault(patch: str) -> str:
    """Return the reason against a patch that has a link, changes a mode, or adds a file that is no plain one; content
    never begins a row so."""
    if has_link(patch):
        return "the change has a symbolic link of the repository, and none is ever changed"
    rows = patch.split("\n")
    if any(row.startswith(("new mode ", "new file mode ")) and row != "new file mode 100644" for row in rows):
        return "something else than the agent changed the mode of a file in the workspace"
    return ""
