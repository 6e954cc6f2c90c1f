"""Team: the users who answer questions, from the settings and from the user groups named there.

`wiring/periodic` reads the groups again each day.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from bot.intake.watcher import Watcher
    from bot.ports.slack import Groups

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Team:
    """Resolver of the team. `named` are ids of users (`U…`, `W…`) and of user groups (`S…`)."""

    named: tuple[str, ...]
    groups: Groups
    watcher: Watcher
    _members: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def refresh(self) -> None:
        """Read the groups' members and classify with them from now on; a group that cannot be read stays as it was."""
        for group in self.named:
            if group.startswith("S"):
                await self._ask(group)
        users = {name for name in self.named if not name.startswith("S")}
        team = frozenset(users.union(*self._members.values()))
        self.watcher.classifier = replace(self.watcher.classifier, team_members=team)

    async def _ask(self, group: str) -> None:
        try:
            self._members[group] = await self.groups.group_members(group)
        except TriageError as problem:
            known = (
                "its last known members still count" if group in self._members else "nobody in it counts as the team"
            )
            log.warning(
                "classifier.team_members: the user group %s cannot be read (%s); %s. "
                "It takes the scope usergroups:read, and is tried again within a day",
                group,
                problem,
                known,
            )
