"""Complaints: thumbs down with a reason, as judgements of the drafts that were posted. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from bot.decide.auto_reply.judgements import mark_unhelpful
from bot.models.feedback import Reason
from bot.models.recorded_time import parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.models.judged_draft import JudgedDraft


def list_unsaved(
    sent: Iterable[JudgedDraft], saved: Sequence[JudgedDraft], feedback: Iterable[dict[str, Any]]
) -> list[JudgedDraft]:
    """Return the complaints about drafts that were sent or judged which are not among the saved judgements."""
    known = {(each.question_key, each.at) for each in saved if each.judgement == "unhelpful"}
    every = list_complaints((*sent, *saved), feedback)
    return [each for each in every if (each.question_key, each.at) not in known]


def list_complaints(posted: Iterable[JudgedDraft], feedback: Iterable[dict[str, Any]]) -> Iterator[JudgedDraft]:
    """Yield a judgement for each line of `feedback.ndjson` that says of a posted draft what is wrong.

    A thumb down that names no reason is none. A reason counts also where its author takes it back later.
    """
    by_draft = {judged.draft_id: judged for judged in posted if judged.draft_id}
    for record in feedback:
        judged, at = by_draft.get(str(record.get("draft_id"))), parse_time(record.get("at"))
        reason = record.get("reason") if record.get("reason") in get_args(Reason) else None
        has_words = bool(record.get("text"))
        if judged and at and record.get("vote") == "down" and (reason or has_words):
            yield mark_unhelpful(judged, at=at, reason=reason, has_words=has_words)
