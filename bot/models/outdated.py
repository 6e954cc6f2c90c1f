"""What puts a waiting draft behind, but for what people say, as `decide/workflow/revisions` reads it.

Part of the happenings. Told by `triage/freshness`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import Happened

if TYPE_CHECKING:
    from bot.models.findings import EvidenceCheck


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceChanged(Happened):
    """Lines that the draft rests on do not stand where they stood when it was made."""

    checks: tuple[EvidenceCheck, ...]
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HintsWithdrawn(Happened):
    """The draft was made knowing of other questions that this channel may know of no longer."""

    thread_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadUnread(Happened):
    """The thread could not be read when its reply was approved, so nobody knows what was said there since."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpokenMeanwhile(Happened):
    """The bot itself has replied in the thread, on no draft of this document; what the chat agent says is no reply."""

    ts: str
