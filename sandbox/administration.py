"""Administration: a Slack admin's actions as JSON over HTTP, on people, teams and channels shared between companies.

Any caller may use them: they are not done in a person's name.
"""

from collections.abc import Awaitable, Callable

from sandbox import seed
from sandbox.body import Body
from sandbox.installation import Installation
from sandbox.models import Json
from sandbox.people import People
from sandbox.rooms import Rooms
from sandbox.workspace import Workspace

Act = Callable[[Body], Awaitable[Json]]


_STATES = {"revoke": "revoked", "uninstall": "uninstalled", "install": "installed"}
"""State of the app's installation after each action of an admin."""


class Administration:
    """Actions under /human without a `user`."""

    def __init__(self, *, workspace: Workspace, people: People, rooms: Rooms, installation: Installation) -> None:
        self._workspace = workspace
        self._people = people
        self._rooms = rooms
        self._installation = installation

    def acts(self) -> dict[str, Act]:
        return {
            "person": self._person,
            "team": self._team,
            "share": self._share,
            "unshare": self._unshare,
            "deactivate": self._deactivate,
            "reactivate": self._reactivate,
            **{name: self._state_change(state) for name, state in _STATES.items()},
        }

    def directory(self) -> Json:
        """Return all people and teams."""
        roster = self._workspace.roster
        people = [
            {
                "id": person.id,
                "name": person.name,
                "title": person.title,
                "is_bot": person.is_bot,
                "is_admin": person.is_admin,
                "is_guest": person.is_guest,
                "is_deactivated": person.is_deactivated,
                "is_external": roster.is_external(person.id),
                "team": person.team,
                "team_name": roster.teams[person.team].name,
            }
            for person in roster.people.values()
        ]
        teams = [
            {"id": team.id, "name": team.name, "enterprise_id": team.enterprise_id or None}
            for team in roster.teams.values()
        ]
        return {"people": people, "teams": teams}

    async def _person(self, body: Body) -> Json:
        """Create a person; members of the app's team join #general."""
        person = self._people.add(
            body.text("name"),
            body.optional("role") or "member",
            team=body.optional("team") or seed.TEAM_ID,
            is_deactivated=body.flag("deactivated", default=False),
        )
        if person.team == seed.TEAM_ID and not person.is_guest:
            self._rooms.join(self._workspace.conversations[seed.GENERAL], user=person.id)
        return {"ok": True, "id": person.id, "team": person.team}

    async def _team(self, body: Body) -> Json:
        """Create a team: another company's, or with `sister` one of the same Enterprise Grid."""
        return {
            "ok": True,
            "id": self._people.add_team(body.text("name"), is_sister=body.flag("sister", default=False)).id,
        }

    async def _share(self, body: Body) -> Json:
        """Connect a channel with another team."""
        room = self._workspace.visible(body.text("channel"), to=seed.BOT_USER)
        self._rooms.share(room, body.text("team"))
        return {"ok": True}

    async def _unshare(self, body: Body) -> Json:
        """End a channel's connection with another team; `frozen` archives it permanently."""
        room = self._workspace.visible(body.text("channel"), to=seed.BOT_USER)
        self._rooms.unshare(room, body.text("team"), is_frozen=body.flag("frozen", default=False))
        return {"ok": True}

    async def _deactivate(self, body: Body) -> Json:
        self._people.activate(body.text("who"), is_active=False)
        return {"ok": True}

    async def _reactivate(self, body: Body) -> Json:
        self._people.activate(body.text("who"), is_active=True)
        return {"ok": True}

    def _state_change(self, state: str) -> Act:
        async def change(_: Body) -> Json:
            self._installation.change(state)
            return {"ok": True}

        return change
