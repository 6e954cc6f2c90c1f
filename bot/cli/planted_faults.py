"""Planted faults of `triage eval --validate`: cases of the drill about the evaluated projects."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.cli.drill_cases import build_cases
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.drill import Case
    from bot.decide.redaction.redactor import Redactor
    from bot.models.project import Project

OF_EACH_CLASS = 3
"""Cases of each class; `triage drill` reviews more, for narrower intervals."""
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class PlantedFaults:
    """Cases, and the project that they are about."""

    project: Project
    cases: Sequence[Case]

    @property
    def fingerprint(self) -> str:
        """Return a text that is the same for the same cases only."""
        content = "\n".join(f"{case.kind} {case.findings.model_dump_json()} {case.others}" for case in self.cases)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


async def plant_faults(projects: Iterable[Project], redactor: Redactor) -> PlantedFaults | None:
    """Build cases about the first project whose code states enough facts; `None` if there is none."""
    for project in projects:
        try:
            cases = await build_cases(project, redactor, cases=OF_EACH_CLASS, seed=_SEED)
        except Misconfigured:
            continue
        return PlantedFaults(project=project, cases=cases)
    return None
