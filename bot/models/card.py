"""Card of a thread, hand-overs and owner requests: parts of a thread's document."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.message import Ts

CardPlace = Literal["dm", "ephemeral", "both", "channel"]
"""Place of the cards for a channel's questions: `both` is `dm` plus an ephemeral card, `ephemeral` tries that card
first."""


class Card(Fact):
    """The operator's view of the thread: a message in a direct message, identified by its nonce."""

    nonce: str
    channel: str | None = None
    ts: Ts | None = None
    drawn: int = 0
    """The `revision` that the card shows; 0 while it shows none."""
    number: int = 1
    """Number of the card within its question: each requested decision gets a new card."""
    asks: bool = False
    """True if it was due to be posted; `ts` stays `None` until the post is confirmed."""
    wanted: bool = False
    """True if it is shown whatever the status: somebody asked for it, or did not act on the ephemeral card."""


class AskedOwner(Fact):
    """A request to a code owner for their view of a draft."""

    at: datetime
    by: str
    """The operator who sent the request."""
    owner: str
    """A user, or a user group."""
    draft_id: str


class HandOver(Fact):
    """One transfer of the question from one operator to another."""

    at: datetime
    by: str | None
    """The person who handed it over; `None` if nobody acted in time."""
    before: str
    to: str
    card: Card
    """The card of the operator in `before`."""
    is_shown: bool = False
    """True if that card already shows the hand-over."""
    for_second: bool = False
    """True if it was transferred because `by` approved and a second approval is needed."""
    is_lost: bool = False
    """True if it was transferred because Slack rejects every card for `before`."""
