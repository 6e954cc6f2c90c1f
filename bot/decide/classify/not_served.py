"""Follow-ups that say that a posted reply did not help, judged by position and words. Pure.

An explicit denial counts anywhere below the reply. A bare *no* or *same*, and trouble that would open a question
elsewhere, count for the asker if nobody else has written since. For somebody else a message counts if it is about their
own side and neither helps nor thanks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bot.decide.classify.denial import load_outcome_words
from bot.decide.classify.features import MASKS, feature_names
from bot.decide.classify.new_question import asks_why_still, remove_new_questions
from bot.decide.classify.text import clean_text
from bot.models.context import MessageContext

if TYPE_CHECKING:
    from bot.decide.classify.channel_memory import Place
    from bot.decide.classify.classifier import Classifier

Back = Literal["denies", "fine"]
"""Meaning of a follow-up: the reply did not help, or there is no more trouble even if words of trouble say so."""

_OPENING = MessageContext(opens=True, for_help=True)
"""Context in which trouble without a question opens a request; below a reply the same words refer to it."""
_OWN = MessageContext(is_reply=True, by_asker=True)
_ASKING = frozenset({
    "question_at_end", "question_inside", "question_opening", "question_phrase", "question_ending", "request", "wish",
})  # fmt: skip
_DOWN = frozenset({"\U0001f44e", ":-1:", ":thumbsdown:", ":x:", "\u274c"})
_GOOD = frozenset({"resolved", "promise", "negation", "joke"})
_THANKING = frozenset({"thanks", "ack_opening", "resolved"})
_HELPING = frozenset({
    "advice", "instruction", "asks_back", "promise", "resolved", "question_at_end", "question_inside", "tentative",
    "thanks", "named", "joke", "praise",
})  # fmt: skip
"""Features of messages that answer, or whose author was helped."""
_TROUBLE_MASK = MASKS.mask_of(
    "trouble", "logged", "symptom", "problem", "failing", "own_problem", "failure", "worried", "trace"
)
_SERVED = frozenset({"worked", "served", "harmless", "gone"})
_NOT_GONE = frozenset({"failing", "own_problem"}) | _ASKING
"""Features next to which it is unknown that trouble is gone."""
_NOT_WORKING = _NOT_GONE | {"problem", "failure", "thanks", "ack_only", "promise", "tentative", "first_person"}
"""Features next to which "it works" is not taken literally; thanks are handled elsewhere."""
_TROUBLE = frozenset({"problem", "failing", "own_problem", "failure"})


def classify_follow_up(text: str, place: Place, rules: Classifier, *, by_asker: bool) -> Back | None:
    """Return the meaning of a message for the reply above; `None` if it says nothing about it, or in doubt."""
    if not place:
        return None
    if not (text := remove_new_questions(text)):
        return None
    words = load_outcome_words()
    failed = words.outcome(text) == "failed"
    mask = rules.extractor.extract(clean_text(text))
    features = frozenset({*MASKS.names_in(mask), *feature_names(mask)})
    clauses = words.classify_clauses(text)
    if not by_asker:
        return "denies" if _fails_for_others(text, place, features, failed=failed) else None
    if failed:
        return "denies"
    is_over = "symptom" not in clauses and "contrast" not in features
    is_gone = "gone" in clauses and features.isdisjoint(_NOT_GONE)
    if is_over and (is_gone or ("harmless" in clauses and not features.isdisjoint(_THANKING))):
        return "fine"
    if is_over and features.isdisjoint(_NOT_WORKING) and words.works_at_last(text):
        return "fine"
    if place == "right below" and asks_why_still(text):
        return "denies"
    if place != "right below" or not features.isdisjoint(_GOOD) or not clauses.isdisjoint(_SERVED):
        return None
    return "denies" if _denies(text, features, clauses, rules) else None


def _denies(text: str, features: frozenset[str], clauses: frozenset[str], rules: Classifier) -> bool:
    """Return whether an asker says directly below the reply that nothing has changed."""
    if text.strip() in _DOWN or "misfit" in clauses:
        return True
    if "thanks" in features and "contrast" not in features:
        return False
    if not clauses.isdisjoint({"refused", "same", "same first", "amiss"}) or _describes_problem(text, features, rules):
        return True
    opening = rules.extractor.extract(clean_text(text), for_help=True)
    return (
        bool(opening & _TROUBLE_MASK)
        and not features & {"ack_opening"}
        and rules.classify_text(text, _OPENING).classification == "actionable"
    )


def _describes_problem(text: str, features: frozenset[str], rules: Classifier) -> bool:
    """Return whether an asker reports remaining trouble, and asks nothing else."""
    return features.isdisjoint(_ASKING) and "comes_back" in dict(rules.classify_text(text, _OWN).features)


def _fails_for_others(text: str, place: Place, features: frozenset[str], *, failed: bool) -> bool:
    """Return whether another person says that the reply does not help them either."""
    words = load_outcome_words()
    clauses = words.classify_clauses(text)
    if not features.isdisjoint(_HELPING) or not clauses.isdisjoint(_SERVED):
        return False
    if not clauses.isdisjoint({"same first", "ours"}):
        return place == "right below"
    if failed or "same" in clauses:
        return words.is_of_us(text)
    reports_trouble = not features.isdisjoint(_TROUBLE) and place == "right below"
    return reports_trouble and words.is_of_us(text, plainly="contrast" not in features)
