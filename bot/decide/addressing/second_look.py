"""Second look at a message, by the projects' contents, where word lists cannot decide. Pure.

As *nsqadmin* is a folder of a project, a message with it is a question about code; as no project has a word of *who ate
my sandwich?*, the bot asks back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.addressee import NO_QUESTION, NOTHING_OF_IT, TAKEN, UNSURE, Door, names_code
from bot.decide.addressing.words import MOST_WORDS

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Signals

_OPEN = (UNSURE, NO_QUESTION, NOTHING_OF_IT)


def needs_look(said: str, found: Door, around: Signals) -> bool:
    """Return whether the addressee is unsure, or based only on words that no list knows."""
    subject = around.subject
    if not subject.words:
        return False
    if found.to == "unsure":
        return found.why in _OPEN
    is_weak = subject.english and not subject.opens and len(said.split()) <= MOST_WORDS and not names_code(said)
    return found.to == "triage" and found.why in TAKEN and is_weak


def looked_up(found: Door, *, known: bool | None) -> Door:
    """Return the addressee after the lookup: whether a project has the words, `None` for no result."""
    if known is None or known == (found.to == "triage"):
        return found
    return Door("triage", "a project has its words") if known else Door("unsure", UNSURE)
