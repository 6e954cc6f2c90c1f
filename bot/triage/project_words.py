"""Project words: check whether a message's words occur in the files of a project.

For example, *nsqadmin* may be the name of a folder, while *lunch* occurs nowhere.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import beginning, stem
from bot.errors import TriageError
from bot.tools.note_folders import search_notes
from bot.tools.search import find_words, list_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.project import Project
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

_PART = re.compile(r"[/.]")
_PLAIN = re.compile(r"[^\W_]{2,}")
_ENOUGH = 2
"""Words that must occur in one project if none is the name of a file."""


@dataclass(frozen=True, kw_only=True)
class ProjectWords:
    """Search for words in every project whose code is available."""

    projects: Projects
    seconds: float = 2.0
    """Timeout in seconds, since the author of the message waits."""

    async def are_known(self, words: Sequence[str]) -> bool | None:
        """Return whether a project has a file or folder with such a name, or contains two of the words.

        `None` means one word only, or an error or timeout.
        """
        starts = {beginning(stem(word)) for word in words if _PLAIN.fullmatch(word)}
        if not starts:
            return None
        try:
            async with asyncio.timeout(self.seconds):
                counts = await asyncio.gather(*(_count(project, words, starts) for project in self.projects.list_all()))
        except (TriageError, TimeoutError) as problem:
            log.warning("it is unknown whether a project contains these words: %r", problem)
            return None
        if not counts or 0 < max(counts) < _ENOUGH:
            return None
        return max(counts) > 0


async def _count(project: Project, words: Sequence[str], starts: set[str]) -> int:
    """Return the number of words that the project contains; the name of a file counts as enough."""
    paths, matches = await asyncio.gather(
        list_files(project.root, project.ignore), find_words(project.root, starts, project.ignore)
    )
    named = {part.lower() for path in paths for part in _PART.split(path)}
    if not named.isdisjoint(word.lower() for word in words):
        return _ENOUGH
    notes = await search_notes(project, sorted(starts), (), paths)
    matched_words = {word for file in (*matches.files, *notes.words.files) for word in file.words}
    return sum(any(word.startswith(start) for word in matched_words) for start in starts)
