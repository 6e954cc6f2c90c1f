"""Evidence of a draft in full, for the dialog behind Show Evidence, and the button that opens it.

Each reference has a link to its lines if possible, the result of the check, its claim, and its lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.controls import press_value
from blocks.question import question_title
from blocks.text import Block, button, clip, escape, preformatted, rich_text, section

if TYPE_CHECKING:
    from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource
    from bot.models.thread import Thread

SHOW = "show_evidence"
"""`action_id` of the button, and `callback_id` of the dialog."""

_MARKS = {"ok": "✓", "failed": "✗ *FAILED*", "not_checkable": "*not checked*"}
_LONGEST_URL = 400
_LONGEST_REF = 150
_DIALOG_QUOTE = 2_500


def with_button(thread: Thread, block: Block) -> Block:
    """Put Show Evidence beside a section, if there is anything to show."""
    if thread.investigator_return is None and not thread.rounds and not thread.runs:
        return block
    return block | {
        "accessory": button("Show Evidence", SHOW, press_value(thread), about=f"for {question_title(thread)}")
    }


def build_evidence(thread: Thread, max_blocks: int = 100) -> list[Block]:
    """Build the references for the dialog, failed ones first: at most two blocks each and `max_blocks` in all."""
    blocks: list[Block] = []
    references = failed_first(thread)
    for number, reference in enumerate(references):
        if len(blocks) + 3 > max_blocks and number + 1 < len(references):
            blocks.append(section(f"… and {len(references) - number} more references; they are in the draft's text."))
            break
        check, source = find_check(thread, reference), _source(thread, reference)
        at = source.commit if source else reference.commit
        pinned = f" at `{escape(at[:12])}`" if at else ""
        result = f"{_MARKS[check.result]} {escape(clip(check.reason, 300))}" if check else "*not checked*"
        shows = escape(clip(reference.supports_claim, 400))
        blocks.append(
            section(f"*{number + 1}.* {_format_place(reference, source)}{pinned}\n{result}\n{shows}".rstrip())
        )
        if reference.quote:
            blocks.append(rich_text(preformatted(clip(reference.quote, _DIALOG_QUOTE))))
    return blocks or [section("*Evidence:* none.")]


def failed_first(thread: Thread) -> tuple[EvidenceRef, ...]:
    """Return the references of the draft, failed ones first."""
    failed = {check.ref for check in thread.evidence_checks if check.result == "failed"}
    return tuple(sorted(thread.references, key=lambda reference: reference.ref not in failed))


def format_place(thread: Thread, ref: str) -> str:
    """Format a reference, linked to the page of its lines if there is one."""
    reference = next((each for each in thread.references if each.ref == ref), None)
    return _format_place(reference, _source(thread, reference)) if reference else f"`{_format_name(ref, _LONGEST_REF)}`"


def _format_place(reference: EvidenceRef, source: EvidenceSource | None) -> str:
    name = " ".join(reference.ref.split())
    if source and source.url and len(source.url) <= _LONGEST_URL:
        return f"<{escape(source.url)}|{escape(clip(name, _LONGEST_REF)).replace('|', '¦')}>"
    return f"`{_format_name(name, _LONGEST_REF)}`"


def _format_name(name: str, limit: int) -> str:
    return escape(clip(name, limit)).replace("`", " ")


def describe_opened(thread: Thread) -> str:
    """Count the references whose lines code has opened, and those in the record of the run's own queries."""
    references = thread.references
    passed = [each.kind for each in references if (check := find_check(thread, each)) and check.result == "ok"]
    recorded = passed.count("log_query")
    opened = len(passed) - recorded
    total = f"of {len(references)} reference{'' if len(references) == 1 else 's'}"
    if recorded and not opened:
        return f"{recorded} {total} from the run's record"
    rest = f", {recorded} from the run's record" if recorded else ""
    return f"{opened} {total} open{rest}"


def find_check(thread: Thread, reference: EvidenceRef) -> EvidenceCheck | None:
    """Return the check of a reference: the one at its place, since another kind may have the same name."""
    pairs = zip(thread.references, thread.evidence_checks, strict=False)
    own = next((check for each, check in pairs if each == reference and check.ref == reference.ref), None)
    return own or next((check for check in thread.evidence_checks if check.ref == reference.ref), None)


def _source(thread: Thread, reference: EvidenceRef) -> EvidenceSource | None:
    if reference.kind not in ("file", "git_commit"):
        return None
    return next((source for source in thread.sources if source.ref == reference.ref), None)
