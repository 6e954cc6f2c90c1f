"""What became of showing a thread's state in Slack: cards, reactions, nudges. Part of the happenings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import Happened

if TYPE_CHECKING:
    from bot.models.asker_line import Ending


@dataclass(frozen=True, kw_only=True, slots=True)
class CardDrawn(Happened):
    """The card with this nonce shows `revision`, or stands nowhere where it has no `ts`."""

    nonce: str
    channel: str | None
    ts: str | None
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AskerTold(Happened):
    """The line to the asker is about to be shown, or has to be shown later after all."""

    ending: Ending
    question_round: int
    is_begun: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressDrawn(Happened):
    """The message of a run that takes long shows `revision`, or stands nowhere where it has no `ts`."""

    nonce: str
    channel: str | None
    ts: str | None
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CardWanted(Happened):
    """Somebody wants to see their card as the newest message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Marked(Happened):
    """Reactions of the bot's were put under the question or taken away; each is (ts, name)."""

    standing: tuple[tuple[str, str], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NudgeLost(Happened):
    """The operator could not be told of this draft in its channel."""

    draft_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorLost(Happened):
    """Slack lets nobody give this operator a card any more."""

    user: str
    operators: tuple[str, ...] = ()
    """Who else may have the question, in the order in which it passes on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRetired(Happened):
    """The card with this nonce is not live any more: it is gone, or says who has the question now."""

    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StateChanged(Happened):
    """Triage was stopped, or goes on: what is shown of a run that waits by that is to say so."""


Shown = (
    AskerTold | CardDrawn | CardRetired | CardWanted | NudgeLost | Marked | OperatorLost | ProgressDrawn | StateChanged
)
"""What became of showing a thread's state."""
