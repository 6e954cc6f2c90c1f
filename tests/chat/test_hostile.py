"""Whoever calls whatever: nothing runs that the role or the tier forbids (docs/security.md)."""

from __future__ import annotations

import dataclasses

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.permission import Permission
from tests.chat.crew import SMALL
from tests.chat.hostile import Hostile


async def test_a_hostile_caller_runs_nothing_that_is_not_its_own() -> None:
    """Every command there is and some of each tier, as everybody, tainted and not: 0 violations of over 1,000 calls."""
    count = await Hostile({**CATALOGUE, **SMALL}).rage()
    assert count.calls > 1_000
    assert count.violations == []
    assert count.ran == {*CATALOGUE, *SMALL}


class Gullible(Permission):
    """Lets everybody in."""

    async def refusal(self, *_: object) -> str | None:
        """Nobody is refused."""
        return None


@pytest.mark.parametrize("weakened", ["permission", "tier"])
async def test_a_weaker_handler_would_be_noticed(weakened: str) -> None:
    """Without roles, or with an irreversible command that the handler takes for a reading one."""
    hostile = Hostile(SMALL)
    if weakened == "permission":
        rules = hostile.handler.permission
        gullible = Gullible(operators=rules.operators, admins=rules.admins, members=rules.members)
        hostile.handler = dataclasses.replace(hostile.handler, permission=gullible)
    else:
        commands = hostile.handler.commands
        drop = dataclasses.replace(commands["drop"], spec=dataclasses.replace(SMALL["drop"], tier="read"))
        hostile.handler = dataclasses.replace(hostile.handler, commands={**commands, "drop": drop})
    assert (await hostile.rage()).violations
