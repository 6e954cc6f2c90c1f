"""Message on its way to its thread, with its classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.decide.classify.emptied_edit import asks_nothing
from bot.models.external import LEFT_ALONE
from bot.models.message import without_mention

if TYPE_CHECKING:
    from bot.decide.classify.classifier import Classifier
    from bot.decide.classify.not_served import Back
    from bot.intake.classification import ClassifiedMessage
    from bot.models.external import External
    from bot.models.message import Message
    from bot.models.status import Mode


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """Message of a watched channel, with its journal record and what its sender may do."""

    message: Message
    mode: Mode
    record: dict[str, Any]
    """Journal record, written or about to be."""
    judgement: ClassifiedMessage | None
    """`None` if it was classified before, so that the journal has it already."""
    replayed: bool
    back: Back | None = None
    """Its outcome for the bot's reply above it."""
    external: External | None = None

    @property
    def is_left_alone(self) -> bool:
        """Return whether no question is taken up, since its author is external."""
        return self.record.get("left_alone") == LEFT_ALONE


def read_edit(message: Message, rules: Classifier) -> dict[str, bool]:
    """Return whether an edited message asks by itself, and whether it adds nothing to a question (`is_empty`)."""
    text = without_mention(message.rules_text, rules.bot_id)
    asks = rules.classify_text(text).classification == "actionable"
    is_bare = not (without_mention(message.content, rules.bot_id) or message.files)
    return {"asks": asks, "is_empty": not asks and (is_bare or asks_nothing(text, rules.extractor))}


def shows_failure(incoming: IncomingMessage) -> bool:
    """Return whether a message shows code or a failure."""
    return "```" in incoming.message.content or not find_features(incoming).isdisjoint(_FAILURE_FEATURES)


def find_features(incoming: IncomingMessage) -> set[str]:
    """Return the names of the features that its classification names as reasons."""
    return {str(reason.get("feature")) for reason in incoming.record.get("reasons", ())}


def is_report(incoming: IncomingMessage) -> bool:
    """Return whether its classification names a fault that its author has, or reads it as a question by its form."""
    return incoming.record.get("is_question") is True or not find_features(incoming).isdisjoint(_REPORT_FEATURES)


_REPORT_FEATURES = ("failing", "own_problem", "problem", "symptom")
_FAILURE_FEATURES = ("trace", "failure_shown")
