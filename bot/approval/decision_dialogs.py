"""Dialogs behind the buttons of a card, filled from its thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, assert_never, get_args

from blocks import dialogs
from blocks.controls import press_value
from bot.decide.redaction.redactor import Redactor
from bot.triage.slack_names import named_people

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.slack import Chat
    from bot.triage.operators import Operators

DialogAction = Literal["edit", "bounce", "answer", "dismiss", "delegate", "show_note"]
DIALOGS: tuple[DialogAction, ...] = get_args(DialogAction)
BEFORE_A_DRAFT = ("dismiss", "delegate")
"""Dialogs that a card offers before it has a draft."""


@dataclass(frozen=True, kw_only=True)
class DecisionDialogs:
    """Maker of dialogs."""

    chat: Chat
    operators: Operators
    redactor: Redactor = field(default_factory=Redactor)

    async def build(self, action: DialogAction, thread: Thread) -> dict[str, Any]:
        """Return the view of a dialog for the present draft of a thread."""
        value = press_value(thread)
        match action:
            case "edit":
                return dialogs.edit(value, text=thread.draft_pending.text if thread.draft_pending else "")
            case "bounce":
                return dialogs.bounce(value)
            case "dismiss":
                return dialogs.dismiss(value, answered=thread.settled_word is not None)
            case "delegate":
                people = await named_people(self.chat, self.operators.other_operators(thread)[: dialogs.MOST_OPTIONS])
                return dialogs.delegate(value, operators=people)
            case "show_note":
                note = thread.proposed_note
                return dialogs.note(self.redactor.redact(note.content) if note else "")
            case "answer":
                questions = thread.investigator_return.open_questions if thread.investigator_return else ()
                return dialogs.answer(value, questions=tuple(self.redactor.redact(question) for question in questions))
            case _:
                assert_never(action)
