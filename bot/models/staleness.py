"""What is found out about a waiting draft, but for what people say, as `decide/workflow` reads it.

Part of the happenings. Told by `triage/freshness` and `triage/edits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import Happened

if TYPE_CHECKING:
    from bot.models.external import External
    from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceChanged(Happened):
    """Lines that the draft rests on do not stand where they stood when it was made."""

    checks: tuple[EvidenceCheck, ...]
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferencesOpened(Happened):
    """The references of an edited draft's text were opened by code."""

    opening: str
    references: tuple[EvidenceRef, ...] | None
    """`None` where the text is the drafted one again: it rests on what the findings cite."""
    checks: tuple[EvidenceCheck, ...]
    payload: str
    """The same text, sealed with links to these references."""
    sha256: str
    sources: tuple[EvidenceSource, ...] = ()
    owners: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    problem: str | None = None
    """Why they could not be opened, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HintsWithdrawn(Happened):
    """The draft was made knowing of other questions that this channel may know of no longer."""

    thread_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadersChanged(Happened):
    """People of another company read the thread now who did not, or may not see what the draft was made from."""

    external: External
    is_kept_back: bool
    """True if they may not see the draft's project, so that it is made again without that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadersGone(Happened):
    """The channel's connection with another company was cut: its people read the thread no longer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadUnread(Happened):
    """The thread could not be read when its reply was approved, so nobody knows what was said there since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpokenMeanwhile(Happened):
    """The bot itself has replied in the thread, on no draft of this document; what the chat agent says is no reply."""

    ts: str


Outdated = (
    EvidenceChanged | ReferencesOpened | HintsWithdrawn | ReadersChanged | ReadersGone | ThreadUnread | SpokenMeanwhile
)
