"""Thumbs below a posted reply, and the dialog behind a thumb down.

Built from the draft's id and fixed words only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.dialogs import INPUT_CHARS
from blocks.text import text_object

if TYPE_CHECKING:
    from blocks.text import Block

REASONS = {"wrong_source": "Wrong source", "wrong_answer": "Wrong answer", "outdated": "Outdated"}
"""Reasons for a thumb down, with their labels."""


def thumbs(draft_id: str) -> Block:
    """Build the last block of a reply."""
    buttons = {
        "type": "feedback_buttons",
        "action_id": "feedback",
        "positive_button": _half("Helpful", "This reply was helpful", f"up {draft_id}"),
        "negative_button": _half("Not Helpful", "This reply was not helpful", f"down {draft_id}"),
    }
    return {"type": "context_actions", "block_id": "feedback", "elements": [buttons]}


def complaint(draft_id: str, reply_ts: str) -> dict[str, Any]:
    """Build the dialog for a thumb down; all inputs are optional."""
    options = [{"text": text_object(label), "value": reason} for reason, label in REASONS.items()]
    chosen: Block = {"type": "radio_buttons", "action_id": "reason", "options": options}
    text_input: Block = {
        "type": "plain_text_input",
        "action_id": "text",
        "multiline": True,
        "max_length": INPUT_CHARS,
    }
    return {
        "type": "modal",
        "callback_id": "feedback",
        "title": text_object("What Was Wrong?"),
        "submit": text_object("Send Feedback"),
        "close": text_object("Cancel"),
        "private_metadata": f"{draft_id} {reply_ts}",
        "blocks": [
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": text_object("Reason"),
                "element": chosen,
            },
            {
                "type": "input",
                "block_id": "text",
                "optional": True,
                "label": text_object("Your words"),
                "element": text_input,
            },
        ],
    }


def _half(text: str, label: str, value: str) -> Block:
    return {"text": text_object(text), "accessibility_label": label, "value": value}
