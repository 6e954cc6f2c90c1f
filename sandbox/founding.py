"""Initial teams, people and conversations of a workspace: the fixed ones, and those for Slack Connect and Grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Person, Team


@dataclass(frozen=True, slots=True)
class InitialWorkspace:
    """Initial content of a workspace, by id; `of` builds it."""

    teams: dict[str, Team]
    people: dict[str, Person]
    conversations: dict[str, Conversation] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        *,
        shared: bool = False,
        grid: bool = False,
        further: Sequence[Person] = (),
        hints: Mapping[str, str] | None = None,
    ) -> "InitialWorkspace":
        """Build the content; `shared` adds a partner's team and a shared channel, `grid` an Enterprise Grid of two.

        `further` people are members of each channel; `hints` has texts for empty channels by id.
        """
        home = Team(seed.TEAM_ID, seed.TEAM_NAME, seed.TEAM_DOMAIN)
        if grid:
            home = replace(home, enterprise_id=seed.ENTERPRISE_ID, enterprise_name=seed.ENTERPRISE_NAME)
        people = (*seed.PEOPLE, *further)
        everybody = tuple(person.id for person in people)
        founding = cls({home.id: home}, {person.id: person for person in people})
        for channel, name in seed.CHANNELS.items():
            founding.conversations[channel] = Conversation(channel, name, everybody)
        if shared:
            founding._add(seed.PARTNER, seed.PARTNER_PEOPLE, seed.SHARED_CHANNEL, "shared-partner")
        if grid:
            founding._add(seed.SISTER, seed.SISTER_PEOPLE, seed.ORG_CHANNEL, "org-wide")
        for person in founding.people.values():
            if not person.is_bot:
                direct = direct_messages(person)
                founding.conversations[direct.id] = direct
        for channel, hint in (hints or {}).items():
            founding.conversations[channel].hint = hint
        return founding

    def _add(self, team: Team, people: tuple[Person, ...], channel: str, name: str) -> None:
        """Add a team, and a channel of all its people and all of the home team."""
        self.teams[team.id] = team
        members = (*(person.id for person in self.people.values() if person.team == seed.TEAM_ID),)
        members += tuple(person.id for person in people)
        self.people.update({person.id: person for person in people})
        self.conversations[channel] = Conversation(channel, name, members, teams=(seed.TEAM_ID, team.id))


def direct_messages(person: Person) -> Conversation:
    """Create the direct messages between a person and the app."""
    teams = tuple(dict.fromkeys((seed.TEAM_ID, person.team)))
    return Conversation(seed.direct_channel(person.id), "", (person.id, seed.BOT_USER), is_im=True, teams=teams)
