"""Who may command: by table."""

from __future__ import annotations

import pytest

from bot.commands.command import Role
from bot.errors import RetryLater
from tests.chat.crew import ADMIN, FOREIGNER, GUEST, MEMBER, OPERATOR, Crew, command, permission
from tests.fakes import HandClock


@pytest.mark.parametrize(
    ("user", "may"),
    [
        (MEMBER, {"member"}),
        (OPERATOR, {"member", "operator"}),
        (ADMIN, {"member", "operator", "admin"}),
        (GUEST, set()),
        (FOREIGNER, set()),
        ("U0BOT", set()),
        ("U0NOBODY", set()),
    ],
)
async def test_a_role_is_named_in_the_settings_and_never_a_guests(user: str, may: set[str]) -> None:
    """Each role may what the one before may; a guest, a bot or another team's person may nothing, named or not."""
    rules = permission()
    roles: tuple[Role, ...] = ("member", "operator", "admin")
    assert {role for role in roles if await rules.refusal(command(user_id=user), role) is None} == may


async def test_a_command_from_another_team_is_refused_before_anybody_is_asked() -> None:
    """Its user id may be anyone's."""
    people = Crew()
    refusal = await permission(people).refusal(command(team_id="T0OTHER"), "admin")
    assert refusal is not None
    assert people.asked == []


async def test_slack_that_does_not_answer_lets_nobody_in_whom_it_did_not_name_before() -> None:
    """What it said last counts until it says something else."""
    people = Crew(failure=RetryLater("users.info: Slack cannot be reached"))
    rules = permission(people)
    assert "try again" in str(await rules.refusal(command(), "admin"))
    people.failure = None
    assert await rules.refusal(command(), "admin") is None
    people.failure = RetryLater("users.info: Slack cannot be reached")
    assert isinstance(rules.members.clock, HandClock)
    await rules.members.clock.move(3_600)
    assert await rules.refusal(command(), "admin") is None
    assert len(people.asked) == 3
