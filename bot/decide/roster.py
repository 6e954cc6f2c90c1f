"""Who answers here: people who reply to others' threads far more often than they ask, learned from what was classified.

`triage doctor` suggests them for `classifier.team_members`. A suggestion is made where chance does not explain it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.models.message import thread_id

if TYPE_CHECKING:
    from collections.abc import Iterable

ENOUGH_THREADS = 10
"""Threads of others that somebody has answered in."""
ENOUGH_PEOPLE = 3
"""People whose threads those are: who talks with one person is no support."""
SHARE = 0.8
"""Of what somebody begins or joins, the part that is answering, at least, as far as can be told."""
_SURE = 1.645
"""Standard deviations of a bound that holds 19 times in 20, on one side."""


@dataclass(frozen=True)
class Answerer:
    """One suggestion."""

    user: str
    asked: int
    """Threads that he began with something actionable."""
    answered: int
    """Threads of others that he answered in."""


def answerers(records: Iterable[dict[str, Any]]) -> list[Answerer]:
    """Who answers far more than he asks, the busiest first; none where there is too little to say so.

    `records` are those of `events-classified.ndjson`, oldest first. A thread counts once for each person, whatever is
    said in it, and only where its first message stands in `records` too.
    """
    authors: dict[str, str] = {}
    asked: dict[str, set[str]] = defaultdict(set)
    answered: dict[str, dict[str, str]] = defaultdict(dict)
    for record in records:
        sender, thread = record.get("sender"), record.get("thread_id")
        user = sender.get("id") if isinstance(sender, dict) and sender.get("type") == "user" else None
        if not isinstance(user, str):
            continue
        if not isinstance(thread, str):
            home = thread_id(str(record.get("team_id")), str(record.get("chat_id")), str(record.get("message_id")))
            authors[home] = user
            if record.get("classification") == "actionable":
                asked[user].add(home)
        elif authors.get(thread, user) != user and record.get("classification") != "ack":
            answered[user][thread] = authors[thread]
    found = [
        Answerer(user, asked=len(asked[user]), answered=len(threads))
        for user, threads in answered.items()
        if len(threads) >= ENOUGH_THREADS
        and len(set(threads.values())) >= ENOUGH_PEOPLE
        and _at_least(len(threads), len(threads) + len(asked[user])) >= SHARE
    ]
    return sorted(found, key=lambda one: (-one.answered, one.user))


def _at_least(hits: int, of: int) -> float:
    """The lower bound of a share that was seen `hits` times in `of` (Wilson's)."""
    share, weight = hits / of, _SURE**2 / of
    spread = _SURE * math.sqrt(share * (1 - share) / of + weight / (4 * of))
    return (share + weight / 2 - spread) / (1 + weight)
