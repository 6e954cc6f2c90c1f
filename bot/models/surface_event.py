"""Surface events: results of showing a thread's state in Slack as cards, reactions and ephemeral messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import Happened

if TYPE_CHECKING:
    from bot.models.asker_line import Ending


@dataclass(frozen=True, kw_only=True, slots=True)
class CardDrawn(Happened):
    """The card with this nonce shows `revision`, or does not exist if `ts` is `None`."""

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
    """The progress message shows `revision`, or does not exist if `ts` is `None`."""

    nonce: str
    channel: str | None
    ts: str | None
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CardWanted(Happened):
    """Somebody wants their card as the newest message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Marked(Happened):
    """Reactions of the bot were added to the question or removed; each is (ts, name)."""

    standing: tuple[tuple[str, str], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NudgeLost(Happened):
    """The ephemeral card for this draft could not be shown to the operator."""

    draft_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorLost(Happened):
    """Slack rejects every card for this operator."""

    user: str
    operators: tuple[str, ...] = ()
    """The other operators, in the order in which the question is handed on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRetired(Happened):
    """The card with this nonce is no longer live: it is deleted, or shows the hand-over."""

    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StateChanged(Happened):
    """Triage was stopped or resumed: cards of waiting runs must show it."""


Shown = (
    AskerTold | CardDrawn | CardRetired | CardWanted | NudgeLost | Marked | OperatorLost | ProgressDrawn | StateChanged
)
"""Events about showing a thread's state."""
