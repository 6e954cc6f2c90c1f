"""Loop guard: detection of a model that goes in circles.

The thresholds are those of spec 5: the same call repeated, two calls in alternation, the same error twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

WARN_REPEATS, STOP_REPEATS = 3, 5
WARN_ALTERNATION, STOP_ALTERNATION = 6, 8
RECENT_ERRORS = 20
_ERROR_CHARS = 200
_SHOWN_CHARS = 120


@dataclass(frozen=True)
class CallSignature:
    """Call in comparable form. `target` is its whole input in canonical form."""

    tool: str
    target: str

    def __str__(self) -> str:
        target = self.target if len(self.target) <= _SHOWN_CHARS else f"{self.target[:_SHOWN_CHARS]}…"
        return f"{self.tool} {target}"


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
    return CallSignature(tool, json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


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
    return None


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
