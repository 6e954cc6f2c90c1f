"""Who answers, by user groups."""

from __future__ import annotations

from bot.decide.classify.classifier import compile_rules
from bot.errors import Refused, RetryLater
from bot.intake.team import Team

RULES = compile_rules(bot_id="U0BOT")


class Slack:
    """User groups with their members; a group that is `None` cannot be read."""

    def __init__(self, **groups: tuple[str, ...] | None) -> None:
        self.groups = groups

    async def group_members(self, group: str) -> tuple[str, ...]:
        """The members of a group."""
        if group not in self.groups:
            raise Refused("usergroups.users.list: no_such_subteam", code="no_such_subteam")
        found = self.groups[group]
        if found is None:
            raise RetryLater("usergroups.users.list: rate limited")
        return found


async def test_the_members_are_those_of_the_last_good_answer() -> None:
    """Who joins counts from the next time on; while a group cannot be read, those of before do."""
    slack = Slack(S1=("U1", "U2"))
    team = Team(named=("U9", "S1", "S2"), groups=slack, classifier=RULES)
    seen = []
    for members in (("U1", "U2"), ("U2", "U3"), None):
        slack.groups["S1"] = members
        await team.refresh()
        seen.append(team.members)
    assert seen == [{"U9", "U1", "U2"}, {"U9", "U2", "U3"}, {"U9", "U2", "U3"}]


async def test_nobody_is_asked_without_a_group() -> None:
    """A team that is named by its users needs no scope."""
    team = Team(named=("U1",), groups=Slack(), classifier=RULES)
    await team.refresh()
    assert team.members == {"U1"}
