"""Comparison of a project's documents and its notes: `compare_specs_notes`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import AnyProjectInput
from bot.commands.note_data import build_comparison
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.redaction.redactor import Redactor
from bot.models.command_data.notes import SpecsNotesData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.search import ProjectFinder
    from bot.models.interaction import Asker
    from bot.ports.notes import ProjectNotes
    from bot.tools.specs import Specs

MAX_NAMED = 25
"""Number of names in each part of an answer."""
_NAMES_PER_ROW = 5


@dataclass(frozen=True, kw_only=True)
class SpecComparison:
    """Compares documents and notes by name and title. `specs` reads a project's documents."""

    notes: ProjectNotes
    project_finder: ProjectFinder
    specs: Specs
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "compare_specs_notes",
        "compares a project's docs and specs with its notes: what either lacks",
        input=AnyProjectInput,
        role="operator",
        tier="read",
        untrusted="code",
        result=SpecsNotesData,
    )
    async def compare(self, request: AnyProjectInput, asker: Asker) -> CommandAnswer:
        """List what has no counterpart first, then the pairs."""
        roots = self.project_finder.find(request.project, asker)
        project = roots[0].belongs_to
        data = build_comparison(project, await self.specs.list_specs(roots), await self.notes.list_all(project))
        pairs = [f"{self._quote(spec.path)} ↔ {self._quote(spec.note)}" for spec in data.specs if spec.note]
        parts = (
            ("Documents without a note", [*map(self._quote, data.without_note)]),
            ("Notes without a document", [*map(self._quote, data.without_spec)]),
            ("In both", pairs),
        )
        line = f"`{escape(project)}` has {count(len(data.specs), 'document')} and {count(len(data.notes), 'note')}."
        rows = tuple(row for title, names in parts if names for row in _list_part(title, names))
        return CommandAnswer(line=line, rows=rows, data=data)

    def _quote(self, name: str) -> str:
        return f"`{escape(clip(self.redactor.redact(name), 150)).replace('`', chr(39))}`"


def _list_part(title: str, names: Sequence[str]) -> list[str]:
    """Return a heading with the number of names, and the first names, several a row."""
    named = names[:MAX_NAMED]
    rows = [", ".join(named[at : at + _NAMES_PER_ROW]) for at in range(0, len(named), _NAMES_PER_ROW)]
    return [
        f"*{title} ({len(names)}):*",
        *rows,
        *([f"and {len(names) - MAX_NAMED} more."] if len(names) > MAX_NAMED else []),
    ]
