"""Today's budget of the agents: the admin command `allow`, beside `model.max_usd_per_day`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import moment
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import Money
from bot.commands.registry import command

if TYPE_CHECKING:
    from bot.agents.ledger import Ledger
    from bot.models.interaction import Asker
    from bot.tasks.scheduler import TaskScheduler

_NO_AGENT = "There is no budget: the keyword engine asks no model and costs nothing."


@dataclass(frozen=True, kw_only=True)
class BudgetCommands:
    """Commands on today's budget. `ledger` is `None` if the engine has no agents."""

    ledger: Ledger | None
    tasks: TaskScheduler | None = None
    """Created tasks, which may wait for money; `None` in tests that need none."""

    async def preview(self, request: Money, _: Asker) -> str:
        """Show today's total budget after the change."""
        if self.ledger is None:
            raise NotDone(_NO_AGENT)
        total = self.ledger.allowed + request.usd if request.usd else 0.0
        if total > self.ledger.most_allowed:
            raise _too_much(self.ledger)
        own = self.ledger.cap - self.ledger.allowed
        return f"The agents could cost ${own + total:,.2f} today, not ${self.ledger.cap:,.2f}."

    @command(
        "allow",
        "raises today's budget of the agents by US dollars; 0 takes it back",
        input=Money,
        role="admin",
        tier="reversible",
        deed="today's budget was changed",
        needs_press=True,
        preview=preview,
    )
    async def allow(self, request: Money, _: Asker) -> CommandAnswer:
        """Allow that much more for today, on top of what was allowed before."""
        if self.ledger is None:
            raise NotDone(_NO_AGENT)
        before = self.ledger.cap
        if not await self.ledger.allow(request.usd):
            raise _too_much(self.ledger)
        if self.tasks:
            self.tasks.wake()
        cap, until = self.ledger.cap, moment(self.ledger.day_ends)
        back = " `/triage allow 0` takes it back." if self.ledger.allowed else ""
        now = f"now, not ${before:,.2f}" if cap != before else "as before"
        spent = f"${self.ledger.spent:,.2f} are spent or held"
        line = f"The agents may cost ${cap:,.2f} today {now}; {spent}. That counts until {until}.{back}"
        return CommandAnswer(line=line)


def _too_much(ledger: Ledger) -> NotDone:
    limit = f"At most ${ledger.most_allowed:,.2f} more may be allowed for a day, and ${ledger.allowed:,.2f} are already"
    cap = "`model.max_usd_per_day` in the settings raises that"
    return NotDone(f"{limit}; {cap}. Nothing was changed.")
