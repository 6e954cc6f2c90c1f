"""Evidence check: code opens every reference of a draft again, whichever engine made the draft.

The check proves that the quoted lines are at the given place. It does not decide whether they support the claim.
"""

from __future__ import annotations

import asyncio
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.quote_comparison import CitedLines
from bot.decide.redaction.redactor import Redactor
from bot.decide.retrieval.passages import split_passages
from bot.decide.retrieval.path_patterns import is_below
from bot.errors import ToolError
from bot.models.findings import EvidenceCheck, EvidenceRef
from bot.tools import files, git
from bot.tools.denied_paths import is_denied
from bot.tools.files import plain_path
from bot.tools.note_folders import note_lines
from prompts.envelope import plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bot.models.project import Project

MOST_CITED = 200
"""Maximum of lines in one reference."""

_FILE_REF = re.compile(r"(?P<path>[^\0\n]+?):(?P<first>[1-9]\d{0,8})(?:-(?P<last>[1-9]\d{0,8}))?")


@dataclass
class EvidenceChecker:
    """Checker of references in one project's folder. Files are read once: create one instance per draft."""

    root: Path
    redactor: Redactor = field(default_factory=Redactor)
    project: Project | None = None
    """Project with notes outside the root; without it no such note can be opened."""
    folder: str = "."
    """Folder of the project to which evidence is limited."""
    _lines: dict[tuple[str | None, str], tuple[str, ...]] = field(default_factory=dict)

    async def check(self, reference: EvidenceRef) -> EvidenceCheck:
        """Check one reference. Never raises: a reference that cannot be read has failed."""
        try:
            match reference.kind:
                case "file":
                    reason = await self._check_file(reference)
                case "git_commit":
                    sha = await git.commit_sha(self.root, reference.ref)
                    reason = f"the commit exists: {sha[:12]}"
                case "memory" if await self.note(reference.ref) is not None:
                    reason = await self._check_file(reference)
                case _:
                    return EvidenceCheck(ref=reference.ref, result="not_checkable", reason="not checkable by code")
        except ToolError as problem:
            return EvidenceCheck(ref=reference.ref, result="failed", reason=str(problem).rstrip("."))
        return EvidenceCheck(ref=reference.ref, result="ok", reason=reason)

    async def cited(self, reference: EvidenceRef) -> str:
        """Return the text that supports claims by one reference: its place, its lines, the names that enclose them.

        Without readable lines, or for another kind than a file, the place alone counts.
        """
        match = _FILE_REF.fullmatch(reference.ref) if reference.kind in ("file", "memory") else None
        if not match:
            return reference.ref
        first, last = int(match["first"]), int(match["last"] or match["first"])
        try:
            lines = await self._lines_of(reference, match["path"])
        except ToolError:
            return reference.ref
        parts = await asyncio.to_thread(split_passages, match["path"], lines)
        names = dict.fromkeys(name for part in parts if part.start <= last and part.end >= first for name in part.names)
        cited = "\n".join(lines[first - 1 : min(last, first - 1 + MOST_CITED)])
        visible = plain(cited)  # a draft repeats the lines as it was shown them
        return "\n".join((f"{reference.ref} ", " ".join(names), cited, *([visible] if visible != cited else [])))

    async def as_it_stands(self, reference: EvidenceRef) -> EvidenceRef:
        """Return a valid reference with the plain path and the cited text of its quote; any other one unchanged.

        A line whose quote left out a negation is returned in full.
        """
        place = cited_lines(reference.ref) if reference.kind in ("file", "memory") else None
        if place is None:
            return reference
        path = place[0]
        if reference.kind == "file" and (plain := await asyncio.to_thread(plain_path, self.root, path)) != path:
            reference = reference.evolve(ref=f"{plain}{reference.ref.removeprefix(path)}")
        try:
            cited = await self._cited_lines(reference)
            return reference.evolve(quote=await asyncio.to_thread(cited.match, reference.quote))
        except ToolError:
            return reference

    async def _check_file(self, reference: EvidenceRef) -> str:
        cited = await self._cited_lines(reference)
        text = await asyncio.to_thread(cited.match, reference.quote)
        return describe_match(cited.first, cited.last, text)

    async def _cited_lines(self, reference: EvidenceRef) -> CitedLines:
        """Return the cited lines for a comparison with the quote. Raises `ToolError`."""
        place = cited_lines(reference.ref)
        if place is None:
            raise ToolError("expected path:line or path:first-last")
        path, first, last = place
        if first > last:
            raise ToolError(f"the range runs backwards: {first}-{last}")
        if path.startswith("/"):
            raise ToolError("the path must be relative to the project's folder")
        if reference.kind == "file" and not is_below(self.folder, posixpath.normpath(path)):
            raise ToolError(f"it lies outside of the folder {self.folder}, to which its routing rule is limited")
        lines = await self._lines_of(reference, path)
        if last > len(lines):
            raise ToolError(f"line {last} does not exist, the file has {len(lines)}")
        return CitedLines(lines, first, last, self.redactor)

    async def note(self, ref: str) -> tuple[str, ...] | None:
        """Return the lines of the note that a reference names; `None` where it names none of the project's notes.

        Raises `ToolError` for an unreadable file in a notes folder.
        """
        place = cited_lines(ref)
        if place is None or self.project is None:
            return None
        return await asyncio.to_thread(note_lines, self.project, place[0])

    async def _lines_of(self, reference: EvidenceRef, path: str) -> tuple[str, ...]:
        if reference.kind != "memory":
            return await self.lines(path, reference.commit)
        lines = await self.note(reference.ref)
        if lines is None:
            raise ToolError(f"{path} is not a note of the project")
        return lines

    async def lines(self, path: str, commit: str | None) -> tuple[str, ...]:
        """Return the lines of a file, as it is now or at a commit. Raises `ToolError`."""
        key = (commit, path)
        if key not in self._lines:
            if commit is None:
                self._lines[key] = await asyncio.to_thread(files.read_lines, self.root, path)
            elif is_denied(path):
                raise ToolError(f"{path} may hold secrets and is never read")
            else:
                _, self._lines[key] = await git.lines_at(self.root, commit, path)
        return self._lines[key]


async def notice_assigned_secrets(
    project: Project | None, references: Iterable[EvidenceRef], redactor: Redactor
) -> None:
    """Let the redactor learn the values that cited files assign to secret names. Never raises."""
    if project is None:
        return
    checker = EvidenceChecker(project.root)
    for path, commit in dict.fromkeys(
        (place[0], each.commit) for each in references if (place := cited_lines(each.ref))
    ):
        with suppress(ToolError):
            lines = await checker.lines(path, commit)
            await asyncio.to_thread(redactor.notice, "\n".join(lines))


def cited_lines(ref: str) -> tuple[str, int, int] | None:
    """Return path, first and last line of a reference to lines of a file; `None` for any other reference."""
    match = _FILE_REF.fullmatch(ref)
    return (match["path"], int(match["first"]), int(match["last"] or match["first"])) if match else None


def describe_match(first: int, last: int, quote: str | None) -> str:
    """Return the reason of a successful check."""
    where = f"the quote is in lines {first}-{last}" if last > first else f"the quote is in line {first}"
    return where if any(map(str.isalnum, quote or "")) else f"{where}; it has no word, so it proves nothing"
