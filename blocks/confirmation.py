"""Confirmation of a command: the buttons, and the dialog for typing a name.

The texts passed in are escaped and without secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import SECTION, button, clip, context, escape, section, text_object
from blocks.text_pieces import pieces
from bot.models.markup import plain_text
from bot.models.pending_command import CANCEL, CONFIRM, TYPED

if TYPE_CHECKING:
    from blocks.text import Block
    from bot.models.pending_command import Confirmation

_LONGEST_WORDS = 150
LONGEST_NAME = 150
"""Characters of the text to type that a dialog can show."""


def question(waiting: Confirmation, origin: str = "") -> list[Block]:
    """Build the confirmation with the command's effect, Confirm and Cancel; `origin` is mrkdwn on its place of
    origin."""
    style = "danger" if waiting.typed_again else "primary"
    about = f"{waiting.command.replace('_', ' ')}: {plain_text(waiting.said)}"
    buttons = [
        button("Confirm", CONFIRM, waiting.confirmation_id, about=about, style=style),
        button("Cancel", CANCEL, waiting.confirmation_id, about=about),
    ]
    above = [context(origin)] if origin else []
    return [*above, *outcome(waiting.said), {"type": "actions", "elements": buttons}]


def asked_in(where: str, words: str, address: str) -> str:
    """Say where a command was requested, as mrkdwn; `words` are the requester's, `address` is that of their message."""
    link_text = f"\u201c{escape(clip(words, _LONGEST_WORDS)).replace('|', ' ')}\u201d" if words else "your message"
    return f"You asked for this in {where}: {f'<{escape(address)}|{link_text}>' if address else link_text}"


def dialog(waiting: Confirmation) -> dict[str, Any]:
    """Build the dialog with the command's effect and an input for the name."""
    name = clip(waiting.typed_again or "", LONGEST_NAME)
    element: Block = {"type": "plain_text_input", "action_id": TYPED, "min_length": 1, "max_length": 3_000}
    typed: Block = {"type": "input", "block_id": TYPED, "label": text_object("Its name"), "element": element}
    return {
        "type": "modal",
        "callback_id": CONFIRM,
        "title": text_object("Confirm"),
        "submit": text_object("Do It"),
        "close": text_object("Cancel"),
        "private_metadata": waiting.confirmation_id,
        "blocks": [*outcome(waiting.said), section(f"To confirm, type `{escape(name).replace('`', chr(39))}`."), typed],
    }


def outcome(text: str) -> list[Block]:
    """Build the paragraphs of a text, such as the result that replaces the buttons."""
    return [section(piece) for piece in pieces(text, SECTION)]
