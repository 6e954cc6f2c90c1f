"""Evidence recheck: every reference of a draft opened again, in the project as it is now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.citations import CitationOpener
from bot.agents.evidence import EvidenceChecker
from bot.decide.redaction.redactor import Redactor
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.findings import EvidenceCheck
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class EvidenceRecheck:
    """Opens the references of drafts."""

    projects: Projects
    redactor: Redactor = field(default_factory=Redactor)

    def find_project(self, thread: Thread) -> Project | None:
        """Return the project of a thread in its state of now; `None` if it is no longer configured."""
        matches = (pin_tree(project) for project in self.projects.list_all() if project.name == thread.project)
        return next(matches, None)

    async def check(self, thread: Thread, project: Project | None = None) -> tuple[EvidenceCheck, ...]:
        """Open every reference of the thread's draft now, in this state of its project if one is given.

        References that were fine fail when the project is gone: nobody can open them any more. A reference that the
        investigator did not open itself fails, even if it is right.
        """
        project = project or self.find_project(thread)
        if thread.investigator_return is None:
            return ()
        if project is None:
            gone = f"its project {thread.project} no longer exists"
            before = thread.evidence_checks
            return tuple(c.evolve(result="failed", reason=gone) if c.result == "ok" else c for c in before)
        if thread.cited is not None:
            opener = CitationOpener(project, self.redactor)
            references = thread.cited
            checks = [await opener.checks.recheck(reference) for reference in references]
        else:
            route = thread.route
            bounded = route is not None and route.project in (project.name, project.belongs_to)
            folder = route.folder if route and bounded else "."
            checker = EvidenceChecker(project.root, self.redactor, project, folder)
            references = thread.references
            declared = [await checker.check(reference) for reference in references]
            checks = [_fail_unopened(check) if check.ref in thread.unopened else check for check in declared]
        recorded = _map_records(thread.recorded)
        return tuple(
            recorded.get(check.ref, check) if reference.kind == "log_query" else check
            for reference, check in zip(references, checks, strict=True)
        )


def _fail_unopened(check: EvidenceCheck) -> EvidenceCheck:
    if check.result == "failed":
        return check
    return check.evolve(result="failed", reason="the investigator did not open it in its run")


def _map_records(recorded: Iterable[EvidenceCheck]) -> dict[str, EvidenceCheck]:
    """Return the checks of logs by reference; where two quotes have the same reference, a failed one counts."""
    by_ref: dict[str, EvidenceCheck] = {}
    for check in recorded:
        if check.ref not in by_ref or check.result == "failed":
            by_ref[check.ref] = check
    return by_ref
