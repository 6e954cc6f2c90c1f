"""Code owners of the files that a draft cites, from CODEOWNERS in the tree that was read.

They are saved with the draft.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.evidence import cited_lines
from bot.decide.owners import PLACES, find_people_to_ask, parse
from bot.errors import ToolError
from bot.tools.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.config.settings import Settings
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project


@dataclass(frozen=True, kw_only=True)
class CodeOwners:
    """Lookup of owners. `user_ids` maps names in CODEOWNERS to user and group ids; `on_call` is by project name."""

    user_ids: Mapping[str, str]
    on_call: Mapping[str, Sequence[str]]

    @classmethod
    def from_settings(cls, settings: Settings) -> CodeOwners:
        """Take the names and the people on call from the settings."""
        on_call = {name: section.on_call for name, section in settings.projects.items()}
        return cls(user_ids=settings.owners, on_call=on_call)

    async def owners_of(self, project: Project, references: Sequence[EvidenceRef]) -> tuple[str, ...]:
        """Return the ids that an operator may ask about these references, first owner first; empty if none is known."""
        places = (cited_lines(each.ref) for each in references if each.kind == "file")
        paths = tuple(dict.fromkeys(place[0] for place in places if place))
        return await asyncio.to_thread(self._to_ask, project, paths)

    def _to_ask(self, project: Project, paths: Sequence[str]) -> tuple[str, ...]:
        """Match the paths; blocking, since CODEOWNERS may have thousands of patterns."""
        lines = _codeowners(project) if self.user_ids and paths else ()
        return find_people_to_ask(paths, parse(lines), self.user_ids, self.on_call.get(project.belongs_to, ()))


def _codeowners(project: Project) -> tuple[str, ...]:
    for place in PLACES:
        try:
            return read_lines(project.root, place)
        except ToolError:
            continue
    return ()
