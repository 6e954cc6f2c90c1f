"""Files of a project: `read_file`, `search_files`. The agents' access rules apply here too."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.code_block import code_block, code_line
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import ReadProjectFile, SearchProject
from bot.commands.registry import command
from bot.commands.search import fit_lines
from bot.commands.state import count
from bot.errors import ToolError
from bot.models.command_data.files import FileData, MatchData, MatchesData
from bot.tools.file_tools import FileTools, Glob, Search
from bot.tools.read_log import ReadLog
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.search import ProjectFinder
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.tools.guard import Guard


MOST_FILES = 20
"""Number of files of one name that an answer lists."""
_BASE_NAME = re.compile(r"[^/*?{}]{1,250}")
"""Pattern of a file's name alone, without signs of a path pattern."""


@dataclass(frozen=True, kw_only=True)
class FileCommands:
    """Commands that read files as the agents' tools do, through the same guard."""

    which: ProjectFinder
    guard: Guard

    @command(
        "read_file",
        "shows lines of a project's file, as far as agents may read it",
        input=ReadProjectFile,
        role="operator",
        tier="read",
        untrusted="code",
        result=FileData,
    )
    async def read(self, request: ReadProjectFile, asker: Asker) -> CommandAnswer:
        """Show as many lines of a file as one answer holds; of several roots, the first that has the file.

        A name without a folder finds its file below, if no other file has that name.
        """
        roots = self.which.find(request.project, asker)
        problem = ""
        for root in roots:
            try:
                lines = await asyncio.to_thread(self._reader(root).lines, request.path)
            except ToolError as refused:
                problem = problem or str(refused)
                continue
            return _format_excerpt(request, root, lines)
        try:
            match await self._find_by_name(request.path, roots):
                case [(root, path)]:
                    lines = await asyncio.to_thread(self._reader(root).lines, path)
                    return _format_excerpt(request.evolve(path=path), root, lines)
                case [_, *_] as found:
                    return _list_files(request.path, found)
        except ToolError as refused:
            problem = problem or str(refused)
        return CommandAnswer(outcome="invalid", line=escape(self.guard.redact_words(problem)))

    @command(
        "search_files",
        "finds a text in the files of a project, or with `mode=names` files by a pattern",
        input=SearchProject,
        role="operator",
        tier="read",
        untrusted="code",
        rest=True,
        result=MatchesData,
    )
    async def search(self, request: SearchProject, asker: Asker) -> CommandAnswer:
        """List lines that contain a text, or paths that match a pattern, by root."""
        roots = self.which.find(request.project, asker)
        rows: list[str] = []
        is_truncated = False
        for root in roots:
            front = f"{root.name.partition('/')[2]}/" if len(roots) > 1 else ""
            try:
                matches, cut = await self._find_matches(request, root)
            except ToolError as problem:
                return CommandAnswer(outcome="invalid", line=escape(self.guard.redact_words(str(problem))))
            rows += [f"{front}{match}" for match in matches]
            is_truncated |= cut
        if not rows:
            left_out = escape(self._reader(roots[0]).describe_left_out("searched"))
            return CommandAnswer(
                line=f"Nothing in `{escape(roots[0].belongs_to)}` matches. {left_out}",
                data=_build_matches(request, roots[0], (), is_complete=not is_truncated),
            )
        excerpt, last = fit_lines([row.replace("\t", ": ", 1) for row in rows], 1, format_line=code_line)
        what = "path" if request.mode == "names" else "line"
        rest = "; there are more, narrow the search" if is_truncated or last < len(rows) else ""
        return CommandAnswer(
            line=f"{count(last, what)} of `{escape(roots[0].belongs_to)}`{rest}:",
            rows=(code_block(excerpt),),
            data=_build_matches(request, roots[0], rows, is_complete=not is_truncated),
        )

    async def _find_by_name(self, name: str, roots: Sequence[Project]) -> list[tuple[Project, str]]:
        """Return the files of this name in any folder, of those that a search lists. Raises `ToolError`."""
        if not _BASE_NAME.fullmatch(name):
            return []
        listings = [(root, await self._reader(root).list_paths(Glob(pattern=f"**/{name}"))) for root in roots]
        return [(root, path) for root, listing in listings for path in listing.paths]

    async def _find_matches(self, request: SearchProject, root: Project) -> tuple[Sequence[str], bool]:
        reader = self._reader(root)
        try:
            if request.mode == "names":
                listing = await reader.list_paths(Glob(pattern=request.text))
                return listing.paths, listing.lacks_rest
            matches = await reader.matches(Search(text=request.text))
        except ValidationError as problem:
            raise ToolError(problem.errors()[0]["msg"]) from problem
        return matches.rows, matches.is_cut or matches.lacks_rest

    def _reader(self, root: Project) -> FileTools:
        return FileTools(root=pin_tree(root).root, guard=self.guard, read_log=ReadLog(), ignore=root.ignore)


def _format_excerpt(request: ReadProjectFile, root: Project, lines: Sequence[str]) -> CommandAnswer:
    if request.first > len(lines):
        return CommandAnswer(outcome="invalid", line=f"`{_path(request.path)}` has {count(len(lines), 'line')}.")
    numbered = [f"{number:>4} {line}" for number, line in enumerate(lines, 1)]
    excerpt, last = fit_lines(numbered, request.first, request.last, format_line=code_line)
    if not excerpt:
        return CommandAnswer(outcome="invalid", line="`last` is before `first`.")
    wanted = min(request.last or len(lines), len(lines))
    more_hint = f"; `first={last + 1}` shows what follows" if last < wanted else ""
    line = f"`{_path(request.path)}` of `{escape(root.name)}`, lines {request.first}-{last} of {len(lines)}{more_hint}"
    text = "\n".join(lines[request.first - 1 : last])
    data = FileData(project=root.name, path=request.path, first=request.first, last=last, lines=len(lines), text=text)
    return CommandAnswer(line=line, rows=(code_block(excerpt),), data=data)


def _list_files(name: str, found: Sequence[tuple[Project, str]]) -> CommandAnswer:
    """Ask which of several files of one name is meant."""
    is_one = len({root.name for root, _ in found}) == 1
    paths = [path if is_one else f"{path} project={root.name}" for root, path in found]
    excerpt, last = fit_lines(paths[:MOST_FILES], 1, format_line=code_line)
    rest = f" The first {last}:" if last < len(found) else ""
    line = f"{count(len(found), 'file')} have the name `{_path(name)}`; give the path of one.{rest}"
    return CommandAnswer(outcome="invalid", line=line, rows=(code_block(excerpt),))


def _build_matches(request: SearchProject, root: Project, rows: Sequence[str], *, is_complete: bool) -> MatchesData:
    """Build the matches from rows such as `src/app.py:12` and a tab before the line, or from paths."""
    matches = []
    for row in rows:
        place, tab, text = row.partition("\t")
        path, _, number = place.rpartition(":") if tab else (place, "", "")
        matches.append(MatchData(path=path, line=int(number) if tab else None, text=text if tab else None))
    return MatchesData(project=root.belongs_to, mode=request.mode, matches=tuple(matches), is_complete=is_complete)


def _path(path: str) -> str:
    return escape(clip(path, 200)).replace("`", "'")
