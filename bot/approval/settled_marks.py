"""Check marks of askers: reactions on a question or its answer that mark it as settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.classify.settlement import EMOJI
from bot.models.message import thread_id
from bot.models.thread_event import SettledMark

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.reaction import Reacted
    from bot.ports.outbound import Clock, Journal
    from bot.triage.orchestrator import Orchestrator

_ACTION = {True: "settled_mark", False: "settled_mark_taken"}


@dataclass(frozen=True, kw_only=True)
class SettledMarks:
    """Handler of check marks. `audit` prevents a restart from applying them twice."""

    orchestrator: Orchestrator
    audit: Journal
    clock: Clock
    new_id: Callable[[], str]

    async def reacted(self, reacted: Reacted) -> None:
        """Settle the question that its asker has marked, or propose that to its operator (`ReactionsPort`).

        Removing the mark undoes that.
        """
        if reacted.name not in EMOJI:
            return
        place = reacted.chat_id, reacted.message_id
        home = self.orchestrator.home_of(*place) or thread_id(reacted.team_id, *place)
        if not self.orchestrator.concerns(home, reacted.user_id):
            return
        mark = SettledMark(
            at=self.clock.now(),
            fresh=self.new_id(),
            by=reacted.user_id,
            message_id=reacted.message_id,
            emoji=reacted.name,
            added=reacted.added,
        )
        step = await self.orchestrator.submit(home, mark)
        if step.accepted:
            record = reacted.model_dump(mode="json") | {"kind": "reaction", "action": _ACTION[reacted.added]}
            await self.audit.append({**record, "at": self.clock.now().isoformat(), "thread_id": home})
