"""Where the card of a thread stands, and who had the question before: parts of a thread's document."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.message import Ts

CardPlace = Literal["dm", "ephemeral", "both", "channel"]
"""Where the cards of a channel's questions go: `both` is `dm` with a nudge, `ephemeral` the nudge first."""


class Card(Fact):
    """The operator's view of the thread: a message in a direct message, found again by its nonce."""

    nonce: str
    channel: str | None = None
    ts: Ts | None = None
    drawn: int = 0
    """The `revision` that the card shows; 0 while it shows none."""
    number: int = 1
    """Which card of its question it is: each decision that is asked for has a card of its own."""
    asks: bool = False
    """True if it has been due to be posted; `ts` is `None` until it is known to be."""
    wanted: bool = False
    """True if it is to stand whatever the status: somebody asked for it, or a nudge was not acted on."""


class AskedOwner(Fact):
    """Somebody who owns what a draft cites was asked about it."""

    at: datetime
    by: str
    """The operator who had them asked."""
    owner: str
    """A user, or a user group."""
    draft_id: str


class HandOver(Fact):
    """The question passed from one operator to another."""

    at: datetime
    by: str | None
    """Who said so; `None` where nobody had acted in time."""
    before: str
    to: str
    card: Card
    """The card that `before` had."""
    is_shown: bool = False
    """True if that card says so by now."""
    for_second: bool = False
    """True if it passed because `by` approved, and a second must."""
    is_lost: bool = False
    """True if it passed because Slack lets nobody give `before` a card."""
