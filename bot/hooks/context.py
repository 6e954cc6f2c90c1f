"""Context of runs: the output of a hook's steps, which read what agents may read, and addresses of the settings, and
run approved programs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from bot.errors import ToolError
from bot.models.visible import clean
from bot.tools import commits
from bot.tools.file_tools import FileTools, Search
from bot.tools.names import make_legible
from bot.tools.read_log import ReadLog
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.hooks.programs import HookPrograms
    from bot.models.hook import ContextStep, Hook
    from bot.models.hook_record import HookRun
    from bot.models.project import Project
    from bot.ports.hooks import WebPages
    from bot.tools.guard import Guard
    from bot.triage.projects import Projects

COMMITS_LISTED = 20


@dataclass(frozen=True, kw_only=True)
class HookContext:
    """Reader of context. `urls` are the declared addresses by name; all output is redacted, and untrusted."""

    projects: Projects
    guard: Guard
    pages: WebPages
    urls: Mapping[str, str]
    programs: HookPrograms

    async def gather(self, hook: Hook, run: HookRun) -> tuple[str, ...]:
        """Return the output of each step, in order. Raises `ToolError` with the reason of the first that fails."""
        return tuple([await self._run(step, hook, run) for step in hook.steps])

    async def _run(self, step: ContextStep, hook: Hook, run: HookRun) -> str:
        try:
            match step.verb:
                case "read":
                    text = await self._read(step.argument, self._list_roots(hook))
                case "search":
                    text = await self._search(step.argument, self._list_roots(hook))
                case "log":
                    text = await self._list_commits(step.argument, self._list_roots(hook))
                case "fetch":
                    text = await self._fetch(step.argument)
                case "run":
                    text = await self.programs.run(step, hook, run)
                case _:
                    assert_never(step.verb)
        except ToolError as problem:
            raise ToolError(self.guard.redact_words(str(problem))) from problem
        return await asyncio.to_thread(self.guard.redact_words, clean(text))

    def _list_roots(self, hook: Hook) -> list[Project]:
        """Return the roots of the hook's project, with their trees as they are now."""
        roots = [root for root in self.projects.configured() if root.belongs_to == hook.project]
        if not roots:
            raise ToolError(f"there is no project {hook.project}" if hook.project else "the hook has no project")
        for root in roots:
            if reason := self.projects.missing_reason(root.name):
                raise ToolError(f"{root.name} has no code: {reason}")
        return [pin_tree(root) for root in roots]

    async def _read(self, path: str, roots: list[Project]) -> str:
        problem = ToolError("there is no such file")
        for root in roots:
            try:
                return "\n".join(await asyncio.to_thread(self._build_reader(root).lines, path))
            except ToolError as refusal:
                problem = refusal
        raise problem

    async def _search(self, text: str, roots: list[Project]) -> str:
        rows: list[str] = []
        for root in roots:
            found_rows = (await self._build_reader(root).matches(Search(text=text))).rows
            rows += [f"{_format_root(root, roots)}{row}".replace("\t", ": ", 1) for row in found_rows]
        return "\n".join(rows)

    async def _list_commits(self, path: str, roots: list[Project]) -> str:
        rows = []
        for root in roots:
            for commit in await commits.log(root.root, "HEAD", path=path, count=COMMITS_LISTED):
                subject = make_legible(commit.message.partition("\n")[0])
                author = make_legible(commit.author)
                rows.append(f"{_format_root(root, roots)}{commit.sha[:12]}  {commit.day}  {author}  {subject}")
        return "\n".join(rows)

    async def _fetch(self, name: str) -> str:
        url = self.urls.get(name)
        if url is None:
            raise ToolError(f"`hooks.urls` of the settings has no address {name}")
        return await self.pages.fetch(url)

    def _build_reader(self, root: Project) -> FileTools:
        return FileTools(root=root.root, guard=self.guard, read_log=ReadLog(), ignore=root.ignore)


def _format_root(root: Project, roots: list[Project]) -> str:
    return f"{root.name.partition('/')[2]}/" if len(roots) > 1 else ""
