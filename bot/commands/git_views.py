"""Views of branches: `get_git_status`, `git_log`, `git_diff`, `git_changed_files`, `get_task_diff`.

Everything that a repository holds is untrusted: redacted, made legible and cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.code_block import code_block, code_line
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.git_view_data import build_commit, build_diff, build_files, build_status
from bot.commands.path_text import escape_path, list_paths
from bot.commands.registry import command
from bot.commands.repository_inputs import BranchDiff, BranchLog, ChangedFiles, OfRepository, TaskDiff
from bot.commands.search import fit_lines
from bot.commands.state import count
from bot.models.command_data.repositories import (
    ChangedFilesData,
    GitDiffData,
    GitLogData,
    GitStatusData,
    RepositoryLogData,
)
from bot.models.workspace import BRANCH_PREFIX
from bot.tools.names import make_legible
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.workspace import Branches, Diff, WorkCommit, WorkRepository, WorkspaceStatus
    from bot.tools.guard import Guard

MAX_PATHS = 15
"""Number of paths in one row of an answer."""
MAX_ROWS = 200
"""Number of changed files that an answer lists."""
_NEWEST = 5
"""Number of commits that a status shows."""
_LETTERS = {"added": "A", "modified": "M", "deleted": "D"}


@dataclass(frozen=True, kw_only=True)
class GitViews:
    """Commands that read branches of Triage, and the default branch."""

    finder: RepositoryFinder
    tasks: TaskFinder
    guard: Guard

    @command(
        "get_git_status",
        "shows your branches in a project, their commits and changes",
        input=OfRepository,
        role="operator",
        tier="read",
        untrusted="code",
        result=GitStatusData,
    )
    async def status(self, request: OfRepository, asker: Asker) -> CommandAnswer:
        """Show the state of each repository of a project."""
        states = []
        for repository in await self.finder.list_all(request.project, asker):
            branches = await self.finder.allow(self.finder.workspaces.branches(repository))
            slug = await self.finder.find_current(repository, asker)
            exists = any(workspace.slug == slug for workspace in branches.workspaces)
            status = await self.finder.allow(self.finder.workspaces.status(repository, slug)) if exists else None
            commits = status.commits if status else await self.finder.workspaces.log(repository, count=_NEWEST)
            states.append((repository, branches, status, commits))
        line = f"{count(len(states), 'repository', 'repositories')} of `{states[0][0].project}`:"
        return CommandAnswer(
            line=line,
            rows=tuple(row for state in states for row in self._describe_state(*state)),
            data=GitStatusData(repositories=tuple(build_status(*state) for state in states)),
        )

    @command(
        "git_log",
        "lists the newest commits of a project, or of one branch",
        input=BranchLog,
        role="operator",
        tier="read",
        untrusted="code",
        result=GitLogData,
    )
    async def log(self, request: BranchLog, asker: Asker) -> CommandAnswer:
        """List commits of the named branch, else of the person's branch, else of the default one."""
        rows, logs = [], []
        repositories = await self.finder.list_all(request.project, asker)
        for repository in repositories[:1] if request.branch else repositories:
            slug = "" if request.branch else await self.finder.find_current(repository, asker)
            ref = request.branch or (f"{BRANCH_PREFIX}{slug}" if slug else "")
            commits = await self.finder.allow(self.finder.workspaces.log(repository, ref, count=request.count))
            where = f"`{escape_path(ref)}` of `{repository.name}`" if ref else f"`{repository.name}`"
            rows.append(f"*{where}*: {count(len(commits), 'commit')}")
            rows += self._describe_commits(commits)
            logs.append(RepositoryLogData(repository=repository.name, commits=tuple(map(build_commit, commits))))
        return CommandAnswer(line="Newest commits:", rows=tuple(rows), data=GitLogData(repositories=tuple(logs)))

    @command(
        "git_diff",
        "shows the changes of your branches, committed or not",
        input=BranchDiff,
        role="operator",
        tier="read",
        untrusted="code",
        result=GitDiffData,
    )
    async def diff(self, request: BranchDiff, asker: Asker) -> CommandAnswer:
        """Show a branch against the commit at which it began, or where it has parted from `base`."""
        try:
            repositories = await self.finder.list_all(request.project, asker)
        except NotDone:
            if request.project or request.path not in self.finder.overview.projects.names:
                raise
            request = request.evolve(project=request.path, path="")  # `git_diff shop`, where no project is meant
            repositories = await self.finder.list_all(request.project, asker)
        diffs = []
        for repository in repositories:
            slug = request.branch or await self.finder.find_current(repository, asker)
            if slug and await self._has_branch(repository, slug):
                diff = await self._diff(repository, slug, base=request.base, path=request.path)
                diffs.append((repository, slug, diff))
        if not diffs:
            await self.finder.find_branch(repositories[0], request.branch, asker)  # its refusal names the branches
        return self._format_diffs(diffs, first=request.first)

    @command(
        "git_changed_files",
        "lists the changed files of your branch, since it began or against `base`",
        input=ChangedFiles,
        role="operator",
        tier="read",
        untrusted="code",
        result=ChangedFilesData,
    )
    async def changed_files(self, request: ChangedFiles, asker: Asker) -> CommandAnswer:
        """List changed files of a branch, those that are not committed included."""
        repository = await self.finder.find(request.project, asker)
        slug = await self.finder.find_branch(repository, request.branch, asker)
        changes = await self.finder.allow(self.finder.workspaces.changed_files(repository, slug, base=request.base))
        against = f" against `{escape_path(request.base)}`" if request.base else ""
        branch = f"{BRANCH_PREFIX}{slug}"
        line = f"{count(len(changes), 'changed file')} in `{branch}` of `{repository.name}`{against}"
        rest = f", the first {MAX_ROWS}" if len(changes) > MAX_ROWS else ""
        excerpt, last = fit_lines(
            [self.guard.redact_words(f"{_LETTERS[change.status]}  {change.path}") for change in changes[:MAX_ROWS]],
            1,
            format_line=lambda row: code_line(make_legible(row)),
        )
        rest = rest or (f", the first {last}" if last < len(changes) else "")
        return CommandAnswer(
            line=f"{line}{rest}{':' if changes else '.'}",
            rows=(code_block(excerpt),) if changes else (),
            data=ChangedFilesData(repository=repository.name, branch=branch, files=build_files(changes)),
        )

    @command(
        "get_task_diff",
        "shows the changes of a task's branch",
        input=TaskDiff,
        role="operator",
        tier="read",
        untrusted="code",
        result=GitDiffData,
    )
    async def task_diff(self, request: TaskDiff, asker: Asker) -> CommandAnswer:
        """Show the branch of a task in each repository that has it."""
        thread = await self.tasks.find(request.task, asker, hints=asker.via != "chat")
        project = assigned_project(thread) or ""
        diffs = [
            (repository, thread.task, await self._diff(repository, thread.task))
            for repository in await self.finder.list_all(project, asker)
            if await self._has_branch(repository, thread.task)
        ]
        if not diffs:
            how = f"`git_create_branch {thread.task}` creates it."
            raise NotDone(f"The task `{thread.task}` has no branch `{BRANCH_PREFIX}{thread.task}`. {how}")
        return self._format_diffs(diffs)

    async def _has_branch(self, repository: WorkRepository, slug: str) -> bool:
        return await self.finder.allow(self.finder.workspaces.find(repository, slug)) is not None

    async def _diff(self, repository: WorkRepository, slug: str, *, base: str = "", path: str = "") -> Diff:
        return await self.finder.allow(self.finder.workspaces.diff(repository, slug, base=base, path=path))

    def _format_diffs(self, diffs: list[tuple[WorkRepository, str, Diff]], *, first: int = 1) -> CommandAnswer:
        """Show the files of each diff, then as much of the patches, from a line on, as one answer holds."""
        rows, results = [], []
        for repository, slug, diff in diffs:
            lines = self.guard.show_lines(diff.text.removesuffix("\n").split("\n")) if diff.text else ()
            results.append(build_diff(repository, slug, diff, "\n".join(lines)))
            where = f"`{BRANCH_PREFIX}{slug}` of `{repository.name}`"
            names = list_paths((change.path for change in diff.files), MAX_PATHS)
            since = f"since `{diff.base[:12]}`"
            if not diff.files:
                rows.append(f"{where}: no changes {since}.")
                continue
            rows.append(f"{where}: {count(len(diff.files), 'file')} {since}: {self.guard.redact_words(names)}.")
            if diff.withheld:
                rows.append(f"Not shown: {count(diff.withheld, 'file')} that may hold secrets by their names.")
            excerpt, last = fit_lines(lines, first, format_line=code_line)
            if excerpt:
                rows.append(code_block(excerpt))
            rows += _describe_rest(repository, slug, first, last, len(lines), is_cut=diff.is_cut)
        return CommandAnswer(line="Changes:", rows=tuple(rows), data=GitDiffData(repositories=tuple(results)))

    def _describe_state(
        self,
        repository: WorkRepository,
        branches: Branches,
        status: WorkspaceStatus | None,
        commits: tuple[WorkCommit, ...],
    ) -> list[str]:
        """Return rows on one repository."""
        default = f"`{escape(branches.default)}`" if branches.default else "no branch"
        at = f" at `{branches.default_sha[:12]}`" if branches.default_sha else ", without any commit yet"
        merged = f"; with what was merged here `{branches.merged_sha[:12]}`" if branches.merged_sha else ""
        rows = [f"*`{repository.name}`*: default {default}{at}{merged}"]
        if status:
            rows += self._describe_branch(status)
        else:
            rows.append("You work on no branch: `git_create_branch` creates one, `checkout_branch` chooses one.")
        rows += self._describe_commits(commits[:_NEWEST])
        if branches.workspaces:
            names = ", ".join(f"`{workspace.branch}`" for workspace in branches.workspaces[:MAX_PATHS])
            rows.append(f"Triage's branches: {names}.")
        if branches.problem:
            rows.append(f"It cannot be fetched now: {escape(self.guard.redact_words(branches.problem))}")
        return rows

    def _describe_branch(self, status: WorkspaceStatus) -> list[str]:
        """Return rows on the branch that a person works on."""
        workspace = status.workspace
        remote = (
            "not pushed"
            if not status.remote_sha
            else "pushed"
            if status.remote_sha == workspace.head
            else f"the remote has it at `{status.remote_sha[:12]}`"
        )
        rows = [
            f"You work on `{workspace.branch}` at `{workspace.head[:12]}`: "
            f"{count(len(status.commits), 'commit')} since `{workspace.base[:12]}`, {remote}.",
            f"Files: `{workspace.folder}`.",
        ]
        for words, paths in (
            ("Not committed", [change.path for change in status.uncommitted]),
            ("No commit takes", [*status.left_out]),
            ("Set aside, since it was in the place of Triage's own `.git`", [*status.set_aside]),
        ):
            if paths:
                rows.append(f"{words}: {self.guard.redact_words(list_paths(paths, MAX_PATHS))}.")
        return rows

    def _describe_commits(self, commits: tuple[WorkCommit, ...]) -> list[str]:
        """Return a code block of commits; none without any."""
        lines = [f"{commit.sha[:12]}  {commit.at:%Y-%m-%d}  {commit.author}  {commit.subject}" for commit in commits]
        excerpt = [code_line(make_legible(self.guard.redact_words(line))) for line in lines]
        return [code_block(excerpt)] if excerpt else []


def _describe_rest(
    repository: WorkRepository, slug: str, first: int, last: int, total: int, *, is_cut: bool
) -> list[str]:
    """Return a row on the lines of a patch that are not shown; none if all are."""
    if first > total:
        return [f"The patch has {count(total, 'line')}."] if total else []
    if last < total:
        rest = f"`git_diff branch={slug} project={repository.name} first={last + 1}` shows what follows"
    elif is_cut:
        rest = "it is cut there; `path=…` shows one file or folder"
    else:
        return [f"Lines {first} to {last} of {total}."] if first > 1 else []
    return [f"Lines {first} to {last} of {total}; {rest}."]
