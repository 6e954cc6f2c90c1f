"""The dialogs behind a card's buttons: Edit, Bounce and Answer. `private_metadata` carries what the button carried."""

from __future__ import annotations

from typing import Any

from blocks.text import Block, clip, context, escape, section

INPUT_CHARS = 3_000
"""Characters that a dialog's input can hold."""


def edit(value: str, *, text: str) -> dict[str, Any]:
    """The draft's text, ready to be changed."""
    return _dialog("edit", "Edit the Draft", "Save Draft", value, _input("text", "Reply", text=text))


def bounce(value: str) -> dict[str, Any]:
    """Why another draft is wanted."""
    hint = context("The next draft is made with what you write here.")
    return _dialog("bounce", "Bounce the Draft", "Bounce", value, _input("feedback", "What is wrong with it?"), hint)


def answer(value: str, *, questions: tuple[str, ...]) -> dict[str, Any]:
    """What the investigator would have to know."""
    asked = [section(f"• {escape(clip(question, 300))}") for question in questions[:8]]
    hint = context("The next draft is made with what you write here.")
    return _dialog("answer", "Answer", "Answer", value, *asked, _input("answer", "Your answer"), hint)


def _dialog(callback_id: str, title: str, submit: str, value: str, *blocks: Block) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": {"type": "plain_text", "text": title, "emoji": False},
        "submit": {"type": "plain_text", "text": submit, "emoji": False},
        "close": {"type": "plain_text", "text": "Cancel", "emoji": False},
        "private_metadata": value,
        "blocks": list(blocks),
    }


def _input(name: str, label: str, *, text: str | None = None) -> Block:
    element: Block = {
        "type": "plain_text_input",
        "action_id": name,
        "multiline": True,
        "min_length": 1,
        "max_length": INPUT_CHARS,
    }
    if text:
        element["initial_value"] = clip(text, INPUT_CHARS)
    return {
        "type": "input",
        "block_id": name,
        "label": {"type": "plain_text", "text": label, "emoji": False},
        "element": element,
    }
