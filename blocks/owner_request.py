"""Request to a code owner, sent to them alone or among operators, never in public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.card import shown_draft
from blocks.question import describe_source, own_words
from blocks.text import Block, clip, context, escape, mention, quote, section, size
from bot.models.status_words import name_kind

if TYPE_CHECKING:
    from bot.models.thread import Thread

MAX_CHARS = 12_500
"""Characters of JSON, as for a card."""


def build_owner_request(thread: Thread, *, by: str, owner: str, link: str) -> dict[str, Any]:
    """Build the `text` and `blocks`; `by` is the operator, `owner` a user or a user group, `link` the question's
    address."""
    refs = thread.references
    files = [f"`{escape(clip(each.ref, 100))}`" for each in refs if each.kind == "file"][:3]
    about = f" on {', '.join(files)}" if files else ""
    first = f"{mention(owner)}, <@{by}> asks you as an owner: is this answer{about} right?"
    asked = "" if thread.is_about_incident else "Asked by "
    intro = [
        section(first),
        context(f"{asked}{describe_source(thread)} (<{link}|open the {name_kind(thread)}>):"),
        quote(clip(own_words(thread) if thread.is_about_incident else thread.question, 1_000)),
        context("*The draft*, which nobody has approved:"),
    ]
    last = context(f"Please tell <@{by}>; nothing is posted by an answer here.")
    draft: list[Block] = shown_draft(thread.draft_pending) if thread.draft_pending else []
    blocks = [*intro, *draft, last]
    if size(blocks) > MAX_CHARS and thread.draft_pending:
        blocks = [*intro, quote(clip(thread.draft_pending.text, 2_000)), last]
    return {"text": first, "blocks": blocks}
