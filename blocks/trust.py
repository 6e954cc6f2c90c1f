"""Trust line of a card: the results of the references and checks; the details are in the dialog.

It counts the references that code opened again, names the validator's result, and the engine's confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.evidence import describe_opened, with_button
from blocks.text import Block, clip, escape, section
from blocks.verdict import NO_LONGER_PASSES, is_validated, no_longer_passes

if TYPE_CHECKING:
    from bot.models.thread import Thread


_MAX_REASON_LENGTH = 160
"""Maximum characters of the reasons why references were not opened."""


def trust(thread: Thread, limit: int) -> list[Block]:
    """Build the line, with Show Evidence beside it; each reason has at most `limit` characters."""
    findings = thread.investigator_return
    if findings is None:
        return []
    parts = [_references(thread), _format_checks(thread, limit)]
    if not (thread.draft_pending and thread.draft_pending.edited_by):  # the engine's confidence is for its own text
        parts.append(f"Confidence: {findings.confidence}{_chance(thread)}")
    return [with_button(thread, section(" · ".join(parts)))]


def _chance(thread: Thread) -> str:
    """State the measured share of correct drafts, if known; never *always*."""
    if thread.chance is None or thread.found_nothing:
        return ""
    return f", right {min(9, max(1, round(10 * thread.chance)))} times in 10"


def _references(thread: Thread) -> str:
    if thread.opening:
        return "References being opened"
    cited = {reference.ref for reference in thread.references}
    if not cited:
        return "No reference"
    checks = [check for check in thread.evidence_checks if check.ref in cited]
    count = len(thread.references)
    label = "reference" if count == 1 else "references"
    if not checks:
        return f"{count} {label}, *not opened*"
    failed = sum(check.result == "failed" for check in checks)
    summary = f"{describe_opened(thread)}{f' · *✗ {failed} FAILED*' if failed else ''}"
    return f"{summary}{_not_opened([check.reason for check in checks if check.result == 'not_checkable'])}"


def _not_opened(reasons: list[str]) -> str:
    """State the reasons why code did not open references, each once."""
    named = escape(clip("; ".join(dict.fromkeys(reasons)), _MAX_REASON_LENGTH))
    return f" · {len(reasons)} *not opened:* {named}" if reasons else ""


def _format_checks(thread: Thread, limit: int) -> str:
    verdict, draft = thread.verdict, thread.draft_pending
    if draft and draft.edited_by:
        return f"*edited by <@{draft.edited_by}>, not validated again*"
    if verdict is None:
        return "*not checked*"
    if verdict.verdict != "pass":
        has_failed = any(check.result == "failed" for check in thread.evidence_checks)
        why = "" if has_failed else f": {escape(clip(' '.join(verdict.reasons), limit))}"
        return f"*Not validated*{why}"
    if no_longer_passes(thread):
        return f"*{NO_LONGER_PASSES}*"
    if is_validated(thread):
        return "*✓ validated*"
    if thread.unvalidated:
        return f"*Evidence checked* · *No validator:* {escape(clip(thread.unvalidated, limit))}"
    return f"*Evidence checked*, {'no spot-check' if thread.validator_return else 'no validator'}"
