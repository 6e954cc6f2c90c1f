"""Who is who: users.*, usergroups.users.list, bots.info, team.info."""

from sandbox import seed, shapes
from sandbox.arguments import Arguments
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.methods.paging import paged
from sandbox.models import Json, Refused
from sandbox.person_shapes import person as person_shape
from sandbox.workspace import Workspace


class Directory:
    """What the app can learn about the workspace, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, links: Links) -> None:
        self._workspace = workspace
        self._links = links

    def methods(self) -> dict[str, Method]:
        return {
            "users.info": self.user,
            "users.list": self.users,
            "users.getPresence": self.presence,
            "usergroups.users.list": self.usergroup,
            "bots.info": self.bot,
            "team.info": self.team,
        }

    def user(self, arguments: Arguments) -> Json:
        user = self._workspace.person(arguments.required("user"))
        shape = person_shape(user, self._workspace.roster, is_stranger=self._workspace.is_stranger(user.id))
        is_told = arguments.flag("include_locale") and not self._workspace.roster.is_external(user.id)
        return {"user": {**shape, "locale": "en-US"} if is_told else shape}

    def users(self, arguments: Arguments) -> Json:
        roster = self._workspace.roster
        own = [person for person in roster.people.values() if person.team == seed.TEAM_ID]
        page, cursor = paged(own, arguments, default=100)
        return {
            "members": [person_shape(person, roster) for person in page],
            "cache_ts": int(self._workspace.clock()),
            "response_metadata": {"next_cursor": cursor},
        }

    def bot(self, arguments: Arguments) -> Json:
        wanted = arguments.text("bot") or seed.BOT_ID
        for person in shapes.BOTS.values():
            if person.bot_id == wanted:
                return {"bot": shapes.bot(person)}
        raise Refused("bot_not_found")

    def presence(self, arguments: Arguments) -> Json:
        person = self._workspace.person(arguments.text("user") or seed.BOT_USER)
        return {"presence": "away" if person.id in self._workspace.away else "active"}

    def usergroup(self, arguments: Arguments) -> Json:
        members = seed.USERGROUPS.get(arguments.required("usergroup"))
        if members is None:
            raise Refused("no_such_subteam")
        return {"users": list(members)}

    def team(self, arguments: Arguments) -> Json:
        found = self._workspace.roster.teams.get(arguments.text("team") or seed.TEAM_ID)
        if found is None:
            raise Refused("team_not_found")
        team: Json = {
            "id": found.id,
            "name": found.name,
            "url": f"{self._links.origin}/",
            "domain": found.domain,
            "email_domain": "",
            "icon": {"image_default": True},
            "is_verified": False,
            "avatar_base_url": f"{self._links.origin}/",
        }
        if found.enterprise_id:
            team |= {"enterprise_id": found.enterprise_id, "enterprise_name": found.enterprise_name}
        return {"team": team}
