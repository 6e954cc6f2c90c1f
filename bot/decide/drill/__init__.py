"""The drill's cases: drafts that are sound by their making, and the same with one fault each. Pure and seeded.

Made for `agents/drill` and `triage drill`; docs/drill.md says what each class is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models.findings import InvestigatorReturn
    from bot.models.status import QuestionType

SOUND = "sound"
"""The class of a case without a fault."""


@dataclass(frozen=True, slots=True)
class CodeFact:
    """What one line of code says for sure: `name` is `value`, or is defined there."""

    path: str
    line: int
    text: str
    """The whole line."""
    name: str
    value: str = ""
    owner: str = ""
    """The function whose parameter `name` is."""

    @property
    def place(self) -> str:
        """`path:12`."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One draft to judge. `kind` is `SOUND` or the name of the fault."""

    kind: str
    fact: CodeFact
    question: str
    question_type: QuestionType
    findings: InvestigatorReturn
    others: tuple[str, ...]

    def drafted(self, draft: str, **changes: Any) -> Case:
        """The same with another draft, and other fields of its findings."""
        return replace(self, findings=self.findings.evolve(draft_reply=draft, **changes))
