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


def person(user: Person, roster: Roster, *, is_stranger: bool = False) -> Json:
    """Return a person as users.info answers it; `is_stranger` is for external people without a channel with the app."""
    shape: Json = {
        "id": user.id,
        "team_id": user.team,
        "name": user.name.lower(),
        "deleted": user.is_deactivated,
        "color": "4bbe2e",
        "real_name": user.name,
        "tz": local_zone(),
        "tz_label": time.strftime("%Z"),
        "tz_offset": time.localtime().tm_gmtoff,
        "profile": profile(user),
        "is_admin": user.is_admin,
        "is_owner": user.is_admin,
        "is_primary_owner": user.is_admin,
        "is_restricted": user.is_guest,
        "is_ultra_restricted": user.is_single_channel_guest,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": seed.CREATED,
        "who_can_share_contact_card": "EVERYONE",
    }
    if not user.is_bot:
        shape["is_email_confirmed"] = True
    team = roster.teams[user.team]
    if team.enterprise_id:
        shape["enterprise_user"] = _enterprise_user(user, team)
    if roster.is_external(user.id):
        shape["is_stranger"] = is_stranger
        shape = {key: value for key, value in shape.items() if key not in _WITHHELD}
        shape["profile"] = {key: value for key, value in shape["profile"].items() if key not in _WITHHELD_OF_PROFILE}
    if user.is_deactivated:
        shape = {key: shape[key] for key in (*_OF_THE_DEACTIVATED, "updated", "is_stranger") if key in shape}
    return shape


def profile(user: Person) -> Json:
    """Return a person's profile, as in users.profile.get and users.info."""
    shape: Json = {
        "title": user.title,
        "phone": "",
        "skype": "",
        "real_name": user.name,
        "real_name_normalized": user.name,
        "display_name": user.name,
        "display_name_normalized": user.name,
        "status_text": "",
        "status_emoji": "",
        "status_expiration": 0,
        "avatar_hash": f"g{user.id.lower()}",
        "team": user.team,
    }
    if user.is_bot:
        return {**shape, "api_app_id": user.app_id, "bot_id": user.bot_id, "always_active": True}
    return {**shape, "email": email(user)}


def email(user: Person) -> str:
    domain = "sandbox" if user.team == seed.TEAM_ID else user.team.lower()
    return f"{user.name.lower()}@{domain}.example"


def local_zone() -> str:
    """Return this machine's time zone, which the page shows; UTC if unknown."""
    path = os.environ.get("TZ", "").lstrip(":") or str(Path("/etc/localtime").resolve())
    name = path.rpartition("zoneinfo/")[2]
    return name if "/" in name and not name.startswith("/") else "Etc/UTC"


def _enterprise_user(user: Person, team: Team) -> Json:
    """Return a person's identity on the Enterprise Grid."""
    return {
        "id": user.id,
        "enterprise_id": team.enterprise_id,
        "enterprise_name": team.enterprise_name,
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "teams": [user.team],
    }
