"""Call log of a chat turn: every tool that its model called, and what came of each.

A call stands here from the moment the model has made it, as one that did nothing; whatever runs it says more. So one
that nothing ran is known, whatever the reason: no such tool, an input that does not fit, a turn that was cut.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from blocks.text import clip
from bot.commands.command import READ, named
from bot.commands.nearest_name import LONGEST_WORD
from bot.decide.silent_exit import RESPOND
from bot.models.visible import clean

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Sequence

    from bot.commands.command import CommandAnswer, CommandSpec
    from bot.models.turn import Call

BEGUN = "begun"
NOT_RUN = "not run"
"""`outcome` of a call that nothing has run, so far."""
NO_COMMAND = "Something was tried that no command does."
"""`line` of a call by a name that no command has: what a model makes up says nothing to a person."""
REPEATED = "repeated"
"""`outcome` of a write that was called again with the same input, and was not run again."""


@dataclass
class Called:
    """A tool that was called. `outcome` is as `CommandAnswer.outcome` has it once it is known."""

    name: str
    outcome: str = BEGUN
    line: str = ""
    """The command's own line, as mrkdwn."""
    rows: tuple[str, ...] = ()
    writes: bool = False
    """True if it may change something."""
    repeats_others: bool = False
    """True if its line may repeat text of others."""
    key: str = ""
    """Its input in one form, so that equal calls are equal."""
    deed: str = ""
    """What it does, once it is done, in words that name nothing of its input."""
    at: int = 0
    """In which of the model's turns it was called."""
    work: asyncio.Task[CommandAnswer] | None = None
    """The command under way, which nothing calls off."""

    @property
    def has_changed(self) -> bool:
        """Return whether it changed something, or may be changing it now."""
        return self.writes and self.outcome in ("done", BEGUN)

    @property
    def has_done_nothing(self) -> bool:
        """Return whether nothing came of it, and nothing will."""
        return self.outcome in ("refused", "failed", "invalid", "unknown", NOT_RUN)

    @property
    def given(self) -> dict[str, Any]:
        """Its input, as far as that has fields."""
        given = json.loads(self.key) if self.key else {}
        return given if isinstance(given, dict) else {}

    def is_made_good_by(self, other: Called) -> bool:
        """Return whether another call did what came to nothing here.

        A look counts for any other of its kind. What changes something has to have been called when the model knew what
        came of this, and to be about the same thing: the project that both are in does not say so.
        """
        if other.name != self.name or other.outcome not in ("done", "asked", BEGUN):
            return False
        if not self.writes:
            return True
        own, others = self.given, other.given
        shared = [name for name, value in own.items() if name != "project" and value and others.get(name) == value]
        return other.at > self.at and (self.outcome == "invalid" or bool(shared))


@dataclass(kw_only=True)
class CallLog:
    """The log of one turn. `redact` keeps secrets out of names that a model has made up."""

    specs: dict[str, CommandSpec]
    """The commands, by what a model calls them."""
    redact: Callable[[str], str]
    calls: list[Called] = field(default_factory=list)
    """All of them, in order."""
    _turns: int = 0
    _looked_at: int = 0

    def hear(self, calls: Sequence[Call]) -> None:
        """Enter what one turn of the model calls, before any of it is run."""
        self._turns += 1
        self.calls += [self._entry(call.tool, call.input) for call in calls]

    def begin(self, name: str, given: Any, *, key: str = "") -> tuple[Called, Called | None]:
        """The entry of a call that is run now, and the same write from before, where there was one."""
        turn = [*takewhile(lambda one: one.at == self._turns, reversed(self.calls))]
        open_ = [one for one in reversed(turn) if (one.name, one.outcome) == (name, NOT_RUN)]
        entry = next((one for one in open_ if one.key == _in_one_form(given)), open_[0] if open_ else None)
        if entry is None:
            entry = self._entry(name, given)
            self.calls.append(entry)
        entry.outcome, entry.key, entry.line = BEGUN, key, ""
        return entry, _made_before(entry, self.calls)

    def newest(self) -> list[Called]:
        """The calls since this was asked last."""
        last, self._looked_at = self.calls[self._looked_at :], len(self.calls)
        return last

    def _entry(self, name: str, given: Any) -> Called:
        entry = Called(name, NOT_RUN, key=_in_one_form(given), at=self._turns)
        if name == RESPOND:
            return entry
        spec = self.specs.get(name)
        if spec is None and (spec := named(name, {one.name: one for one in self.specs.values()})):
            entry.name, entry.outcome = spec.tool_name, "invalid"  # the same by its right name makes it good
        if spec:
            entry.writes, entry.repeats_others, entry.deed = spec.tier != READ, bool(spec.untrusted), spec.deed
            entry.line = f"`{entry.name}` was not run."
            return entry
        entry.name = clip(self.redact(" ".join(clean(name).split())), LONGEST_WORD).replace("`", "'") or "(no name)"
        entry.writes, entry.line = True, NO_COMMAND
        return entry


def _made_before(call: Called, calls: Iterable[Called]) -> Called | None:
    """The same write from before, with the same input, that did something or waits for a press."""
    if not call.writes:
        return None
    same = (one for one in calls if one is not call and (one.name, one.key) == (call.name, call.key))
    return next((one for one in same if one.outcome in ("done", "asked", BEGUN)), None)


def _in_one_form(given: Any) -> str:
    return json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)
