"""Debounce of presses: the time since which each button is at its place.

A decision redraws the queue, and the next Approve may appear where the last one was pressed: a second click must not
decide something that nobody has read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.models.interaction import Press

Standing = dict[tuple[int, str], datetime]
"""Time since which a button is shown, by its position, action and draft."""

LONG_ENOUGH = timedelta(seconds=1)
"""Minimum time that a button must be shown at its place before a press on it counts."""

_ALWAYS = datetime.min.replace(tzinfo=UTC)
_DRAFT = re.compile(r"(\S+/\d{1,6} [A-Za-z0-9]+)(?: .*)?")


def stood_since(
    before: Mapping[tuple[int, str], datetime] | None, blocks: Sequence[dict[str, Any]], now: datetime
) -> Standing:
    """Return the times since which a view's buttons are shown, from those of the previous view (`None` if unknown).

    A button at a new position cannot be pressed by mistake, and counts as shown for ever.
    """
    occupied = {place for place, _ in before} if before is not None else None
    return {
        key: before[key] if before and key in before else now if occupied is None or key[0] in occupied else _ALWAYS
        for key in enumerate(_buttons(blocks))
    }


def has_just_come(standing: Mapping[tuple[int, str], datetime], press: Press, now: datetime) -> bool:
    """Return whether the button of this press has just appeared at its place."""
    name = f"{press.action} {press.draft_id} {press.nonce}"
    return any(now - since < LONG_ENOUGH for (_, button), since in standing.items() if button == name)


def is_second_click(press: Press, before: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a press in the queue or on App Home came right after one by the same person on another card.

    `before` are records of the audit log. The previous buttons are unknown here, but the time of each press is known.
    """
    if not (press.is_on_home or press.in_queue):
        return False
    at = _time_of_press(press.interaction_id)
    own = (
        record
        for record in before
        if record.get("user_id") == press.user_id and record.get("thread_id") != press.thread_id
    )
    return any(timedelta() <= at - _time_of_press(str(record.get("interaction_id"))) < LONG_ENOUGH for record in own)


def _time_of_press(interaction_id: str) -> datetime:
    """Return the time of a press by Slack's clock, from its id; the distant past for any other id."""
    try:
        return datetime.fromtimestamp(float(interaction_id.rpartition("-")[2]), UTC)
    except (ValueError, OverflowError, OSError):
        return _ALWAYS


def _buttons(blocks: Sequence[dict[str, Any]]) -> Iterable[str]:
    for element in (each for block in blocks if block["type"] == "actions" for each in block["elements"]):
        if named := _DRAFT.fullmatch(element.get("value") or ""):
            yield f"{element['action_id']} {named[1]}"
