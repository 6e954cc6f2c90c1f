"""A second look at what is said to the bot: what its projects hold tells what no list of words can. Pure.

That *nsqadmin* is a folder makes a question of what would be asked back about; that no project holds any word of
*who ate my sandwich?* makes it one to ask back about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.addressee import NO_QUESTION, NOTHING_OF_IT, TAKEN, UNSURE, Door, names_code
from bot.decide.addressing.words import MOST_WORDS

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Signals

_OPEN = (UNSURE, NO_QUESTION, NOTHING_OF_IT)


def needs_look(said: str, found: Door, around: Signals) -> bool:
    """Return whether a message was left open, or taken by nothing but words that the lists do not know."""
    subject = around.subject
    if not subject.words:
        return False
    if found.to == "unsure":
        return found.why in _OPEN
    is_weak = subject.english and not subject.opens and len(said.split()) <= MOST_WORDS and not names_code(said)
    return found.to == "triage" and found.why in TAKEN and is_weak


def looked_up(found: Door, *, known: bool | None) -> Door:
    """Return the door of a message whose words the projects know, or do not, or of which nobody can tell."""
    if known is None or known == (found.to == "triage"):
        return found
    return Door("triage", "a project holds its words") if known else Door("unsure", UNSURE)
