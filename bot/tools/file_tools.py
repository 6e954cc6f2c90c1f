"""Tools on a project's files: `read_file`, `search` and `glob`.

Built for each run of an agent, and by `commands/files` for people. Files come from `tools/files` and ripgrep, both
confined to the project's root; an agent sees only guarded text. Each line is preceded by its number, so that
`path:12-20` can be cited.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import re2
from pydantic import BaseModel, ConfigDict, Field

from bot.decide.retrieval.path_patterns import fits, is_below
from bot.errors import ToolError
from bot.models.visible import clean
from bot.tools import files, search
from bot.tools.guard import fit_rows
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bot.tools.guard import Guard
    from bot.tools.read_log import ReadLog
    from bot.tools.search import SearchMatches

LINES_SHOWN = 60
"""Maximum number of lines in a search result."""
LINES_OF_A_FILE = 12
"""Maximum number of those lines from one file."""
PATHS_SHOWN = 200
_LACKS_REST = "; hidden, generated and data files were not searched"

Text = Annotated[str, Field(min_length=1, max_length=300)]


class _Input(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReadFile(_Input):
    """Input of `read_file`."""

    path: Annotated[str, Field(min_length=1, max_length=1_000, description="Relative to the project's folder.")]
    first: Annotated[int, Field(ge=1, le=10_000_000, description="First line, from 1.")] = 1
    count: Annotated[int, Field(ge=1, le=1_000, description="How many lines.")] = 300


class Search(_Input):
    """Input of `search`."""

    text: Annotated[Text, Field(description="What to find, in any case.")]
    regex: Annotated[bool, Field(description="Take `text` as a regular expression within one line.")] = False
    paths: Annotated[str, Field(max_length=300, description="Only files whose path matches, such as src/**/*.py.")] = ""


class Glob(_Input):
    """Input of `glob`."""

    pattern: Annotated[Text, Field(description="Such as **/*.md; * stays in one folder, ** crosses folders.")]


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows of a search result: `path:line`, a tab and the line."""

    rows: tuple[str, ...]
    in_files: int
    is_cut: bool
    """True if there are more."""
    lacks_rest: bool = False
    """True if hidden, generated and data files were not searched."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths that match a pattern, hidden, generated and data files last."""

    paths: tuple[str, ...]
    lacks_rest: bool = False
    """True if such files could not be listed."""


