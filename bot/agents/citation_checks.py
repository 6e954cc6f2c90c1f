"""Checks of references that no engine made: a person wrote them, or an earlier draft cited them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.evidence import MOST_CITED, EvidenceChecker, cited_lines, describe_match
from bot.decide.redaction.redactor import REDACTED, Redactor
from bot.errors import ToolError
from bot.models.findings import EvidenceCheck, EvidenceRef

if TYPE_CHECKING:
    from bot.models.project import Project

NO_LINE = "the file exists; no line of it is cited"


@dataclass(frozen=True)
class CitationChecks:
    """Checks of references in one project; `checker` reads each file once."""

    project: Project
    redactor: Redactor
    checker: EvidenceChecker

    async def recheck(self, reference: EvidenceRef) -> EvidenceCheck:
        """Check again a reference that was opened before. Never raises."""
        if reference.kind != "file":
            return await self.checker.check(reference)
        try:
            return await self._recheck(reference)
        except ToolError as problem:
            return self.fail(reference.ref, problem)

    async def _recheck(self, reference: EvidenceRef) -> EvidenceCheck:
        ref, quote = reference.ref, reference.quote
        place = cited_lines(ref)
        lines = await self.checker.lines(place[0] if place else ref, reference.commit)
        if place is None:
            return EvidenceCheck(ref=ref, result="not_checkable", reason=NO_LINE)
        path, first, last = place
        if first > last:
            raise ToolError(f"the range runs backwards: {first}-{last}")
        if last > len(lines):
            count = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
            raise ToolError(f"line {last} does not exist, {path} has {count}")
        if last - first >= MOST_CITED:
            why = f"the lines exist; more than {MOST_CITED} are not compared"
            return EvidenceCheck(ref=ref, result="not_checkable", reason=why)
        now = await self.redact_lines(lines) if quote and REDACTED in quote else lines
        if quote == "\n".join(now[first - 1 : last]):
            return EvidenceCheck(ref=ref, result="ok", reason=describe_match(first, last, quote))
        return await self.checker.check(reference)

    async def redact_lines(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Return the lines without secrets, redacted as a whole like in the check."""
        redacted = await asyncio.to_thread(self.redactor.redact, "\n".join(lines))
        return tuple(redacted.split("\n"))

    def fail(self, ref: str, problem: ToolError) -> EvidenceCheck:
        """Return a failed check, with a reason that holds no path of the machine."""
        reason = str(problem).rstrip(".")
        if is_missing(problem):
            reason = self.missing
        elif reason.endswith("lies outside the project's folder"):
            reason = self.outside
        return EvidenceCheck(ref=ref, result="failed", reason=reason)

    @property
    def missing(self) -> str:
        """Return the reason of a place that does not exist."""
        return f"it does not exist in {self.project.name}"

    @property
    def outside(self) -> str:
        """Return the reason of a place outside the project."""
        return f"it lies outside {self.project.name}"


def is_missing(problem: ToolError) -> bool:
    message = str(problem)
    return (
        message.startswith("git does not know")
        or "is not a regular file" in message
        or "does not exist or cannot" in message
    )
