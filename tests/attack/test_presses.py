"""Forged presses, dialogs and commands at a bot that has work to do."""

from __future__ import annotations

from typing import Any

import pytest

from bot.commands.command import CommandAnswer
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.triage.operators import Operators
from measure.attack import presses

pytestmark = pytest.mark.long


def test_forged_presses_have_no_effect() -> None:
    """Over the socket and over signed HTTP."""
    for found in presses.run(presses.COUNT):
        assert found.effects == ()
        assert found.tries > 300


@pytest.mark.parametrize("weaker", ["operators", "confirming"])
def test_a_weaker_desk_is_noticed(weaker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever presses is let in; or confirms what somebody else has asked for."""

    async def refusal(*_: object, **__: object) -> None: ...

    plain = ConfirmationButtons._find_obstacle

    def obstacle(self: ConfirmationButtons, waiting: Any, press: Any, *, replayed: bool) -> CommandAnswer | None:
        theirs = {"team_id": waiting.asker.team_id, "user_id": waiting.asker.user_id} if waiting else {}
        return plain(self, waiting, press.evolve(**theirs), replayed=replayed)

    if weaker == "operators":
        monkeypatch.setattr(Operators, "refusal", refusal)
    else:
        monkeypatch.setattr(ConfirmationButtons, "_find_obstacle", obstacle)
    assert any(found.effects for found in presses.run(presses.COUNT))
