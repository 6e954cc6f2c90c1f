"""`allow`: what an admin may say, and what is answered."""

from __future__ import annotations

import pytest

from bot.agents.ledger import Ledger
from bot.commands.budget import BudgetCommands
from bot.commands.inputs import Money
from tests.chat.crew import MEMBER, OPERATOR, command, handler
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices


def book(cap: float = 20.0) -> Ledger:
    """A ledger with nothing spent."""
    return Ledger(
        sessions=MemorySessions(),
        allowance_file=MemoryKept(),
        prices=RoundPrices(),
        clock=HandClock(),
        usd_per_day=cap,
        tell=lambda line: None,
    )


async def test_the_answer_says_cap_spending_and_until_when() -> None:
    """In one line; a second word adds to the first, 0 takes both back."""
    ledger = book()
    desk = BudgetCommands(ledger=ledger)
    said = (await desk.allow(Money(usd=5), command())).text
    assert said.startswith(
        "The agents may cost $25.00 today now, not $20.00; $0.00 are spent or held. That counts until <!d"
    )
    assert said.endswith("UTC>. `/triage allow 0` takes it back.")
    assert "$27.50 today now, not $25.00" in (await desk.allow(Money(usd=2.5), command())).text
    assert "$20.00 today now, not $27.50" in (await desk.allow(Money(usd=0), command())).text
    assert ledger.cap == 20


async def test_the_most_of_a_day_is_a_bound() -> None:
    """The settings are the place for more."""
    desk = BudgetCommands(ledger=book())
    await desk.allow(Money(usd=20), command())
    answer = await desk.allow(Money(usd=1), command())
    assert answer.outcome == "invalid"
    assert "At most $20.00 more may be allowed for a day, and $20.00 are already" in answer.line


async def test_without_agents_there_is_nothing_to_allow() -> None:
    """The keyword engine costs nothing."""
    assert (await BudgetCommands(ledger=None).allow(Money(usd=1), command())).outcome == "invalid"


@pytest.mark.parametrize("said", ["-5", "1e3", "inf", "nan", "five", "1000.01", "0x10", "5,50", "", "5.123"])
async def test_an_amount_that_is_none_changes_nothing(said: str) -> None:
    """It is said what was expected."""
    ledger = book()
    desk = handler(runs={"allow": BudgetCommands(ledger=ledger).allow})
    answer = await desk.execute("allow", {"usd": said}, command())
    assert (answer.outcome, ledger.allowed) == ("invalid", 0)
    assert "`usd`: expected US dollars" in answer.line


@pytest.mark.parametrize("user", [OPERATOR, MEMBER])
async def test_only_an_admin_allows(user: str) -> None:
    """Money is not an operator's."""
    ledger = book()
    desk = handler(runs={"allow": BudgetCommands(ledger=ledger).allow})
    answer = await desk.execute("allow", {"usd": "$5"}, command(user_id=user))
    assert (answer.outcome, ledger.allowed) == ("refused", 0)
    assert (await desk.execute("allow", {"usd": "$5"}, command())).outcome == "done"
    assert ledger.allowed == 5
