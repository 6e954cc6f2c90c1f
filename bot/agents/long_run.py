"""Long run: an investigation of tier 2 or 3 in a separate process, and its differences from one inside the bot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.investigator_output import InvestigatorOutput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.journal import RunLog
    from bot.agents.run import Run, Task
    from bot.models.handoff import NextTier
    from bot.models.session import Session, SessionId


class LongRunOutput(InvestigatorOutput):
    """Form of a long run's answer, with the content of a handoff to the next tier."""

    tried: tuple[str, ...] = ()
    """Searches and places that led nowhere."""
    missing: str = ""
    """The missing part of the answer, where the next tier should go on."""


@dataclass(frozen=True, kw_only=True)
class LongRun:
    """Differences of one long run."""

    tier: NextTier
    session_id: SessionId
    parent_session_id: SessionId | None
    prompt: str
    """Instructions after those of every investigator."""
    context: str
    """Text after the first message: the handoff of the tier before; may be empty."""
    log: RunLog
    before_turn: Callable[[Session], Awaitable[Sequence[str]]]
    keep: Callable[[Run[InvestigatorOutput]], Awaitable[None]]

    def adapt(self, task: Task[InvestigatorOutput], form: type[LongRunOutput]) -> Task[InvestigatorOutput]:
        """Return the task of an investigator as that of this run, with the form of its answer."""
        keep = task.keep

        async def keep_both(run: Run[InvestigatorOutput]) -> None:
            await self.keep(run)
            if keep:
                await keep(run)

        return replace(
            task,
            prompt=f"{task.prompt}\n\n{self.prompt}",
            question=f"{task.question}\n\n{self.context}".rstrip(),
            form=form,
            tier=self.tier,
            session_id=self.session_id,
            parent_session_id=self.parent_session_id,
            journal=self.log,
            before_turn=self.before_turn,
            keep=keep_both,
        )
