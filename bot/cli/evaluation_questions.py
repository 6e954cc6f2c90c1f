"""Questions of `triage eval`: read from a file, and checked against the files of the projects."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from bot.decide.evaluation import is_same_file, read_questions, split_place
from bot.errors import Misconfigured, ToolError
from bot.tools.files import read_lines
from bot.tools.search import list_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.models.evaluation import EvalQuestion
    from bot.models.project import Project

_COMPLAINTS = 10


def read_file(path: Path) -> dict[int, EvalQuestion]:
    """Read the questions of a file, by line. Raises `Misconfigured`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"{path}: expected questions as JSON lines in UTF-8: {problem}") from None
    questions, complaints = read_questions(text.split("\n"))
    _refuse(path, complaints)
    if not questions:
        raise Misconfigured(
            f'{path}: expected at least one question, such as {{"question": "…", "places": ["a.py:3"]}}'
        )
    return questions


async def check_places(path: Path, questions: Mapping[int, EvalQuestion], projects: Sequence[Project]) -> None:
    """Check that the projects have all places. Raises `Misconfigured` with the lines of those that they lack."""
    files = {project.name: await _Files.read(project) for project in projects}
    complaints = []
    for number, question in questions.items():
        if question.project and question.project not in files:
            names = ", ".join(sorted(files))
            complaints.append(f"line {number}: expected a project of the settings ({names}), got {question.project}")
            continue
        searched = [files[question.project]] if question.project else [*files.values()]
        for place in question.places:
            problems = [await asyncio.to_thread(project_files.find_fault, place) for project_files in searched]
            if all(problems):
                complaints.append(f"line {number}: {max(problems, key=len)}")
    _refuse(path, complaints)


class _Files:
    """Files of a project, by their last part."""

    def __init__(self, project: Project, paths: Sequence[str]) -> None:
        self._project = project
        self._lengths: dict[str, int] = {}
        self._paths = defaultdict[str, list[str]](list)
        for path in paths:
            self._paths[path.rpartition("/")[2]].append(path)

    @classmethod
    async def read(cls, project: Project) -> _Files:
        """List the files of a project."""
        try:
            return cls(project, await list_files(project.root))
        except ToolError as problem:
            raise Misconfigured(f"{project.name}: its files cannot be listed: {problem}") from None

    def find_fault(self, place: str) -> str:
        """Return the reason why a reference can never share a line with a place; empty if it can."""
        wanted, first, _ = split_place(place)
        paths = [path for path in self._paths[wanted.rpartition("/")[2]] if is_same_file(path, wanted)]
        try:
            longest = max((self._count_lines(path) for path in paths or [wanted]), default=0)
        except ToolError:
            return f"no file of {self._project.name} is {wanted}; correct the place ({place})"
        if first > longest:
            return f"{wanted} of {self._project.name} ends at line {longest}; correct the place ({place})"
        return ""

    def _count_lines(self, path: str) -> int:
        if path not in self._lengths:
            self._lengths[path] = len(read_lines(self._project.root, path))
        return self._lengths[path]


def _refuse(path: Path, complaints: Sequence[str]) -> None:
    if not complaints:
        return
    lines = [f"{path}: {complaint}" for complaint in complaints[:_COMPLAINTS]]
    if left := len(complaints) - _COMPLAINTS:
        lines += [f"and {left} more"] if left > 0 else []
    raise Misconfigured("\n".join(lines))
