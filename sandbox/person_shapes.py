"""JSON of people, as Slack writes it, with fewer keys for external people."""

import os
import time
from pathlib import Path

from sandbox import seed
from sandbox.models import Json, Person, Team
from sandbox.roster import Roster

_WITHHELD = ("is_admin", "is_owner", "is_primary_owner", "is_email_confirmed")
"""Keys left out for external people."""
_WITHHELD_OF_PROFILE = ("email", "phone", "skype")
_OF_THE_DEACTIVATED = ("id", "team_id", "name", "deleted", "color", "real_name", "profile", "is_bot", "is_app_user")


def person(found: Person, roster: Roster, *, is_stranger: bool = False) -> Json:
    """Return a person as users.info answers it; `is_stranger` is for external people without a channel with the app."""
    shape: Json = {
        "id": found.id,
        "team_id": found.team,
        "name": found.name.lower(),
        "deleted": found.is_deactivated,
        "color": "4bbe2e",
        "real_name": found.name,
        "tz": local_zone(),
        "tz_label": time.strftime("%Z"),
        "tz_offset": time.localtime().tm_gmtoff,
        "profile": profile(found),
        "is_admin": found.is_admin,
        "is_owner": found.is_admin,
        "is_primary_owner": found.is_admin,
        "is_restricted": found.is_guest,
        "is_ultra_restricted": found.is_single_channel_guest,
        "is_bot": found.is_bot,
        "is_app_user": False,
        "updated": seed.CREATED,
        "who_can_share_contact_card": "EVERYONE",
    }
    if not found.is_bot:
        shape["is_email_confirmed"] = True
    team = roster.teams[found.team]
    if team.enterprise_id:
        shape["enterprise_user"] = _enterprise_user(found, team)
    if roster.is_external(found.id):
        shape["is_stranger"] = is_stranger
        shape = {key: value for key, value in shape.items() if key not in _WITHHELD}
        shape["profile"] = {key: value for key, value in shape["profile"].items() if key not in _WITHHELD_OF_PROFILE}
    if found.is_deactivated:
        shape = {key: shape[key] for key in (*_OF_THE_DEACTIVATED, "updated", "is_stranger") if key in shape}
    return shape


def profile(found: Person) -> Json:
    """Return a person's profile, as in users.profile.get and users.info."""
    shape: Json = {
        "title": found.title,
        "phone": "",
        "skype": "",
        "real_name": found.name,
        "real_name_normalized": found.name,
        "display_name": found.name,
        "display_name_normalized": found.name,
        "status_text": "",
        "status_emoji": "",
        "status_expiration": 0,
        "avatar_hash": f"g{found.id.lower()}",
        "team": found.team,
    }
    if found.is_bot:
        return {**shape, "api_app_id": found.app_id, "bot_id": found.bot_id, "always_active": True}
    return {**shape, "email": email(found)}


def email(found: Person) -> str:
    domain = "sandbox" if found.team == seed.TEAM_ID else found.team.lower()
    return f"{found.name.lower()}@{domain}.example"


def local_zone() -> str:
    """Return this machine's time zone, which the page shows; UTC if unknown."""
    path = os.environ.get("TZ", "").lstrip(":") or str(Path("/etc/localtime").resolve())
    name = path.rpartition("zoneinfo/")[2]
    return name if "/" in name and not name.startswith("/") else "Etc/UTC"


def _enterprise_user(found: Person, team: Team) -> Json:
    """Return a person's identity on the Enterprise Grid."""
    return {
        "id": found.id,
        "enterprise_id": team.enterprise_id,
        "enterprise_name": team.enterprise_name,
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "teams": [found.team],
    }
