"""Tool `find_definition`: definitions and calls of a name, from the project's index. It needs no git."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.tools.index.names import find_name
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.project import Project
    from bot.tools.file_tools import FileTools
    from bot.tools.index.names import NamePlaces

DEFINITIONS_SHOWN = 12
CALLS_SHOWN = 30
_CALLS_OF_A_FILE = 6


class FindDefinition(BaseModel):
    """Input of `find_definition`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[
        str,
        Field(
            min_length=2,
            max_length=100,
            pattern=r"^[^\W\d][\w$]*$",
            description="The bare name of a function, method, class or type, such as parse_order.",
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class DefinitionFinder:
    """Tool of one run; `reader` decides which lines may be shown."""

    project: Project
    reader: FileTools
    indexes: Path

    @property
    def tool(self) -> Tool:
        """Return the tool for an agent."""
        return Tool(
            name="find_definition",
            description="Find where a function, method, class or type is defined and where it is called. "
            "Gives path:line and the line. To cite a place, open it with read_file.",
            input=FindDefinition,
            run=self.find,
        )

    async def find(self, request: FindDefinition) -> str:
        """Return definitions, then calls."""
        places = await asyncio.to_thread(find_name, self.indexes, self.project, request.name)
        rows, count = await asyncio.to_thread(self._rows, places)
        if not rows:
            return "No definition and no call of that name is known; search finds it as a text."
        return await asyncio.to_thread(
            self.reader.guard.answer, "\n".join(rows), source="find_definition", name=request.name, places=count
        )

    def _rows(self, places: NamePlaces) -> tuple[list[str], str]:
        defined = [row for path, line in places.definitions for row in self.reader.rows(path, [line])]
        called: list[str] = []
        by_file: dict[str, list[int]] = {}
        for path, line in places.calls:
            by_file.setdefault(path, []).append(line)
        for path, lines in by_file.items():
            if len(called) >= CALLS_SHOWN:
                break
            called += self.reader.rows(path, lines[:_CALLS_OF_A_FILE])
        count = f"{min(len(defined), DEFINITIONS_SHOWN)} defined, {min(len(called), CALLS_SHOWN)} called"
        if len(defined) > DEFINITIONS_SHOWN or len(places.calls) > min(len(called), CALLS_SHOWN):
            count += "; there are more"
        if not places.is_complete:
            count += "; the project is still being indexed"
        defined, called = defined[:DEFINITIONS_SHOWN], called[:CALLS_SHOWN]
        heads = (("Defined:", defined), ("Called:", called))
        return [row for head, part in heads if part for row in (head, *part)], count
