"""The teams and their people, by id and by name. Held by the workspace."""

from sandbox import seed
from sandbox.models import Person, Refused, Team


class Roster:
    """Everybody the app can come across, of its own team and of others."""

    def __init__(self, teams: dict[str, Team], people: dict[str, Person]) -> None:
        self.teams = teams
        self.people = people
        self.names = {person.name.lower(): person.id for person in people.values()}
        """Ids by lower-case name."""

    @property
    def home(self) -> Team:
        """The team that the app is installed in."""
        return self.teams[seed.TEAM_ID]

    def put(self, person: Person) -> None:
        """Store somebody new, or a new version of somebody."""
        self.people[person.id] = person
        self.names[person.name.lower()] = person.id

    def person(self, user: str) -> Person:
        found = self.people.get(user)
        if found is None:
            raise Refused("user_not_found")
        return found

    def team_of(self, user: str) -> Team:
        return self.teams[self.person(user).team]

    def is_external(self, user: str) -> bool:
        """Return whether this person is of another company: another team, and not of the same Enterprise Grid."""
        return self.is_foreign(self.team_of(user).id)

    def is_foreign(self, team: str) -> bool:
        """Return whether this team is of another company than the app's."""
        other, home = self.teams[team], self.home
        return other.id != home.id and (not other.enterprise_id or other.enterprise_id != home.enterprise_id)
