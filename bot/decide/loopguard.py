"""Loop guard: detection of a model that goes in circles.

The thresholds are those of spec 5: the same call repeated, two calls in alternation, the same error twice. A target is
an input without its range of lines: reading one file in many pieces is noticed, and ended where they bring nothing new.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

WARN_REPEATS, STOP_REPEATS = 3, 5
WARN_ALTERNATION, STOP_ALTERNATION = 6, 8
WARN_PIECES = 6
WARN_READ_AGAIN, STOP_READ_AGAIN = 3, 10
RECENT_ERRORS = 20
_ERROR_CHARS = 200
_SHOWN_CHARS = 120
_RANGE = ("first", "count", "last")
"""Names of the inputs that select lines of a file."""
_USUAL_COUNT = 300
"""Number of lines in a call that names none."""


@dataclass(frozen=True)
class CallSignature:
    """Call in comparable form."""

    tool: str
    arguments: str
    """The whole input in canonical form."""
    target: str = ""
    """The same without its range of lines; empty for an input that names no lines of a path."""
    lines: tuple[int, int] = (0, 0)
    """First and last line of that range."""

    def __str__(self) -> str:
        return f"{self.tool} {_clip(self.arguments)}"


@dataclass(frozen=True)
class Failed:
    """Failed call. `error` is the beginning of the message, with white space folded."""

    call: CallSignature
    error: str


@dataclass(frozen=True)
class Circle:
    """Detected circle. The run goes on with a warning, or ends."""

    must_stop: bool
    reason: str
    why: Literal["repeats", "ping-pong", "same-error"]
    """Guard's name in a task's status."""


def sign_call(tool: str, arguments: Any) -> CallSignature:
    """Return a call in comparable form."""
    if not (isinstance(arguments, dict) and isinstance(arguments.get("path"), str)):
        return CallSignature(tool, _format_canonically(arguments))
    target = {name: value for name, value in arguments.items() if name not in _RANGE}
    first, count, last = (value if type(value := arguments.get(name)) is int else None for name in _RANGE)
    first = 1 if first is None else first
    last = last if last is not None else first + (_USUAL_COUNT if count is None else count) - 1
    return CallSignature(tool, _format_canonically(arguments), _format_canonically(target), (first, last))


def sign_failure(call: CallSignature, error: str) -> Failed:
    """Return a failed call in comparable form."""
    return Failed(call, " ".join(error.split())[:_ERROR_CHARS])


def find_circle(calls: Sequence[CallSignature]) -> Circle | None:
    """Return the circle in which the newest calls go, if any (oldest first). Repeats take precedence over
    alternation."""
    if not calls:
        return None
    repeats = _newest_equal(calls, 1)
    if repeats >= WARN_REPEATS:
        return Circle(repeats >= STOP_REPEATS, f"the same call {repeats} times in a row: {calls[-1]}", "repeats")
    alternating = _newest_equal(calls, 2)
    if alternating >= WARN_ALTERNATION and calls[-1] != calls[-2]:
        pair = f"{calls[-2]} and {calls[-1]}"
        reason = f"the same two calls in turn, {alternating} in a row: {pair}"
        return Circle(alternating >= STOP_ALTERNATION, reason, "ping-pong")
    return _find_pieces(calls)


def _find_pieces(calls: Sequence[CallSignature]) -> Circle | None:
    """Return the circle of a model that reads one target in pieces, in the newest calls."""
    newest = calls[-1]
    if not newest.target:
        return None
    same = [(call.tool, call.target) == (newest.tool, newest.target) for call in calls]
    pieces = next((count for count, is_same in enumerate(reversed(same)) if not is_same), len(calls))
    reads = [call.lines for call, is_same in zip(calls, same, strict=True) if is_same]
    again = 0
    while again < pieces and _is_read_again(reads[-1 - again], reads[: len(reads) - 1 - again]):
        again += 1
    name = f"{newest.tool} {_clip(newest.target)}"
    if again >= WARN_READ_AGAIN:
        reason = f"lines that were read before, {again} times in a row: {name}"
        return Circle(again >= STOP_READ_AGAIN, reason, "repeats")
    if pieces >= WARN_PIECES:
        return Circle(False, f"one file in {pieces} pieces in a row, which fit into fewer calls: {name}", "repeats")
    return None


def _is_read_again(lines: tuple[int, int], earlier: Sequence[tuple[int, int]]) -> bool:
    """Return whether lines bring nothing new. Going on further down does: an earlier answer may have been cut."""
    wanted, last = lines
    if all(wanted > first for first, _ in earlier):
        return False
    for first, end in sorted(earlier):
        if first <= wanted <= end:
            wanted = end + 1
    return wanted > last


def find_same_error(errors: Sequence[Failed]) -> Circle | None:
    """Return a circle if the newest error equals a recent one: another attempt will not help."""
    recent = errors[-RECENT_ERRORS:]
    if recent and recent[-1] in recent[:-1]:
        return Circle(True, f"the same error twice: {recent[-1].call}: {recent[-1].error}", "same-error")
    return None


def _newest_equal(calls: Sequence[CallSignature], step: int) -> int:
    """Return the number of newest calls that equal the one `step` before them, including those first `step`."""
    count = min(step, len(calls))
    while count < len(calls) and calls[-1 - count] == calls[-1 - count + step]:
        count += 1
    return count


def _format_canonically(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _clip(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
