"""Conditions of hooks: whether a run ends before its action, by the output of its steps alone. Pure."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, assert_never

from bot.decide.hooks.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.hook import Condition


def compute_digest(outputs: Sequence[str]) -> str:
    """Return the digest of the outputs of all steps, in order."""
    digest = hashlib.sha256()
    for output in outputs:
        encoded = output.encode("utf-8", "replace")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()[:32]


def find_skip_reason(condition: Condition | None, outputs: Sequence[str], *, digest: str, last_digest: str) -> str:
    """Return the reason to end a run now, as a clause; empty to go on."""
    if condition is None:
        return ""
    text = "\n".join(outputs)
    match condition.kind:
        case "unchanged":
            return "nothing changed" if digest == last_digest else ""
        case "empty":
            return "" if text.strip() else "the output is empty"
        case "matches":
            return f"the output matches {condition.pattern}" if matches(condition.pattern, text) else ""
        case "lacks":
            return "" if matches(condition.pattern, text) else f"the output lacks {condition.pattern}"
        case _:
            assert_never(condition.kind)
