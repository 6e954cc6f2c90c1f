"""Call log of a chat turn: each tool call of the model and its outcome.

A call is logged as not run as soon as the model makes it, and updated when it is executed. So calls that nothing
executed are known too: unknown tool, invalid input, or a reply that was cut off.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from blocks.text import clip
from bot.commands.command import READ, find_spec
from bot.commands.nearest_name import LONGEST_WORD
from bot.decide.silent_exit import RESPOND
from bot.models.visible import clean

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Sequence

    from bot.commands.command import CommandAnswer, CommandSpec
    from bot.models.turn import Call
    from bot.tools.guard import Guard

STARTED = "begun"
NOT_RUN = "not run"
"""`outcome` of a call that has not been executed."""
NO_COMMAND = "Something was tried that no command does."
"""`line` of a call of an unknown command: an invented name means nothing to a person."""
REPEATED = "repeated"
"""`outcome` of a write repeated with the same input, which is not executed again."""


@dataclass
class LoggedCall:
    """One tool call. `outcome` is that of `CommandAnswer` once it is known."""

    name: str
    outcome: str = STARTED
    line: str = ""
    """Line of the command's answer, as mrkdwn."""
    rows: tuple[str, ...] = ()
    may_change: bool = False
    """True if it may change something."""
    repeats_others: bool = False
    """True if its line may contain text by other people."""
    key: str = ""
    """Input in normalised form, so that equal calls compare equal."""
    past_summary: str = ""
    """Past-tense summary that repeats nothing of the input."""
    at: int = 0
    """Number of the model's reply that made the call."""
    called: str = ""
    """Name that the model has called, without secrets."""
    is_recorded: bool = False
    """True if the audit has it as a call that was not executed."""
    work: asyncio.Task[CommandAnswer] | None = None
    """Task of the running command, which is never cancelled."""

    @property
    def has_changed(self) -> bool:
        """Return whether the call changed something, or may be changing it now."""
        return self.may_change and self.outcome in ("done", STARTED)

    @property
    def has_done_nothing(self) -> bool:
        """Return whether the call had no effect and will have none."""
        return self.outcome in ("refused", "failed", "invalid", "unknown", NOT_RUN)

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the input if it has fields, else an empty mapping."""
        arguments = json.loads(self.key) if self.key else {}
        return arguments if isinstance(arguments, dict) else {}

    @property
    def is_object(self) -> bool:
        """Return whether the input is a JSON object, as a command needs it."""
        return isinstance(json.loads(self.key), dict) if self.key else True

    def is_redone_by(self, other: LoggedCall) -> bool:
        """Return whether another call did what this one failed to do.

        A read is replaced by any other of its kind. A write must have been called after the model knew this outcome,
        and share an input value with this one, other than the project.
        """
        if other.name != self.name or other.outcome not in ("done", "asked", STARTED):
            return False
        if not self.may_change:
            return True
        own, others = self.arguments, other.arguments
        shared = [name for name, value in own.items() if name != "project" and value and others.get(name) == value]
        return other.at > self.at and (self.outcome == "invalid" or bool(shared))


@dataclass(kw_only=True)
class CallLog:
    """Log of one turn. `redact` removes secrets from names that a model has invented."""

    specs: dict[str, CommandSpec]
    """Commands by tool name."""
    guard: Guard
    calls: list[LoggedCall] = field(default_factory=list)
    """All calls, in order."""
    _turns: int = 0
    _looked_at: int = 0

    def add_calls(self, calls: Sequence[Call]) -> None:
        """Log the calls of one reply of the model, before any is executed."""
        self._turns += 1
        self.calls += [self._entry(call.tool, call.input) for call in calls]

    def begin(self, name: str, arguments: Any, *, key: str = "") -> tuple[LoggedCall, LoggedCall | None]:
        """Mark a call as executing; return its entry, and the earlier entry of the same write, if there is one."""
        turn = [*takewhile(lambda call: call.at == self._turns, reversed(self.calls))]
        open_ = [call for call in reversed(turn) if (call.name, call.outcome) == (name, NOT_RUN)]
        entry = next((call for call in open_ if call.key == _normalize(arguments)), open_[0] if open_ else None)
        if entry is None:
            entry = self._entry(name, arguments)
            self.calls.append(entry)
        entry.outcome, entry.key, entry.line = STARTED, key, ""
        return entry, _find_repeated(entry, self.calls)

    def take_rejected(self) -> list[LoggedCall]:
        """Return the calls of commands that were not executed, each once."""
        rejected = [
            call
            for call in self.calls
            if call.name != RESPOND and call.work is None and call.outcome != STARTED and not call.is_recorded
        ]
        for call in rejected:
            call.is_recorded = True
        return rejected

    def take_new(self) -> list[LoggedCall]:
        """Return the calls made since the last call of this method."""
        last, self._looked_at = self.calls[self._looked_at :], len(self.calls)
        return last

    def _entry(self, name: str, arguments: Any) -> LoggedCall:
        shown = clip(self.guard.redact_words(" ".join(clean(name).split())), LONGEST_WORD).replace("`", "'")
        entry = LoggedCall(name, NOT_RUN, key=_normalize(arguments), at=self._turns, called=shown)
        if name == RESPOND:
            return entry
        spec = self.specs.get(name)
        if spec is None and (spec := find_spec(name, {command.name: command for command in self.specs.values()})):
            entry.name, entry.outcome = spec.tool_name, "invalid"  # a later call by its right name replaces it
        if spec:
            entry.may_change, entry.repeats_others, entry.past_summary = (
                spec.tier != READ,
                bool(spec.untrusted),
                spec.deed,
            )
            entry.line = f"`{entry.name}` was not run."
            return entry
        entry.name = shown or "(no name)"
        entry.may_change, entry.line = True, NO_COMMAND
        return entry


def _find_repeated(call: LoggedCall, calls: Iterable[LoggedCall]) -> LoggedCall | None:
    """Return an earlier call of the same write and input that was done, is running or waits for a confirmation."""
    if not call.may_change:
        return None
    same = (
        earlier for earlier in calls if earlier is not call and (earlier.name, earlier.key) == (call.name, call.key)
    )
    return next((earlier for earlier in same if earlier.outcome in ("done", "asked", STARTED)), None)


def _normalize(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
