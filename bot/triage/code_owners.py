"""Whose files a draft cites: CODEOWNERS of the tree that was read, as the settings know its people.

The answer is saved with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.evidence import cited_lines
from bot.decide.owners import PLACES, parse, to_ask
from bot.errors import ToolError
from bot.tools.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.findings import EvidenceRef
    from bot.models.project import Project


@dataclass(frozen=True, kw_only=True)
class Owning:
    """`known` maps names of CODEOWNERS to ids of users and user groups; `on_call` is by the project's name."""

    known: Mapping[str, str]
    on_call: Mapping[str, Sequence[str]]

    async def of(self, project: Project, references: Sequence[EvidenceRef]) -> tuple[str, ...]:
        """Whom an operator may ask about these references, the first owner first; nobody where nobody is known."""
        places = (cited_lines(each.ref) for each in references if each.kind == "file")
        paths = tuple(dict.fromkeys(place[0] for place in places if place))
        return await asyncio.to_thread(self._to_ask, project, paths)

    def _to_ask(self, project: Project, paths: Sequence[str]) -> tuple[str, ...]:
        """Runs in a thread: a file may have thousands of patterns."""
        lines = _codeowners(project) if self.known and paths else ()
        return to_ask(paths, parse(lines), self.known, self.on_call.get(project.belongs_to, ()))


def _codeowners(project: Project) -> tuple[str, ...]:
    for place in PLACES:
        try:
            return read_lines(project.root, place)
        except ToolError:
            continue
    return ()
