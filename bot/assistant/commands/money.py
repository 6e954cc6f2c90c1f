"""What the agents may cost: `allow`, an admin's word beside `model.max_usd_per_day`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import moment
from bot.agents.ledger import MOST_ALLOWED
from bot.assistant.commands.command import Answer

if TYPE_CHECKING:
    from bot.agents.ledger import Ledger
    from bot.assistant.commands.inputs import Money
    from bot.models.interaction import Asker


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """`ledger` is `None` where the engine has no agents."""

    ledger: Ledger | None

    async def allow(self, asked: Money, _: Asker) -> Answer:
        """So much more, on top of what was allowed before."""
        if self.ledger is None:
            return Answer(outcome="invalid", line="No agent works here: the keyword engine costs nothing.")
        before = self.ledger.cap
        if not await self.ledger.allow(asked.usd):
            said = f"${self.ledger.allowed:.2f} of ${MOST_ALLOWED:,.2f}, the most for a day, are allowed already."
            return Answer(outcome="invalid", line=f"{said} `model.max_usd_per_day` in the settings sets the cap.")
        cap, until = self.ledger.cap, moment(self.ledger.day_ends)
        back = " `/triage allow 0` takes it back." if self.ledger.allowed else ""
        now = f"now, not ${before:,.2f}" if cap != before else "as before"
        spent = f"${self.ledger.spent:,.2f} are spent or held"
        line = f"The agents may cost ${cap:,.2f} today {now}; {spent}. That counts until {until}.{back}"
        return Answer(line=line)
