"""Status reactions: the bot's emoji under a question, as stored in a thread's document.

`decide/workflow/marking` decides which are wanted; `surfaces/reactions` updates Slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.models.fact import Fact
from bot.models.message import Ts

if TYPE_CHECKING:
    from collections.abc import Mapping

ReactionState = Literal["received", "working", "waiting", "success", "failure"]


@dataclass(frozen=True, slots=True)
class ReactionNames:
    """The emoji of each state, without colons; a missing state has none."""

    names: Mapping[ReactionState, str]
    quiet: frozenset[str] = frozenset()
    """The channels without status reactions."""


class StatusReaction(Fact):
    """One reaction of the bot."""

    ts: Ts
    """The message that it is under."""
    name: str
    wanted: bool = True
    """False if it is to be removed."""
    stands: bool = False
    """True if Slack confirmed it; one requested by a process that died may exist too."""

    @property
    def place(self) -> tuple[str, str]:
        """Return the key that identifies it within the thread."""
        return self.ts, self.name

    @property
    def is_done(self) -> bool:
        """Return whether there is nothing left to do for it."""
        return self.wanted and self.stands


def are_done(marks: object) -> bool:
    """Return whether there is nothing left to do for these reactions, in a document's JSON form."""
    match marks:
        case list():
            return all(isinstance(mark, dict) and mark.get("wanted") and mark.get("stands") for mark in marks)
        case _:
            return False
