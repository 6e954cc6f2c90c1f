"""Questions of `triage eval`: read from a file, and checked against the files of the projects."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from bot.decide.evaluation import NO_LINE, is_same_file, read_questions, split_place
from bot.errors import Misconfigured, ToolError
from bot.tools.files import read_lines
from bot.tools.search import list_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.models.evaluation import EvalQuestion
    from bot.models.project import Project


def read_file(path: Path) -> tuple[dict[int, EvalQuestion], list[str]]:
    """Read the questions of a file; return them by line, and the faults of the other lines. Raises `Misconfigured`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"{path}: expected questions as JSON lines in UTF-8: {problem}") from None
    questions, complaints = read_questions(text.split("\n"))
    if not questions and not complaints:
        raise Misconfigured(
            f'{path}: expected at least one question, such as {{"question": "…", "places": ["a.py:3"]}}'
        )
    return questions, complaints


def refuse_faults(path: Path, complaints: Sequence[str]) -> None:
    """Raise `Misconfigured` with all faults of a file, if it has any."""
    if complaints:
        raise Misconfigured("\n".join(f"{path}: {complaint}" for complaint in complaints))


async def find_missing_places(questions: Mapping[int, EvalQuestion], projects: Sequence[Project]) -> list[str]:
    """Return a complaint for each project and place that does not exist, with its line."""
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
    return complaints


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
        """Return the reason why a place does not exist in the project; empty if it does."""
        wanted, first, last = split_place(place)
        paths = [path for path in self._paths[wanted.rpartition("/")[2]] if is_same_file(path, wanted)]
        try:
            longest = max((self._count_lines(path) for path in paths or [wanted]), default=0)
        except ToolError:
            return f"no file of {self._project.name} is {wanted}; correct the place ({place})"
        if longest < (first if last == NO_LINE else last):
            return f"{wanted} of {self._project.name} ends at line {longest}; correct the place ({place})"
        return ""

    def _count_lines(self, path: str) -> int:
        if path not in self._lengths:
            self._lengths[path] = len(read_lines(self._project.root, path))
        return self._lengths[path]
