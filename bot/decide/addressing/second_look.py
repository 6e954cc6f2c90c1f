"""Second look at a message, by the projects' contents, where word lists cannot decide. Pure.

As *nsqadmin* is a folder of a project, a message with it is a question about code; as no project has a word of *who ate
my sandwich?*, the bot asks back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.addressee import NO_QUESTION, NOTHING_OF_IT, QUESTION_REASONS, UNSURE, Addressee, names_code
from bot.decide.addressing.words import MOST_WORDS

if TYPE_CHECKING:
    from bot.decide.addressing.signals import Signals

_OPEN = (UNSURE, NO_QUESTION, NOTHING_OF_IT)


def needs_look(text: str, addressee: Addressee, signals: Signals) -> bool:
    """Return whether the addressee is unsure, or based only on words that no list knows."""
    subject = signals.subject
    if not subject.words:
        return False
    if addressee.to == "unsure":
        return addressee.why in _OPEN
    is_weak = (
        subject.is_english
        and not subject.begins_with_question
        and len(text.split()) <= MOST_WORDS
        and not names_code(text)
    )
    return addressee.to == "triage" and addressee.why in QUESTION_REASONS and is_weak


def apply_lookup(addressee: Addressee, *, is_known: bool | None) -> Addressee:
    """Return the addressee after the lookup: whether a project has the words, `None` for no result."""
    if is_known is None or is_known == (addressee.to == "triage"):
        return addressee
    return Addressee("triage", "a project has its words") if is_known else Addressee("unsure", UNSURE)
