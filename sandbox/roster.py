"""Roster: teams and people, by id and by name."""

from sandbox import seed
from sandbox.models import Person, Refused, Team


class Roster:
    """People and teams that the app can meet, its own and others."""

    def __init__(self, teams: dict[str, Team], people: dict[str, Person]) -> None:
        self.teams = teams
        self.people = people
        self.names = {person.name.lower(): person.id for person in people.values()}
        """Ids by lower-case name."""

    @property
    def home(self) -> Team:
        """Return the team that the app is installed in."""
        return self.teams[seed.TEAM_ID]

    def put(self, person: Person) -> None:
        """Store a person, new or changed."""
        self.people[person.id] = person
        self.names[person.name.lower()] = person.id

    def person(self, user: str) -> Person:
        member = self.people.get(user)
        if member is None:
            raise Refused("user_not_found")
        return member

    def team_of(self, user: str) -> Team:
        return self.teams[self.person(user).team]

    def is_external(self, user: str) -> bool:
        """Return whether a person is external: of another team, not of the same Enterprise Grid."""
        return self.is_foreign(self.team_of(user).id)

    def is_foreign(self, team: str) -> bool:
        """Return whether a team belongs to another company than the app's."""
        other, home = self.teams[team], self.home
        return other.id != home.id and (not other.enterprise_id or other.enterprise_id != home.enterprise_id)