@dataclass(frozen=True, kw_only=True)
class FileTools:
    """File tools of one run on one project."""

    root: Path
    guard: Guard
    read_log: ReadLog
    ignore: tuple[str, ...] = ()
    """Patterns of files that the project excludes."""
    folder: str = "."
    """Folder of the project that bounds all reads."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the three tools."""
        return (
            Tool(
                name="read_file",
                description="Read lines of a text file of the project. Each line comes with its number and a tab.",
                input=ReadFile,
                run=self.read_file,
            ),
            Tool(
                name="search",
                description="Find a text or a regular expression in the project's files. Gives path:line and the line; "
                "hidden, generated and data files come last. To cite a place, open it with read_file.",
                input=Search,
                run=self.search,
            ),
            Tool(
                name="glob",
                description="List files of the project by their path; hidden, generated and data files come last.",
                input=Glob,
                run=self.glob,
            ),
        )

    async def read_file(self, request: ReadFile) -> str:
        """Return the requested lines, numbered; an error repeats no secret of the path."""
        try:
            return await asyncio.to_thread(self._read_numbered, request)
        except ToolError as problem:
            raise ToolError(self.guard.redact_words(str(problem))) from problem

    def lines(self, path: str) -> tuple[str, ...]:
        """Return the guarded lines of a file. Raises `ToolError`, which may repeat the path."""
        return self.guard.lines(self._read_lines(path))

    def _read_lines(self, path: str) -> tuple[str, ...]:
        plain = files.plain_path(self.root, path)
        if not is_below(self.folder, plain):
            raise ToolError(f"{path} lies outside of the folder {self.folder}, which bounds this run.")
        if pattern := next((pattern for pattern in self.ignore if fits(pattern, plain)), None):
            raise ToolError(f"{path} is left out of this project: its settings ignore {pattern}.")
        return files.read_lines(self.root, path)

    def _read_numbered(self, request: ReadFile) -> str:
        lines = self.guard.show_lines(self._read_lines(request.path))
        if request.first > len(lines):
            raise ToolError(f"{request.path} has {len(lines)} lines.")
        last = min(len(lines), request.first + request.count - 1)
        wanted = [f"{number}\t{lines[number - 1]}" for number in range(request.first, last + 1)]
        rows = fit_rows(wanted)
        last = request.first + len(rows) - 1
        path = files.plain_path(self.root, request.path)
        self.read_log.note(path, request.first, last)
        shown = f"{request.first}-{last} of {len(lines)}"
        return self.guard.wrap_rows(rows, of=len(wanted), source="file", path=path, lines=shown)

    async def search(self, request: Search) -> str:
        """Return the matching lines by file."""
        matches = await self.matches(request)
        if not matches.rows:
            return await self._describe_no_match(request, matches)
        hint = _LACKS_REST if matches.lacks_rest else ""
        hint = "; there are more, narrow the search" if matches.is_cut else hint
        count = f"{len(matches.rows)}, in {matches.in_files} {'file' if matches.in_files == 1 else 'files'}{hint}"
        return await asyncio.to_thread(self.guard.answer, "\n".join(matches.rows), source="search", lines=count)

    async def _describe_no_match(self, request: Search, matches: Matches) -> str:
        if request.paths and not (await self.list_paths(Glob(pattern=request.paths))).paths:
            return f"No file has a path like `paths`, so nothing was searched. {self.describe_left_out('listed')}"
        cut = " The search was cut short." if matches.is_cut else ""
        rest = f"{_LACKS_REST.removeprefix('; ').capitalize()}. " if matches.lacks_rest else ""
        return f"Nothing matches in the searched files.{cut} {rest}{self.describe_left_out('searched')}"

    def describe_left_out(self, deed: str) -> str:
        """Return a sentence on the files that no search covers: the same for each request, so that it tells no
        secret."""
        settings = f"; by the project's settings {', '.join(self.ignore)}" if self.ignore else ""
        outside = "" if self.folder == "." else f"; all outside of {self.folder}"
        text = (
            f"Not {deed}: files that git ignores; {' and '.join(search.INSTALLED)}; links; files over "
            f"{files.MAX_BYTES / 1_000_000:g} MB; files and lines that may hold secrets{settings}{outside}."
        )
        return self.guard.redact_words(text)

    async def matches(self, request: Search) -> Matches:
        """Find matching lines. A line with a secret never matches, or guesses could reveal the secret.

        So counts and limits apply to visible lines only: a hidden line takes no room and adds to no number.
        """
        wanted = matcher(request.paths) if request.paths else None
        rows: list[str] = []
        seen: set[str] = set()
        in_files, is_cut = 0, False
        for is_wide in (False, True):
            result = await self._find(request, is_wide=is_wide) if len(rows) < LINES_SHOWN else None
            if result is None:
                return Matches(tuple(rows), in_files, is_cut, lacks_rest=True)
            is_cut |= result.is_cut
            new = [file_matches for file_matches in result.files if file_matches.path not in seen]
            seen.update(file_matches.path for file_matches in new)
            for file_matches in new:
                if wanted is not None and not wanted.fullmatch(file_matches.path):
                    continue
                here = await asyncio.to_thread(self.rows, file_matches.path, sorted(set(file_matches.lines)))
                room = min(LINES_OF_A_FILE, LINES_SHOWN - len(rows))
                is_cut |= len(here) > room
                if here and not room:
                    break
                rows += here[:room]
                in_files += bool(here)
        return Matches(tuple(rows), in_files, is_cut)

    async def _find(self, request: Search, *, is_wide: bool) -> SearchMatches | None:
        """Search the files; `None` where a wide search takes too long or fails."""
        try:
            if request.regex:
                return await search.find_pattern(self.root, request.text, self.ignore, is_wide=is_wide)
            return await search.find_text(self.root, [request.text], self.ignore, is_wide=is_wide)
        except ToolError:
            if is_wide:
                return None
            raise

    async def glob(self, request: Glob) -> str:
        """Return the matching paths."""
        listing = await self.list_paths(request)
        paths, rest = listing.paths, _LACKS_REST.replace("searched", "listed") if listing.lacks_rest else ""
        if not paths:
            return f"No listed file has such a path{rest}. {self.describe_left_out('listed')}"
        count = f"{min(len(paths), PATHS_SHOWN)} of {len(paths)}{rest}"
        return await asyncio.to_thread(self.guard.answer, "\n".join(paths[:PATHS_SHOWN]), source="glob", paths=count)

    async def list_paths(self, request: Glob) -> Listing:
        """List the matching paths, without those that contain a secret, as in `matches`."""
        wanted = matcher(request.pattern)
        listed, lacks_rest = await search.list_files(self.root, self.ignore), False
        try:
            everything = await search.list_files(self.root, self.ignore, is_wide=True)
            listed = tuple(dict.fromkeys((*listed, *everything)))
        except ToolError:
            lacks_rest = True

        def select() -> tuple[str, ...]:
            within = (path for path in listed if is_below(self.folder, path) and wanted.fullmatch(path))
            return tuple(path for path in within if self.guard.redact_words(path) == path)

        return Listing(await asyncio.to_thread(select), lacks_rest)

    def rows(self, path: str, numbers: Sequence[int]) -> list[str]:
        """Return these lines of a file, without those that may not be shown."""
        if not is_below(self.folder, path):
            return []
        try:
            raw = files.read_lines(self.root, path)
        except ToolError:
            return []  # deleted or unreadable since the search
        lines = self.guard.lines(raw)
        cleaned = clean("\n".join(raw)).split("\n")  # as the guard does where it finds a secret in any line
        visible = [
            number
            for number in numbers
            if number <= len(lines) and lines[number - 1] in (raw[number - 1], cleaned[number - 1])
        ]
        return [f"{path}:{number}\t{lines[number - 1]}" for number in visible]


_QUIET = re2.Options()
_QUIET.log_errors = False


def matcher(pattern: str) -> Any:
    """Compile a path pattern to re2: `*` and `?` within a folder, `**` across, `{a,b}` for alternatives; the rest is
    literal."""
    return re2.compile("".join(_pieces(pattern.removeprefix("./"))), _QUIET)


def _pieces(pattern: str) -> Iterator[str]:
    at, inside = 0, False
    while at < len(pattern):
        if pattern.startswith("**/", at):
            yield "(?:.*/)?"
            at += 3
            continue
        if pattern.startswith("**", at):
            yield ".*"
            at += 2
            continue
        char = pattern[at]
        at += 1
        if char == "{" and not inside and "}" in pattern[at:]:
            inside = True
            yield "(?:"
        elif char == "}" and inside:
            inside = False
            yield ")"
        elif char == "," and inside:
            yield "|"
        else:
            yield {"*": "[^/]*", "?": "[^/]"}.get(char) or re2.escape(char)
