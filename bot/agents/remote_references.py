"""References to what tools of other servers answered, held against the run's own record of their answers.

Nobody can open a log once more as it was; so code looks, when the run is over, whether the quoted lines stand in what a
tool has said in this very run. Its finding is kept with the draft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.agents.evidence import FEWEST_CHARS
from bot.decide.grounding.quoted_lines import found_in
from bot.models.findings import EvidenceCheck

if TYPE_CHECKING:
    from bot.models.findings import EvidenceRef, InvestigatorReturn
    from bot.tools.read_log import Opened


def recorded_of(findings: InvestigatorReturn, opened: Opened) -> tuple[EvidenceCheck, ...]:
    """A check of each reference of the kind `log_query`; one that nothing stands behind has failed."""
    return tuple(_check(reference, opened) for reference in findings.evidence_refs if reference.kind == "log_query")


def _check(reference: EvidenceRef, opened: Opened) -> EvidenceCheck:
    quote = (reference.quote or "").replace("\r\n", "\n").strip("\n")
    if not opened.answers:
        return _failed(reference, "no tool of another server answered in this run")
    if not quote.strip():
        return _failed(reference, "there is no quote to compare")
    if len("".join(quote.split())) < FEWEST_CHARS:
        return _failed(reference, f"a quote needs {FEWEST_CHARS} characters to say anything")
    named = [answer for answer in opened.answers if answer.tool in reference.ref] or opened.answers
    found = next((answer for answer in named if found_in(answer.text, quote)), None)
    if found is None:
        return _failed(reference, "the quote stands in nothing that a tool answered in this run")
    return EvidenceCheck(ref=reference.ref, result="ok", reason=f"the quote stands in what {found.tool} answered")


def _failed(reference: EvidenceRef, reason: str) -> EvidenceCheck:
    return EvidenceCheck(ref=reference.ref, result="failed", reason=reason)
