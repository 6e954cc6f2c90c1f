"""Tools on a project's git history: `git_log`, `git_show` and `git_blame`.

Built for each run of an agent; the values come from `tools/commits`. A model's ref must name a commit, its path must be
in the project, and none of its input becomes an option.
"""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.decide.retrieval.path_patterns import is_below
from bot.errors import ToolError
from bot.tools import commits
from bot.tools.guard import fit_rows
from bot.tools.names import make_legible
from bot.tools.shown_lines import cut_line
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path
    from typing import TypeVar

    from bot.tools.guard import Guard
    from bot.tools.read_log import ReadLog

    Answer = TypeVar("Answer")

LOOKED_AT = 200
"""Number of commits whose messages are searched for words, since hidden matches are dropped from the result."""
_AUTHOR_CHARS = 80
_PATH = "Relative to the project's folder."
_REF = "A branch, a tag or a commit, also with ~1 or ^ for its parents."
Path_ = Annotated[str, Field(max_length=1_000, description=_PATH)]
Ref = Annotated[str, Field(min_length=1, max_length=200, description=_REF)]


class _Input(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GitLog(_Input):
    """Input of `git_log`."""

    path: Path_ = ""
    ref: Ref = "HEAD"
    words: Annotated[str, Field(max_length=200, description="Only commits whose message holds this text.")] = ""
    count: Annotated[int, Field(ge=1, le=50, description="How many commits, the newest first.")] = 15


class GitShow(_Input):
    """Input of `git_show`."""

    ref: Ref
    path: Path_ = ""


class GitBlame(_Input):
    """Input of `git_blame`."""

    path: Annotated[str, Field(min_length=1, max_length=1_000, description=_PATH)]
    first: Annotated[int, Field(ge=1, le=10_000_000, description="First line, from 1.")]
    count: Annotated[int, Field(ge=1, le=200, description="How many lines.")] = 40
    ref: Ref = "HEAD"


@dataclass(frozen=True, kw_only=True)
class GitTools:
    """Git tools of one run on one project."""

    root: Path
    guard: Guard
    read_log: ReadLog
    folder: str = "."
    """Folder of the project that bounds all results."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the three tools."""
        return (
            Tool(
                name="git_log",
                description="List commits that touch the project or one path of it.",
                input=GitLog,
                run=self.git_log,
            ),
            Tool(
                name="git_show",
                description="Show a commit's message and what it changed against its first parent.",
                input=GitShow,
                run=self.git_show,
            ),
            Tool(
                name="git_blame",
                description="Show who last changed lines of a file as it is in a commit. Each line comes with its "
                "number, commit, day and author, then a tab. To cite such a line, name the commit too.",
                input=GitBlame,
                run=self.git_blame,
            ),
        )

    async def git_log(self, request: GitLog) -> str:
        """List commits, one line each."""
        entries = await self._redact_errors(
            commits.log(
                self.root,
                request.ref,
                path=self._path_for_git(request.path),
                words=request.words,
                count=LOOKED_AT if request.words else request.count,
            ),
        )
        entries = tuple(commit for commit in entries if self._mentions(commit.message, request.words))[: request.count]
        if not entries:
            return "No such commit."
        rows = [
            f"{commit.sha[:12]}  {commit.day}  {make_legible(commit.author)}  "
            f"{make_legible(commit.message.partition(chr(10))[0])}"
            for commit in entries
        ]
        rows = fit_rows([cut_line(row) for row in rows])
        self.read_log.note_commits(commit.sha for commit in entries[: len(rows)])
        return await asyncio.to_thread(
            self.guard.answer, "\n".join(rows), source="git_log", path=request.path, ref=request.ref
        )

    def _mentions(self, message: str, words: str) -> bool:
        """Return whether the visible part of a message contains the words: a guess must not reveal redacted text."""
        visible = self.guard.redact_words(message)
        return visible is message or " ".join(words.split()).lower() in visible.lower()

    async def git_show(self, request: GitShow) -> str:
        """Show message, files and diff of a commit."""
        change = await self._redact_errors(commits.change(self.root, request.ref, self._path_for_git(request.path)))
        listed = "\n".join(f"{status}  {make_legible(path)}" for status, path in change.files[:200])
        withheld_note = (
            f"\n({change.withheld} files may hold secrets; their content is not shown.)" if change.withheld else ""
        )
        cut_note = "\n(The diff goes on; name a path to see less.)" if change.is_cut else ""
        commit = change.commit
        self.read_log.note_commits([commit.sha])
        message = "\n".join(f"    {line}".rstrip() for line in commit.message.splitlines())  # indented as by git
        heading = f"{commit.sha}\n{make_legible(commit.author)}, {commit.day}"
        text = f"{heading}\n\n{message}\n\n{listed}{withheld_note}\n\n{change.diff}{cut_note}"
        return await asyncio.to_thread(self.guard.answer, text, source="git_show", commit=commit.sha, path=request.path)

    async def git_blame(self, request: GitBlame) -> str:
        """Show lines, each after the commit that last changed it."""
        last = request.first + request.count - 1
        self._path_for_git(request.path)
        sha, blamed, raw = await self._redact_errors(
            commits.blame(self.root, request.ref, request.path, request.first, last)
        )
        lines = await asyncio.to_thread(self.guard.show_lines, raw)
        rows = fit_rows(
            [f"{b.line}  {b.sha[:12]}  {b.day}  {self._show_author(b.author)}\t{lines[b.line - 1]}" for b in blamed]
        )
        self.read_log.note(request.path, request.first, blamed[len(rows) - 1].line, sha)
        self.read_log.note_commits(blamed_line.sha for blamed_line in blamed[: len(rows)])
        return self.guard.wrap_rows(rows, of=len(blamed), source="git_blame", path=request.path, commit=sha)

    def _show_author(self, author: str) -> str:
        return make_legible(self.guard.redact_words(author))[:_AUTHOR_CHARS]

    def _path_for_git(self, path: str) -> str:
        """Return the path to pass to git, the run's folder by default. Raises `ToolError` outside of it."""
        plain = posixpath.normpath(path) if path else self.folder
        if not is_below(self.folder, plain):
            raise ToolError(
                self.guard.redact_words(f"{path} lies outside of the folder {self.folder}, which bounds this run.")
            )
        return path or ("" if self.folder == "." else self.folder)

    async def _redact_errors(self, work: Awaitable[Answer]) -> Answer:
        """Await a result; redact its error, which may repeat a secret of the request."""
        try:
            return await work
        except ToolError as problem:
            raise ToolError(self.guard.redact_words(str(problem))) from problem
