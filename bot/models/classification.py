"""Classification of a message by tier 0 (spec 1, 3.2), as stored in `events-classified.ndjson`."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  # pydantic looks it up
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

Class = Literal["actionable", "ambient", "ack"]


class Reason(NamedTuple):
    """A feature that fired, or the rule that decided the class."""

    feature: str
    weight: float
    """Contribution towards *actionable*; for an ack found by its weights, towards *ack*."""


class Classification(NamedTuple):
    """The fields added to a classified message. A tuple for speed: one is built for each message."""

    is_bot_mention: bool
    is_question: bool
    is_ack_or_emoji: bool
    is_internal_chatter: bool
    mentions_thread_with_inflight: bool
    classification: Class
    classifier_confidence: Annotated[float, Field(ge=0, le=1)]
    classifier_version: str
    reasons: tuple[Reason, ...]
    """Reasons by weight, the largest first."""
    wants: bool
    """True if its words ask for something on its author's behalf; a record restores this from the reasons."""
    classified_at: datetime

    def record(self) -> dict[str, Any]:
        """Return the fields in the journal's form."""
        fields: dict[str, Any] = dict(zip(_RECORDED, self, strict=False))
        fields["classified_at"] = self.classified_at.isoformat().replace("+00:00", "Z")
        fields["reasons"] = [{"feature": name, "weight": weight} for name, weight in self.reasons]
        return fields


_RECORDED = Classification._fields[: Classification._fields.index("reasons")]
_READ = TypeAdapter(Classification)
_UNTOLD = {"reasons": (), "wants": False}


def read_classification(record: dict[str, Any]) -> Classification:
    """Parse a classification from a journal record. Raises `pydantic.ValidationError` if there is none."""
    fields = {key: record[key] for key in Classification._fields if key in record}
    return _READ.validate_python(_UNTOLD | fields)
