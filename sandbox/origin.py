"""Origin of a message by an author of another team than the app's, in the keys that Slack adds."""

from collections.abc import Mapping

from sandbox import seed
from sandbox.models import Json, Person, Team


def origin_of(person: Person, teams: Mapping[str, Team]) -> Json | None:
    """Return `user_team`, `source_team` and `user_profile`, with the id of a Grid if any; None for the app's team."""
    if person.team == seed.TEAM_ID:
        return None
    team = teams[person.team]
    named = team.enterprise_id or team.id
    profile: Json = {
        "name": person.name.lower(),
        "first_name": person.name,
        "real_name": person.name,
        "display_name": person.name,
        "team": named,
        "is_restricted": person.is_guest,
        "is_ultra_restricted": person.is_single_channel_guest,
        "avatar_hash": f"g{person.id.lower()}",
        "image_72": f"https://sandbox.example/{person.id.lower()}_72.png",
    }
    return {"user_team": named, "source_team": named, "user_profile": profile}
