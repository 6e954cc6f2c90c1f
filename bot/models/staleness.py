"""Staleness events: changes, other than messages, that make a pending draft stale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from bot.models.external import External
    from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceChanged(TimedEvent):
    """Lines cited by the draft changed since it was made."""

    checks: tuple[EvidenceCheck, ...]
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferencesOpened(TimedEvent):
    """The references in an edited draft's text were opened by code."""

    opening: str
    references: tuple[EvidenceRef, ...] | None
    """`None` if the text is the original one again: its references are those of the findings."""
    checks: tuple[EvidenceCheck, ...]
    payload: str
    """The same text, sealed with links to these references."""
    sha256: str
    sources: tuple[EvidenceSource, ...] = ()
    owners: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    problem: str | None = None
    """The reason why they could not be opened, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HintsWithdrawn(TimedEvent):
    """The draft used hints about questions that this channel may no longer see."""

    thread_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadersChanged(TimedEvent):
    """External people began to read the thread, or lost the permission for the draft's project."""

    external: External
    is_kept_back: bool
    """True if they may not see the draft's project, so that it is made again without it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadersGone(TimedEvent):
    """The channel's connection with another company was cut: its people no longer read the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadUnread(TimedEvent):
    """The thread could not be read when its reply was approved, so newer messages are unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpokenMeanwhile(TimedEvent):
    """The bot itself replied in the thread, without a draft of this document; chat answers do not count."""

    ts: str


Outdated = (
    EvidenceChanged | ReferencesOpened | HintsWithdrawn | ReadersChanged | ReadersGone | ThreadUnread | SpokenMeanwhile
)
