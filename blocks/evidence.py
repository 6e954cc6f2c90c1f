"""The evidence of a draft: short on the card, whole in the dialog behind Show Evidence.

Each reference with the page of its lines where there is one, what code found there, what it shows, and its lines.
Called by `blocks/card` and `blocks/dossier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.controls import press_value
from blocks.text import SECTION, Block, button, clip, escape, preformatted, rich, section

if TYPE_CHECKING:
    from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource
    from bot.models.thread import Thread

SHOW = "show_evidence"
"""`action_id` of the button, and `callback_id` of the dialog."""

_MARKS = {"ok": "✓", "failed": "✗ *FAILED*", "not_checkable": "*not checked*"}
_LONGEST_URL = 400
_SHOWN_LINES = 4
_SHOWN_QUOTES = 2
_DIALOG_QUOTE = 2_500


def brief(thread: Thread, *, claim: int, quote: int) -> list[Block]:
    """For the card: a line for each reference, and lines of it that the draft itself does not show.

    `claim` and `quote` are characters that what a reference shows and its quoted lines may have; 0 leaves them out.
    """
    references = thread.references
    said = "*Evidence:* none."
    if references:
        said = "*Evidence*, opened again by code:" if thread.evidence_checks else "*Evidence*, not checked:"
        for length, linked in ((claim, True), (0, True), (0, False)):
            lines = [_line(thread, reference, length, linked=linked) for reference in references]
            if len("\n".join([said, *lines])) <= SECTION:
                break
        said = "\n".join([said, *lines])
    return [_with_button(thread, section(said)), *(_quotes(thread, references, quote) if quote else [])]


def pointer(thread: Thread) -> Block:
    """For a card that has no room for any of it."""
    said = "*Evidence*, what the validator said and what is asked do not fit on this card."
    return _with_button(thread, section(said))


def _with_button(thread: Thread, made: Block) -> Block:
    """The button stands there while a decision is outstanding."""
    if thread.status == "pending-user":
        made["accessory"] = button("Show Evidence", SHOW, press_value(thread))
    return made


def whole(thread: Thread) -> list[Block]:
    """For the dialog: two blocks for each reference at most."""
    blocks: list[Block] = []
    for number, reference in enumerate(thread.references):
        check, source = _check(thread, reference), _source(thread, reference)
        at = source.commit if source else reference.commit
        pinned = f" at `{escape(at[:12])}`" if at else ""
        found = f"{_MARKS[check.result]} {escape(clip(check.reason, 300))}" if check else "*not checked*"
        shows = escape(clip(reference.supports_claim, 400))
        place = _place(reference, source, linked=True)
        blocks.append(section(f"*{number + 1}.* {place}{pinned}\n{found}\n{shows}".rstrip()))
        if reference.quote:
            blocks.append(rich(preformatted(clip(reference.quote, _DIALOG_QUOTE))))
    return blocks or [section("*Evidence:* none.")]


def _line(thread: Thread, reference: EvidenceRef, claim: int, *, linked: bool) -> str:
    check = _check(thread, reference)
    mark = _MARKS[check.result if check else "not_checkable"]
    why = f" {escape(clip(check.reason, max(60, claim)))}" if check and check.result == "failed" else ""
    shows = f" {escape(clip(reference.supports_claim, claim))}" if claim and not why else ""
    return f"{mark} {_place(reference, _source(thread, reference), linked=linked)}{why}{shows}"


def _place(reference: EvidenceRef, source: EvidenceSource | None, *, linked: bool) -> str:
    name = clip(" ".join(reference.ref.split()), 150 if linked else 60)
    if linked and source and source.url and len(source.url) <= _LONGEST_URL:
        return f"<{escape(source.url)}|{escape(name).replace('|', '¦')}>"
    return f"`{escape(name).replace('`', ' ')}`"


def _quotes(thread: Thread, references: tuple[EvidenceRef, ...], limit: int) -> list[Block]:
    """The first lines of what stands; what the draft quotes itself is not said twice."""
    draft = thread.draft_pending.text if thread.draft_pending else ""
    told = [
        reference.quote
        for reference in references
        if reference.quote and (check := _check(thread, reference)) and check.result == "ok"
    ]
    fresh = [quote for quote in told if quote.strip() not in draft][:_SHOWN_QUOTES]
    return [rich(*(preformatted(_first_lines(quote, limit)) for quote in fresh))] if fresh else []


def _first_lines(text: str, limit: int) -> str:
    lines = text.split("\n")
    return clip("\n".join(lines[:_SHOWN_LINES]) + ("\n…" if len(lines) > _SHOWN_LINES else ""), limit)


def _check(thread: Thread, reference: EvidenceRef) -> EvidenceCheck | None:
    return next((check for check in thread.evidence_checks if check.ref == reference.ref), None)


def _source(thread: Thread, reference: EvidenceRef) -> EvidenceSource | None:
    return next((source for source in thread.sources if source.ref == reference.ref), None)
