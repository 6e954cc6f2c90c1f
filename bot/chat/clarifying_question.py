"""Clarifying questions: messages whose askers were asked whether they are about the code; *yes* confirms.

Kept in memory: after a restart people ask again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.models.message import own_words

if TYPE_CHECKING:
    from bot.models.message import Message

MAX_AGE = timedelta(minutes=10)
_YES = re.compile(
    r"\W*(?:@\w+\W+)*(?:yes|yep|yup|yeah|sure|it is|ja|jo|oui|s\u00ed|si|sim|ya|iya|s\u00ec|tak"
    r"|\u0434\u0430|\u306f\u3044|\u662f|\u5bf9"
    r"|\u0628\u0644\u0647|\u0622\u0631\u0647)(?!\w)(?:[^\w?\u061f\uff1f]+\w+){0,5}[^\w?\u061f\uff1f]*",
    re.IGNORECASE,
)


@dataclass
class ClarifyingQuestions:
    """Last unclear message of each person in each place."""

    _messages: dict[tuple[str, str], Message] = field(default_factory=dict)

    def save(self, message: Message) -> None:
        """Remember that its sender was asked."""
        self._messages[message.sender.id, message.chat_id] = message

    def find_confirmed(self, message: Message) -> Message | None:
        """Return the message its sender confirms, by yes or by repeating it, within ten minutes; and forget it."""
        place = (message.sender.id, message.chat_id)
        question = self._messages.get(place)
        if question is None or question.message_id == message.message_id:
            return None
        says_so = _YES.fullmatch(message.own_content) or own_words(message) == own_words(question)
        if not says_so or message.create_time - question.create_time > MAX_AGE:
            return None
        return self._messages.pop(place)
