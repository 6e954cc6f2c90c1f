"""Questions without their mark: what is said to the bot asks nobody else, so its form alone may say that it asks. Pure.

Said among people a question word without a mark may be a statement or belong to a talk; with the bot's mention *where
does it keep its sessions* asks as much as with a mark behind it. It is read as if it had one.
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
    """Return whether a text opens as questions do, and would ask for something if it ended in a mark."""
    if not said.strip() or _MARK.search(said):
        return False
    opens = subject.opens or "question_opening" in names(rules.reader.read(prose(said)))
    return opens and rules.judge(marked(said)).classification == "actionable"


def marked(said: str) -> str:
    """Return a text with a question mark at its end."""
    return said.rstrip(_ENDS) + "?"
