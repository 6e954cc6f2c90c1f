"""Roles that the settings give, and members by Slack's word, by table."""

from __future__ import annotations

import pytest

from bot.commands.permission import NOT_OF_US
from bot.errors import RetryLater
from tests.builders import message
from tests.chat.crew import ADMIN, FOREIGNER, GUEST, MEMBER, OPERATOR, Crew, command, permission


@pytest.mark.parametrize(
    ("user", "role"), [(ADMIN, "admin"), (OPERATOR, "operator"), (MEMBER, "member"), ("U0STRANGER", "member")]
)
def test_a_person_has_the_highest_role_that_the_settings_give(user: str, role: str) -> None:
    """An admin is no plain operator."""
    rules = permission()
    assert rules.role_of(user) == role
    assert rules.has_role(user, "member")
    assert rules.has_role(user, "operator") is (role in ("operator", "admin"))
    assert rules.has_role(user, "admin") is (role == "admin")


@pytest.mark.parametrize(("user", "is_member"), [(MEMBER, True), (ADMIN, True), (GUEST, False), (FOREIGNER, False)])
async def test_a_message_of_a_member_is_one_of_ours(user: str, is_member: bool) -> None:
    """Guests and people of other workspaces are none of us, whatever the settings say."""
    assert await permission().is_member(message(sender=user)) is is_member


async def test_where_slack_does_not_answer_a_message_counts_as_a_members() -> None:
    """It is answered then, and no command of it is carried out."""
    people = Crew(failure=RetryLater("users.info: Slack cannot be reached"))
    assert await permission(people).is_member(message(sender=MEMBER))
    assert await permission(people).refusal(command(user_id=MEMBER), "member") is not None


async def test_each_refusal_says_what_is_missing() -> None:
    """The role that is needed, or that the person is none of us."""
    rules = permission()
    assert await rules.refusal(command(user_id=MEMBER), "operator") == (
        "Only operators and admins may do this. Nothing was done."
    )
    assert await rules.refusal(command(user_id=OPERATOR), "admin") == "Only admins may do this. Nothing was done."
    assert await rules.refusal(command(user_id=GUEST), "admin") == NOT_OF_US
