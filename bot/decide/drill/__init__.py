"""Cases of the drill: sound drafts, and the same with one fault each. Pure and seeded.

docs/drill.md explains each class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models.findings import InvestigatorReturn
    from bot.models.status import QuestionType

SOUND = "sound"
"""Class of a case without a fault."""


@dataclass(frozen=True, slots=True)
class CodeFact:
    """Fact in one line of code: `name` has the value `value`, or is defined there."""

    path: str
    line: int
    text: str
    """Whole line."""
    name: str
    value: str = ""
    owner: str = ""
    """Function with the parameter `name`."""

    @property
    def place(self) -> str:
        """Return `path:12`."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Draft to validate. `kind` is `SOUND` or the name of the fault."""

    kind: str
    fact: CodeFact
    question: str
    question_type: QuestionType
    findings: InvestigatorReturn
    others: tuple[str, ...]

    def drafted(self, draft: str, **changes: Any) -> Case:
        """Return the case with another draft, and other fields of its findings."""
        return replace(self, findings=self.findings.evolve(draft_reply=draft, **changes))
