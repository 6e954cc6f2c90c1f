"""What is suggested to whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.chat.suggested_prompts import MEMBER, OPERATOR, SuggestedPrompts
from bot.commands.catalogue import CATALOGUE
from bot.decide.orders import OrderContext, OrderParser
from bot.errors import Refused
from bot.models.home import MessagesOpened, read_messages_opened
from tests.chat.crew import permission

OPENED = {"type": "app_home_opened", "user": "U0ANA", "tab": "messages", "channel": "D0ANA"}


class Board:
    """Where prompts stand; `refuses` when Slack does not take them."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.shown: list[Any] = []
        self._refuses = refuses

    async def suggest_prompts(self, **prompts: Any) -> None:
        """Keep them."""
        if self._refuses:
            raise Refused("assistant.threads.setSuggestedPrompts: missing_scope", code="missing_scope")
        self.shown.append(prompts)


@pytest.mark.parametrize(("user", "prompts"), [("U0ANA", MEMBER), ("U0OPS", OPERATOR)])
async def test_each_role_has_its_own(user: str, prompts: object) -> None:
    """At most four; a Slack that takes none costs nothing else."""
    opened = MessagesOpened(team_id="T0", user_id=user, channel_id="D0X")
    for refuses in (False, True):
        board: Any = Board(refuses=refuses)
        await SuggestedPrompts(assistant_status=board, permission=permission()).handle_opened(opened)
        said = [(each["channel"], each["prompts"]) for each in board.shown]
        assert said == ([] if refuses else [("D0X", prompts)])
    assert max(len(MEMBER), len(OPERATOR)) <= 4


def test_each_suggestion_is_an_order_that_its_reader_may_give() -> None:
    """Code knows it without a model; so are those that the manifest shows before anybody opened anything."""
    manifest = yaml.safe_load((Path(__file__).parents[2] / "manifest.yml").read_text())
    first = [prompt["message"] for prompt in manifest["features"]["agent_view"]["suggested_prompts"]]
    orders, known = OrderParser(), OrderContext(commands=frozenset(CATALOGUE))
    for role, said in (
        *(("member", said) for said in first),
        *(("member", said) for _, said in MEMBER),
        *(("operator", said) for _, said in OPERATOR),
    ):
        order = orders.parse(said, known)
        assert order is not None, said
        assert order.command is not None, said
        assert CATALOGUE[order.command].role in ("member", role), said


def test_the_messages_tab_is_told_from_the_home() -> None:
    """By the event's own word."""
    body = {"team_id": "T0", "event": OPENED}
    assert read_messages_opened(body) == MessagesOpened(team_id="T0", user_id="U0ANA", channel_id="D0ANA")
    assert read_messages_opened({**body, "event": {**OPENED, "tab": "home"}}) is None
    assert read_messages_opened({}) is None
