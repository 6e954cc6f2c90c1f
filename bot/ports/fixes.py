"""Ports of fixes: the run that drafts one, and its merge request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.fix import FixOrder, FixResult
    from bot.models.thread import Thread


class FixDrafter(Protocol):
    """Runs that draft fixes, each in a process of its own that survives the bot
    (`bot.escalation.fix_drafter.HeadlessFixes`)."""

    def find_refusal(self, thread: Thread) -> str | None:
        """Return why no fix of the thread's findings can be drafted, in a plain sentence; `None` if one can.

        There must be a model, a declared check of the project, and a repository of it that can be pushed to.
        """

    def find_repository(self, thread: Thread) -> str | None:
        """Return the name of the repository in which the defect of the findings is; `None` for none."""

    def is_started(self, run_id: str) -> bool:
        """Return whether the run of an order was started, so that it is only waited for."""

    async def draft(self, thread: Thread, order: FixOrder) -> FixResult:
        """Start the run of an order unless it was started, and return its end.

        A run whose process died ends without a proposal. A cancelled call leaves the process alone; `stop` ends it.
        """

    async def stop(self, run_id: str) -> None:
        """End the process of a run with all that it started; without one nothing happens."""
