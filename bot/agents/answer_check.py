"""Check of an investigator's answer within its run: the references that would fail go back to the model, once.

The sentences name the place where a quote stands and the path that was meant, as far as the run has opened them. What
still fails afterwards fails in the evidence check of the draft.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from bot.agents.evidence import MOST_CITED, EvidenceChecker, cited_lines
from bot.agents.own_lines import with_own_lines
from bot.agents.quote_comparison import find_numbers
from bot.agents.remote_references import check_recorded
from bot.errors import ToolError
from bot.tools.shown_lines import plain_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.answer_change import AnswerChange
    from bot.models.findings import EvidenceRef, InvestigatorReturn
    from bot.models.project import Project
    from bot.tools.read_log import ReadLog

_HEAD = "Code opened the references of your answer. These fail:"
_TAIL = (
    "Correct them, open with your tools what you have not opened in this run, and give the whole answer again as one "
    "JSON object of the form. It is not sent back another time."
)
_MOST_TRIED = 10
"""Places tried for a quote that stands elsewhere, nearest first."""


@dataclass(frozen=True, kw_only=True)
class AnswerCheck:
    """Check of the references of one run's answer."""

    project: Project
    redactor: Redactor
    read_log: ReadLog
    folder: str = "."

    async def find_faults(self, answer: InvestigatorReturn, changes: Sequence[AnswerChange]) -> str:
        """Return a message for the model about the references that fail; empty if none does.

        Where any fails, it names the text that was too long, too.
        """
        findings = await with_own_lines(answer, self.project, self.redactor)
        checker = EvidenceChecker(self.project.root, self.redactor, self.project, self.folder)
        recorded = {check.ref: check for check in check_recorded(findings, self.read_log)}
        faults = []
        for number, reference in enumerate(findings.evidence_refs, start=1):
            record = recorded.get(reference.ref) if reference.kind == "log_query" else None
            check = record or await checker.check(reference)
            if check.result == "failed":
                fault = await self._describe_failure(checker, reference, check.reason)
            else:
                fault = self._describe_unopened(reference)
            if fault:
                faults.append(f"- reference {number} (`{reference.ref}`): {fault}.")
        if not faults:
            return ""
        long = [f"- {change.text}." for change in changes if change.kind in ("cut", "marked")]
        return "\n".join([_HEAD, *faults, *long, _TAIL])

    async def _describe_failure(self, checker: EvidenceChecker, reference: EvidenceRef, reason: str) -> str:
        """Return the reason of a failed check, and the place that was probably meant."""
        place = cited_lines(reference.ref) if reference.kind == "file" else None
        if place is None:
            return reason
        try:
            lines = await checker.lines(place[0], reference.commit)
        except ToolError:
            similar = self._find_opened_path(place[0])
            return f"{reason}; you opened `{similar}`" if similar else reason
        quoted_lines = len((reference.quote or "").strip("\n").split("\n"))
        for first, last in _find_places(lines, reference.quote or "", place[1]):
            moved = reference.evolve(ref=f"{place[0]}:{first}-{last}")
            if (await checker.check(moved)).result == "ok":
                found = f"the quote stands in line {first}" if first == last else f"it stands in lines {first}-{last}"
                count = place[2] - place[1] + 1
                was = f"the quote has {_count(quoted_lines)}, the reference {count}; " if quoted_lines != count else ""
                unopened = "" if not self._describe_unopened(moved) else ", which you have not opened in this run"
                return f"{was}{found}{unopened}"
        return reason

    def _describe_unopened(self, reference: EvidenceRef) -> str:
        """Return the fault of a place that was not shown in this run; empty if it was."""
        if was_opened(reference, self.read_log):
            return ""
        place = cited_lines(reference.ref)
        if place is None:
            return "no tool showed you this commit in this run"
        is_opened = any(span.path == place[0] for span in self.read_log.spans)
        return "you have not opened these lines in this run" if is_opened else "you have not opened it in this run"

    def _find_opened_path(self, path: str) -> str:
        """Return the opened file whose path is most like this one; empty if none is."""
        opened = list(dict.fromkeys(span.path for span in self.read_log.spans))
        name = path.rpartition("/")[2]
        same_name = [each for each in opened if each.rpartition("/")[2] == name]
        return same_name[0] if len(same_name) == 1 else next(iter(get_close_matches(path, opened, n=1)), "")


def was_opened(reference: EvidenceRef, read_log: ReadLog) -> bool:
    """Return whether the lines of a file, or the commit, were shown in the run; true for all that cannot be."""
    if reference.kind == "git_commit":
        return read_log.covers_commit(reference.ref)
    place = cited_lines(reference.ref) if reference.kind == "file" else None
    return place is None or read_log.covers(*place, commit=reference.commit)


def _find_places(lines: tuple[str, ...], quote: str, near: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of lines that may hold a quote: those that its numbers name, then the nearest."""
    if (numbered := find_numbers(quote)) and numbered[1] <= len(lines):
        yield numbered
    lines = plain_lines(lines)
    quoted = quote.strip("\n").split("\n")
    head, tail, more = quoted[0].strip(), quoted[-1].strip(), len(quoted) - 1
    if not head or len(quoted) > MOST_CITED:
        return
    ends = lines[more:]
    starts = [
        number
        for number, (first, last) in enumerate(zip(lines, ends, strict=False), start=1)
        if head in first and tail in last
    ]
    for first in sorted(starts, key=lambda number: abs(number - near))[:_MOST_TRIED]:
        yield first, first + more


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"
