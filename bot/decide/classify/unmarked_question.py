"""Questions without a question mark: a message addressed to the bot may ask by its form alone. Pure.

Among people, a question word without a mark may be a statement or part of a conversation; next to a mention of the bot,
*where does it keep its sessions* is a question. It is classified as if it had a mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import names
from bot.decide.classify.text import prose

if TYPE_CHECKING:
    from bot.decide.addressing.subject import Subject
    from bot.decide.classify.classifier import Classifier

_ENDS = " .!,;:\u2026\u3002"
_MARK = re.compile(r"[?\uff1f\u061f]")


def lacks_its_mark(said: str, rules: Classifier, subject: Subject) -> bool:
    """Return whether a text begins like a question and would be actionable with a question mark."""
    if not said.strip() or _MARK.search(said):
        return False
    opens = subject.opens or "question_opening" in names(rules.reader.read(prose(said)))
    return opens and rules.judge(marked(said)).classification == "actionable"


def marked(said: str) -> str:
    """Return a text with a question mark at its end."""
    return said.rstrip(_ENDS) + "?"
