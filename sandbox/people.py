"""People and teams: created, deactivated and reactivated; the listeners of the workspace are told of each change."""

import secrets
from dataclasses import replace

from sandbox import seed
from sandbox.founding import direct_messages
from sandbox.models import Person, PersonChanged, Refused, Team, TeamAdded
from sandbox.workspace import Workspace

ROLES = ("member", "admin", "guest", "single_channel_guest", "operator")


class People:
    """Editor of people and teams."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def add_team(self, name: str, *, is_sister: bool = False) -> Team:
        """Create a team; with `is_sister` in the Enterprise Grid of the app's team."""
        home = self._workspace.roster.home
        if is_sister and not home.enterprise_id:
            raise Refused("no_enterprise_grid", "[ERROR] this workspace was started without the grid option")
        grid = (home.enterprise_id, home.enterprise_name) if is_sister else ("", "")
        team = Team(f"T{secrets.token_hex(5).upper()}", name, name.lower(), *grid)
        self._workspace.roster.teams[team.id] = team
        self._workspace.tell(TeamAdded(team))
        return team

    def add(self, name: str, role: str, *, team: str = seed.TEAM_ID, is_deactivated: bool = False) -> Person:
        """Create a person of a team, with direct messages to the app."""
        if role not in ROLES:
            raise Refused("invalid_role", f"[ERROR] one of {', '.join(ROLES)}")
        if team not in self._workspace.roster.teams:
            raise Refused("team_not_found")
        if name.lower() in self._workspace.roster.names:
            raise Refused("name_taken")
        person = Person(
            f"U{secrets.token_hex(5).upper()}",
            name,
            role.replace("_", " ").capitalize(),
            is_admin=role == "admin",
            is_guest=role.endswith("guest"),
            is_single_channel_guest=role == "single_channel_guest",
            is_deactivated=is_deactivated,
            team=team,
        )
        self._workspace.roster.put(person)
        direct = direct_messages(person)
        self._workspace.conversations[direct.id] = direct
        self._workspace.tell(PersonChanged(None, person))
        return person

    def activate(self, user: str, *, is_active: bool) -> Person:
        """Deactivate or reactivate an account; its messages and memberships stay."""
        before = self._workspace.person(user)
        if before.is_bot:
            raise Refused("user_is_a_bot")
        after = replace(before, is_deactivated=not is_active)
        if after != before:
            self._workspace.roster.put(after)
            self._workspace.tell(PersonChanged(before, after))
        return after
