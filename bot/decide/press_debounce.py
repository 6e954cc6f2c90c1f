"""Buttons under somebody's hand: since when each stands at its place.

A decision redraws the queue, and the next Approve may stand where the last one was pressed: a second
click must not decide what nobody has read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.models.interaction import Press

Standing = dict[tuple[int, str], datetime]
"""Since when a button, by its place among the others, its action and its draft as it was drawn."""

LONG_ENOUGH = timedelta(seconds=1)
"""How long a button must stand at its place before a press on it decides."""

_ALWAYS = datetime.min.replace(tzinfo=UTC)
_DRAFT = re.compile(r"(\S+/\d{1,6} [A-Za-z0-9]+)(?: .*)?")


def stood_since(
    before: Mapping[tuple[int, str], datetime] | None, blocks: Sequence[dict[str, Any]], now: datetime
) -> Standing:
    """Since when the buttons of a view stand, by those of the view before; `None` where that is not known.

    A button at a place where none was is nobody's mistake, and has stood there always.
    """
    taken = {place for place, _ in before} if before is not None else None
    return {
        key: before[key] if before and key in before else now if taken is None or key[0] in taken else _ALWAYS
        for key in enumerate(_buttons(blocks))
    }


def has_just_come(standing: Mapping[tuple[int, str], datetime], press: Press, now: datetime) -> bool:
    """Return whether the button of this press has just come to its place."""
    name = f"{press.action} {press.draft_id} {press.nonce}"
    return any(now - since < LONG_ENOUGH for (_, button), since in standing.items() if button == name)


def is_second_click(press: Press, before: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a press where one steps through the queue came right after one of the same person on another card.

    `before` are records of the audit. What stood there is not known any more, but its own time is.
    """
    if not (press.is_on_home or press.in_queue):
        return False
    at = _clicked(press.interaction_id)
    own = (one for one in before if one.get("user_id") == press.user_id and one.get("thread_id") != press.thread_id)
    return any(timedelta() <= at - _clicked(str(one.get("interaction_id"))) < LONG_ENOUGH for one in own)


def _clicked(interaction_id: str) -> datetime:
    """When a button was pressed by Slack's clock, as its id says; long ago for what is no press."""
    try:
        return datetime.fromtimestamp(float(interaction_id.rpartition("-")[2]), UTC)
    except (ValueError, OverflowError, OSError):
        return _ALWAYS


def _buttons(blocks: Sequence[dict[str, Any]]) -> Iterable[str]:
    for element in (each for block in blocks if block["type"] == "actions" for each in block["elements"]):
        if named := _DRAFT.fullmatch(element.get("value") or ""):
            yield f"{element['action_id']} {named[1]}"
