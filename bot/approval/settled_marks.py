"""Check marks of askers: reactions on a question or its answer that mark it as settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.classify.settlement import EMOJI
from bot.models.message import thread_id
from bot.models.thread_event import SettledMark

if TYPE_CHECKING:
    from bot.models.reaction import Reaction
    from bot.ports.outbound import Clock, Journal
    from bot.triage.orchestrator import Orchestrator

_ACTION = {True: "settled_mark", False: "settled_mark_taken"}


@dataclass(frozen=True, kw_only=True)
class SettledMarks:
    """Handler of check marks. `audit` prevents a restart from applying them twice."""

    orchestrator: Orchestrator
    audit: Journal
    clock: Clock

    async def handle_reaction(self, reaction: Reaction) -> None:
        """Settle the question that its asker has marked, or propose that to its operator (`ReactionsPort`).

        Removing the mark undoes that.
        """
        if reaction.name not in EMOJI:
            return
        place = reaction.chat_id, reaction.message_id
        home = self.orchestrator.find_thread(*place) or thread_id(reaction.team_id, *place)
        if not self.orchestrator.is_asker(home, reaction.user_id):
            return
        mark = SettledMark(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            by=reaction.user_id,
            message_id=reaction.message_id,
            emoji=reaction.name,
            added=reaction.added,
        )
        step = await self.orchestrator.submit(home, mark)
        if step.accepted:
            record = reaction.model_dump(mode="json") | {"kind": "reaction", "action": _ACTION[reaction.added]}
            await self.audit.append({**record, "at": self.clock.now().isoformat(), "thread_id": home})
