"""Methods users.*, usergroups.*, bots.info and team.info: the directory."""

from sandbox import conversation_shapes, seed, shapes
from sandbox.arguments import Arguments
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.methods.conversations import KINDS
from sandbox.methods.paging import paginate
from sandbox.models import Json, Person, Refused
from sandbox.person_shapes import email
from sandbox.person_shapes import person as person_shape
from sandbox.scopes import Scopes
from sandbox.workspace import Workspace


class Directory:
    """Directory of the workspace, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, links: Links, scopes: Scopes) -> None:
        self._workspace = workspace
        self._links = links
        self._scopes = scopes

    def methods(self) -> dict[str, Method]:
        return {
            "users.info": self.user,
            "users.list": self.users,
            "users.conversations": self.conversations,
            "users.lookupByEmail": self.by_email,
            "users.profile.get": self.profile,
            "usergroups.list": self.usergroups,
            "users.getPresence": self.presence,
            "usergroups.users.list": self.usergroup,
            "bots.info": self.bot,
            "team.info": self.team,
        }

    def user(self, arguments: Arguments) -> Json:
        user = self._workspace.person(arguments.required("user"))
        shape = self._shape(user)
        is_told = arguments.flag("include_locale") and not self._workspace.roster.is_external(user.id)
        return {"user": {**shape, "locale": "en-US"} if is_told else shape}

    def users(self, arguments: Arguments) -> Json:
        roster = self._workspace.roster
        own = [person for person in roster.people.values() if person.team == seed.TEAM_ID]
        page, cursor = paginate(own, arguments, default=100)
        return {
            "members": [self._shape(person) for person in page],
            "cache_ts": int(self._workspace.clock()),
            "response_metadata": {"next_cursor": cursor},
        }

    def conversations(self, arguments: Arguments) -> Json:
        """Return a user's conversations that the app may see; the app's own without a `user`."""
        user = self._workspace.person(arguments.text("user") or seed.BOT_USER).id
        kinds = [each.strip() for each in (arguments.text("types") or "public_channel").split(",")]
        channels = [
            conversation_shapes.conversation(each, self._workspace.roster)
            for each in self._workspace.seen_by(user)
            if KINDS[each.kind] in kinds
            and (each.kind == "channel" or seed.BOT_USER in each.members)
            and not (arguments.flag("exclude_archived") and each.is_archived)
        ]
        page, cursor = paginate(channels, arguments, default=100)
        return {"channels": page, "response_metadata": {"next_cursor": cursor}}

    def by_email(self, arguments: Arguments) -> Json:
        wanted, roster = arguments.required("email").lower(), self._workspace.roster
        for person in roster.people.values():
            if person.team == seed.TEAM_ID and not person.is_bot and email(person) == wanted:
                if person.is_deactivated:
                    break
                return {"user": self._shape(person)}
        raise Refused("users_not_found")

    def profile(self, arguments: Arguments) -> Json:
        person = self._workspace.person(arguments.text("user") or seed.BOT_USER)
        return {"profile": self._shape(person)["profile"]}

    def usergroups(self, arguments: Arguments) -> Json:
        with_users = arguments.flag("include_users")
        groups = [
            {
                "id": group,
                "team_id": seed.TEAM_ID,
                "is_usergroup": True,
                "name": group.removeprefix("S0").title(),
                "handle": group.removeprefix("S0").lower(),
                "description": "",
                "is_external": False,
                "date_create": seed.CREATED,
                "date_delete": 0,
                "user_count": len(members),
                **({"users": list(members)} if with_users else {}),
            }
            for group, members in seed.USERGROUPS.items()
        ]
        return {"usergroups": groups}

    def _shape(self, person: Person) -> Json:
        """Return a person as far as the app's scopes allow."""
        shape = person_shape(person, self._workspace.roster, is_stranger=self._workspace.is_stranger(person.id))
        if not self._scopes.has("users:read.email"):
            shape["profile"] = {key: value for key, value in shape["profile"].items() if key != "email"}
        return shape

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
        info = self._workspace.roster.teams.get(arguments.text("team") or seed.TEAM_ID)
        if info is None:
            raise Refused("team_not_found")
        team: Json = {
            "id": info.id,
            "name": info.name,
            "url": f"{self._links.origin}/",
            "domain": info.domain,
            "email_domain": "",
            "icon": {"image_default": True},
            "is_verified": False,
            "avatar_base_url": f"{self._links.origin}/",
        }
        if info.enterprise_id:
            team |= {"enterprise_id": info.enterprise_id, "enterprise_name": info.enterprise_name}
        return {"team": team}
