"""Dialogs behind a card's buttons. `private_metadata` holds the button's value.

Each input's `action_id` is its `block_id`; `approval/submissions` reads them by these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import Block, clip, context, escape, preformatted, rich_text, section, text_object
from bot.models.fix import MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS
from bot.models.reasons import BOUNCED, DISMISSED

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUT_CHARS = 3_000
"""Characters of a dialog's input."""
MOST_OPTIONS = 100
"""Options that Slack accepts in one menu."""
_NAMED = 20
"""People listed in the dialog for delegating."""


def edit(value: str, *, text: str) -> dict[str, Any]:
    """Build the dialog for editing the draft's text."""
    return _dialog("edit", "Edit the Draft", "Save Draft", value, _input("text", "Reply", text=text))


def bounce(value: str) -> dict[str, Any]:
    """Build the dialog for a bounce: a reason, words, or both."""
    reasons = {code: name for code, (name, _) in BOUNCED.items()}
    hint = context("The next draft is made with what you choose and write here.")
    return _dialog(
        "bounce",
        "Bounce the Draft",
        "Bounce",
        value,
        _choice("reason", "What is wrong with it?", reasons) | {"optional": True},
        _input("feedback", "In your words", optional=True),
        hint,
    )


def dismiss(value: str, *, answered: bool = False) -> dict[str, Any]:
    """Build the dialog for dismissing; the most frequent reason is preselected, or "answered elsewhere" if
    `answered`."""
    chosen = "answered_elsewhere" if answered else next(iter(DISMISSED))
    hint = "Needed for a duplicate: the message or thread that this one repeats."
    return _dialog(
        "dismiss",
        "Dismiss the Question",
        "Dismiss",
        value,
        _choice("reason", "Why?", dict(DISMISSED), chosen=chosen),
        _input("link", "Link", optional=True, multiline=False) | {"hint": text_object(hint)},
    )


def answer(value: str, *, questions: tuple[str, ...]) -> dict[str, Any]:
    """Build the dialog for answering the investigator's questions."""
    question_sections = [section(f"• {escape(clip(question, 300))}") for question in questions[:8]]
    hint = context("The next draft is made with what you write here.")
    return _dialog("answer", "Answer", "Answer", value, *question_sections, _input("answer", "Your answer"), hint)


def delegate(value: str, *, operators: Mapping[str, str]) -> dict[str, Any]:
    """Build the dialog for delegating; `operators` are the people who may approve, by id with their names, at least
    one."""
    options = [{"text": text_object(clip(name, 70)), "value": user} for user, name in operators.items()]
    element = {
        "type": "static_select",
        "action_id": "to",
        "placeholder": text_object("Choose a person"),
        "options": options[:MOST_OPTIONS],
    }
    whom = {"type": "input", "block_id": "to", "label": text_object("Hand the question to"), "element": element}
    named = ", ".join(f"<@{user}>" for user in [*operators][:_NAMED])
    rest = f" and {len(operators) - _NAMED} more" if len(operators) > _NAMED else ""
    who = context(f"Who may approve here: {named}{rest}.")
    return _dialog("delegate", "Delegate the Question", "Delegate", value, whom, who)


def edit_request(value: str, *, title: str, description: str) -> dict[str, Any]:
    """Build the dialog for the title and the description of a merge request."""
    words = _input("title", "Title", text=title, multiline=False, most=MAX_TITLE_CHARS)
    more = _input("description", "Description", text=description, optional=True, most=MAX_DESCRIPTION_CHARS)
    hint = context("The merge request also names the person who opens it, and the task.")
    return _dialog("edit_request", "Edit the Request", "Save Request", value, words, more, hint)


def note(text: str) -> dict[str, Any]:
    """Build a dialog that shows a proposed note in full; there is nothing to submit."""
    pieces = [text[at : at + INPUT_CHARS] for at in range(0, len(text), INPUT_CHARS)]
    blocks = [rich_text(preformatted(piece)) for piece in pieces]
    return {"type": "modal", "title": text_object("Note to Keep"), "close": text_object("Close"), "blocks": blocks}


def _dialog(callback_id: str, title: str, submit: str, value: str, *blocks: Block) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": text_object(title),
        "submit": text_object(submit),
        "close": text_object("Cancel"),
        "private_metadata": value,
        "blocks": list(blocks),
    }


def _input(
    name: str,
    label: str,
    *,
    text: str | None = None,
    optional: bool = False,
    multiline: bool = True,
    most: int = INPUT_CHARS,
) -> Block:
    element: Block = {"type": "plain_text_input", "action_id": name, "multiline": multiline, "max_length": most}
    if not optional:
        element["min_length"] = 1
    if text:
        element["initial_value"] = clip(text, most)
    block: Block = {"type": "input", "block_id": name, "label": text_object(label), "element": element}
    return block | ({"optional": True} if optional else {})


def _choice(name: str, label: str, options: Mapping[Any, str], *, chosen: str | None = None) -> Block:
    """Build radio buttons."""
    choices = {value: {"text": text_object(option_label), "value": value} for value, option_label in options.items()}
    element: Block = {"type": "radio_buttons", "action_id": name, "options": [*choices.values()]}
    if chosen:
        element["initial_option"] = choices[chosen]
    return {"type": "input", "block_id": name, "label": text_object(label), "element": element}
