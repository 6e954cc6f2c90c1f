"""Evidence dialog of an earlier question, opened from its settled card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.evidence_dialog import view
from blocks.text import clip, context, escape, quote, section

if TYPE_CHECKING:
    from bot.models.task import EarlierQuestion
    from bot.models.thread import Thread

_WORDS = 3_000


def is_earlier(thread: Thread, draft_id: str, nonce: str) -> bool:
    """Return whether a card belongs to a question before the current one of its thread."""
    if thread.question_round == 1:
        return False
    number = _number(draft_id)
    if number == 0:  # a card without a draft, identified by its nonce
        return nonce != thread.card.nonce
    return number <= max((_number(earlier.draft_id) for earlier in thread.earlier), default=0)


def build_earlier_evidence(thread: Thread, draft_id: str) -> dict[str, Any] | None:
    """Build the dialog; `None` if no data is left of that question."""
    match = next((earlier for earlier in thread.earlier if draft_id and earlier.draft_id == draft_id), None)
    return view(_build_blocks(match, thread)) if match else None


def _build_blocks(earlier: EarlierQuestion, thread: Thread) -> list[dict[str, Any]]:
    refs = "\n".join(
        f"• `{escape(clip(ref.ref, 150)).replace('`', ' ')}` {_format_claim(ref.supports_claim)}"
        for ref in earlier.refs
    )
    return [
        section("*The question*"),
        quote(clip(earlier.question, _WORDS)),
        section("*The draft*"),
        quote(clip(earlier.said, _WORDS)),
        section(f"*References*\n{refs}" if refs else "*Evidence:* none."),
        context(f"The thread continued with another question. Full record: `tasks/{escape(thread.task or '')}`."),
    ]


def _format_claim(claim: str) -> str:
    return escape(clip(claim, 200))


def _number(draft_id: str) -> int:
    """Return the number in `<thread_id>/<n>`; 0 if there is none."""
    count = draft_id.rpartition("/")[2]
    return int(count) if count.isdecimal() else 0
