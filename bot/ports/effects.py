"""Ports of the orchestrator: effects, views of a thread, rebuilt threads, notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.effect import DraftFix, Effect, RunRunbook
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent


class EffectRunner(Protocol):
    """Execution of effects (`bot.triage.effects.Effects`)."""

    async def run(self, thread: Thread, effect: Effect) -> ThreadEvent | None:
        """Run an effect and return its result, the next event. May take minutes, may be cancelled."""

    def is_started(self, effect: RunRunbook | DraftFix) -> bool:
        """Return whether a runbook or the draft of a fix was started, so that it is only waited for."""


class ThreadRenderer(Protocol):
    """Views of threads: cards, reactions, files (`bot.surfaces.thread_views.ThreadViews`)."""

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring every view of a thread up to this document, soon; `look_up` finds them in Slack first."""


class ThreadQueue(Protocol):
    """Queues of events, one for each thread, as views see them (`bot.triage.orchestrator.Orchestrator`)."""

    def tell(self, thread_id: str, happening: ThreadEvent) -> None:
        """Queue an event without waiting for its transition."""

    def why_held(self, thread: Thread) -> str | None:
        """Return the reason why the effect of a thread waits; `None` where none does."""

    def state(self) -> str:
        """Return the state that an admin has set last (`bot.triage.controls.State`)."""


class StepFollower(Protocol):
    """Follower of the steps of all threads, for automatic replies (`bot.triage.auto_replies.AutoReplies`)."""

    async def record(self, before: Thread | None, after: Thread) -> None:
        """Record what a step decides, before it is saved; called again if the save is repeated."""

    def follow(self, before: Thread | None, saved: Thread) -> None:
        """Take note of a saved step, without waiting."""


class ThreadRebuilder(Protocol):
    """Recovery of unreadable documents (`bot.triage.rebuild.Rebuilder`)."""

    async def rebuild(self, thread_id: str) -> Thread | None:
        """Rebuild a thread from the journals, without saving it; `None` where they do not know it."""


class OperatorNotices(Protocol):
    """Notices to the operator (`bot.surfaces.notices.Notices`)."""

    async def tell(self, text: str) -> None:
        """Send a line of mrkdwn to the operator."""
