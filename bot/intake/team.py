"""Team: the people who answer, by user and by user group, and the classifier that knows them.

Members of groups are read from Slack at the start and each day.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from bot.decide.classify.classifier import Classifier
    from bot.ports.slack import Groups

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Team:
    """Resolver of the team. `named` are ids of users (`U…`, `W…`) and of user groups (`S…`)."""

    classifier: Classifier
    """The classifier in force, replaced at each refresh."""
    groups: Groups
    named: tuple[str, ...] = ()
    _members: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def members(self) -> frozenset[str]:
        """User ids of the people who answer."""
        return self.classifier.team_members

    async def refresh(self) -> None:
        """Read the members of the groups and classify by them; a group that cannot be read stays as it was."""
        for group in self.named:
            if group.startswith("S"):
                await self._ask(group)
        users = {name for name in self.named if not name.startswith("S")}
        team = frozenset(users.union(*self._members.values()))
        self.classifier = replace(self.classifier, team_members=team)

    async def _ask(self, group: str) -> None:
        try:
            self._members[group] = await self.groups.group_members(group)
        except TriageError as problem:
            consequence = (
                "its last known members still count" if group in self._members else "nobody in it counts as the team"
            )
            log.warning(
                "classifier.team_members: the user group %s cannot be read (%s); %s. "
                "It takes the scope usergroups:read, and is tried again within a day",
                group,
                problem,
                consequence,
            )
