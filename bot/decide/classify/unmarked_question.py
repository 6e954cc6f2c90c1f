"""Questions without a question mark: a message addressed to the bot may ask by its form alone. Pure.

Among people, a question word without a mark may be a statement or part of a conversation; next to a mention of the bot,
*where does it keep its sessions* is a question. It is classified as if it had a mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import feature_names
from bot.decide.classify.text import clean_text

if TYPE_CHECKING:
    from bot.decide.addressing.subject import Subject
    from bot.decide.classify.classifier import Classifier

_ENDS = " .!,;:\u2026\u3002"
_MARK = re.compile(r"[?\uff1f\u061f]")


def lacks_question_mark(text: str, rules: Classifier, subject: Subject) -> bool:
    """Return whether a text begins like a question and would be actionable with a question mark."""
    if not text.strip() or _MARK.search(text):
        return False
    opens = subject.begins_with_question or "question_opening" in feature_names(
        rules.extractor.extract(clean_text(text))
    )
    return opens and rules.classify_text(with_question_mark(text)).classification == "actionable"


def with_question_mark(text: str) -> str:
    """Return a text with a question mark at its end."""
    return text.rstrip(_ENDS) + "?"
