"""Marks: the bot's own reactions under a question, which say where it stands. Parts of a thread's document.

What is to stand is decided by `decide/workflow/marking` and saved with the change that it tells of;
`surfaces/reactions` brings Slack up to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.models.fact import Fact
from bot.models.message import Ts

if TYPE_CHECKING:
    from collections.abc import Mapping

MarkState = Literal["received", "working", "waiting", "success", "failure"]


@dataclass(frozen=True, slots=True)
class MarkNames:
    """The emoji of each state, without colons; a state that is not there has none."""

    names: Mapping[MarkState, str]
    quiet: frozenset[str] = frozenset()
    """The channels without marks."""


class Mark(Fact):
    """One reaction of the bot's."""

    ts: Ts
    """The message that it is under."""
    name: str
    wanted: bool = True
    """False where it is to be taken away, if it stands at all."""
    stands: bool = False
    """True if Slack was asked for it and has answered; what a process asked for before it died may stand too."""

    @property
    def place(self) -> tuple[str, str]:
        """What tells it from every other mark of the thread."""
        return self.ts, self.name

    @property
    def is_settled(self) -> bool:
        """Return whether nothing is to be done about it."""
        return self.wanted and self.stands


def are_settled(marks: object) -> bool:
    """Return whether nothing is to be done about any of these, in the form in which documents keep them."""
    match marks:
        case list():
            return all(isinstance(mark, dict) and mark.get("wanted") and mark.get("stands") for mark in marks)
        case _:
            return False
