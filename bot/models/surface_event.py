"""Surface events: results of showing a thread's state in Slack as cards, reactions and ephemeral messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from bot.models.asker_line import Ending


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRendered(TimedEvent):
    """The card with this nonce shows `revision`, or does not exist if `ts` is `None`."""

    nonce: str
    channel: str | None
    ts: str | None
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AskerLineShown(TimedEvent):
    """The line to the asker is about to be shown, or has to be shown later after all."""

    ending: Ending
    question_round: int
    is_begun: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RecoveryShown(TimedEvent):
    """The line about a recovery is about to be posted, or is done: it is in the thread, or will not be posted."""

    failures: int
    is_done: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressRendered(TimedEvent):
    """The progress message shows `revision`, or does not exist if `ts` is `None`."""

    nonce: str
    channel: str | None
    ts: str | None
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CardWanted(TimedEvent):
    """Somebody wants their card as the newest message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReactionsUpdated(TimedEvent):
    """Reactions of the bot were added to the question or removed; each is (ts, name)."""

    standing: tuple[tuple[str, str], ...] = ()
    removed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NudgeLost(TimedEvent):
    """The ephemeral card for this draft could not be shown to the operator."""

    draft_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorLost(TimedEvent):
    """Slack rejects every card for this operator."""

    user: str
    operators: tuple[str, ...] = ()
    """The other operators, in the order in which the question is handed on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardRetired(TimedEvent):
    """The card with this nonce is no longer live: it is deleted, or shows the hand-over."""

    nonce: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StateChanged(TimedEvent):
    """Triage was stopped or resumed: cards of waiting runs must show it."""


SurfaceEvent = (
    AskerLineShown
    | CardRendered
    | CardRetired
    | CardWanted
    | NudgeLost
    | ReactionsUpdated
    | OperatorLost
    | ProgressRendered
    | RecoveryShown
    | StateChanged
)
"""Events about showing a thread's state."""
