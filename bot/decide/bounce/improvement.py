"""Improvement of a draft over the one that was sent back: what changed, and whether that was asked for. Pure.

Rewording is no improvement: a draft has improved if it has a place or a value that the last one lacked, or dropped a
place that the objection names (spec 1, AC-06).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.bounce.places import BouncedPlace, named_places, named_references
from bot.decide.evaluation import split_place
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.models.improvement import Improvement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.decision import Round
    from bot.models.thread import Thread


def compare_rounds(before: Round, draft: str, refs: Sequence[str]) -> Improvement:
    """Compare a draft and its references with the round that was sent back before it."""
    new = tuple(dict.fromkeys(ref for ref in refs if ref not in before.refs))
    dropped = tuple(ref for ref in before.refs if ref not in refs)
    places = named_places(before.attack)
    named = named_references(before.attack, before.refs)
    return Improvement(
        is_same_text=draft.split() == before.draft.split(),
        new_refs=new,
        kept_refs=tuple(ref for ref in before.refs if ref in refs),
        dropped_refs=dropped,
        new_values=find_unsupported(draft, "", (before.draft, *before.refs)),
        met=tuple(ref for ref in new if any(_covers(place, ref) for place in places)),
        removed=tuple(ref for at, ref in enumerate(before.refs) if at in named and ref in dropped),
    )


def find_improvement(thread: Thread) -> Improvement | None:
    """Compare the pending draft, as it is, with the last round; `None` before a bounce and without a draft."""
    draft = thread.draft_pending
    if draft is None or not thread.rounds:
        return None
    return compare_rounds(thread.rounds[-1], draft.text, [reference.ref for reference in thread.references])


def _covers(place: BouncedPlace, ref: str) -> bool:
    return place.covers(*split_place(ref))
