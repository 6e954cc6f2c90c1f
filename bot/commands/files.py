"""Files of a project: `read_file`, `search_files`. The agents' access rules apply here too."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer
from bot.commands.counts import count
from bot.commands.inputs_work import ReadProjectFile, SearchProject
from bot.commands.registry import command
from bot.commands.search import fitting, plainly
from bot.errors import ToolError
from bot.tools.file_tools import FileTools, Glob, Search
from bot.tools.read_log import Opened
from bot.tools.trees import pinned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.search import WhichProject
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.tools.guard import Guard


@dataclass(frozen=True, kw_only=True)
class FileCommands:
    """Commands that read files as the agents' tools do, through the same guard."""

    which: WhichProject
    guard: Guard

    @command(
        "read_file",
        "shows lines of a file of a project, as far as agents may read it too",
        input=ReadProjectFile,
        role="operator",
        tier="read",
        untrusted="code",
    )
    async def read(self, asked: ReadProjectFile, asker: Asker) -> CommandAnswer:
        """Show as many lines of a file as one answer holds; of several roots, the first that has the file."""
        roots = self.which.of(asked.project, asker)
        problem = ""
        for root in roots:
            try:
                lines = await asyncio.to_thread(self._reader(root).lines, asked.path)
            except ToolError as refused:
                problem = problem or str(refused)
                continue
            return _shown(asked, root, lines)
        return CommandAnswer(outcome="invalid", line=escape(self.guard.words(problem)))

    @command(
        "search_files",
        "finds a text in the files of a project, or with `mode=names` files by a pattern such as src/**/*.py",
        input=SearchProject,
        role="operator",
        tier="read",
        untrusted="code",
        rest=True,
    )
    async def search(self, asked: SearchProject, asker: Asker) -> CommandAnswer:
        """List lines that contain a text, or paths that match a pattern, by root."""
        roots = self.which.of(asked.project, asker)
        rows: list[str] = []
        more = False
        for root in roots:
            front = f"{root.name.partition('/')[2]}/" if len(roots) > 1 else ""
            try:
                found, cut = await self._found(asked, root)
            except ToolError as problem:
                return CommandAnswer(outcome="invalid", line=escape(self.guard.words(str(problem))))
            rows += [f"{front}{row}" for row in found]
            more |= cut
        if not rows:
            return CommandAnswer(line=f"Nothing in `{escape(roots[0].belongs_to)}` matches.")
        shown, last = fitting(rows, 1, tell=_code)
        what = "path" if asked.mode == "names" else "line"
        rest = "; there are more, narrow the search" if more or last < len(rows) else ""
        return CommandAnswer(
            line=f"{count(last, what)} of `{escape(roots[0].belongs_to)}`{rest}:", rows=(_block(shown),)
        )

    async def _found(self, asked: SearchProject, root: Project) -> tuple[Sequence[str], bool]:
        reader = self._reader(root)
        try:
            if asked.mode == "names":
                return await reader.paths(Glob(pattern=asked.text)), False
            matches = await reader.matches(Search(text=asked.text))
        except ValidationError as problem:
            raise ToolError(problem.errors()[0]["msg"]) from problem
        return [row.replace("\t", ": ", 1) for row in matches.rows], matches.more

    def _reader(self, root: Project) -> FileTools:
        return FileTools(root=pinned(root).root, guard=self.guard, opened=Opened(), ignore=root.ignore)


def _shown(asked: ReadProjectFile, root: Project, lines: Sequence[str]) -> CommandAnswer:
    if asked.first > len(lines):
        return CommandAnswer(outcome="invalid", line=f"`{_path(asked.path)}` has {count(len(lines), 'line')}.")
    numbered = [f"{number:>4} {line}" for number, line in enumerate(lines, 1)]
    shown, last = fitting(numbered, asked.first, asked.last, tell=_code)
    if not shown:
        return CommandAnswer(outcome="invalid", line="`last` is before `first`.")
    wanted = min(asked.last or len(lines), len(lines))
    more = f"; `first={last + 1}` shows what follows" if last < wanted else ""
    line = f"`{_path(asked.path)}` of `{escape(root.name)}`, lines {asked.first}-{last} of {len(lines)}{more}"
    return CommandAnswer(line=line, rows=(_block(shown),))


def _code(line: str) -> str:
    """Escape a line for a code block, so that it cannot end the block."""
    return plainly(line).replace("```", "'''")


def _path(path: str) -> str:
    return escape(clip(path, 200)).replace("`", "'")


def _block(lines: Sequence[str]) -> str:
    return "\n".join(("```", *lines, "```"))
