"""Event wrapper: Slack's outer payload of each event, with its team and installation.

In a shared channel the wrapper names several teams. Slack documents it incompletely; keys and values here follow the
payloads of shared channels recorded in the tests of Slack's own SDK.
"""

import base64
import json
import secrets

from sandbox import seed
from sandbox.conversation import Conversation
from sandbox.models import Json, Person
from sandbox.roster import Roster

_OF_THE_ACTOR = ("message",)
"""Events whose `team_id` is the actor's team."""
_IN_CONTEXT_OF_THE_ACTOR = ("member_joined_channel", "member_left_channel")
_WITHOUT_CONTEXT = ("app_mention", "app_home_opened")


def wrap_event(event: Json, room: Conversation | None, actor: Person | None, roster: Roster, *, now: float) -> Json:
    """Return the whole payload of an event; `room` is None for events of the whole team."""
    home = roster.home
    kind = event["type"]
    shared = room if room is not None and room.is_shared else None
    team = roster.teams[actor.team] if shared and actor and kind in _OF_THE_ACTOR else home
    payload: Json = {"token": seed.VERIFICATION_TOKEN, "team_id": team.id}
    if team.enterprise_id:
        payload["enterprise_id"] = team.enterprise_id
    if shared and kind not in _WITHOUT_CONTEXT:
        is_actors = actor and kind in _IN_CONTEXT_OF_THE_ACTOR
        context = roster.teams[actor.team if actor and is_actors else shared.teams[0]]
        payload |= {"context_team_id": context.id, "context_enterprise_id": context.enterprise_id or None}
    return payload | {
        "api_app_id": seed.APP_ID,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(now),
        "authorizations": [
            {
                "enterprise_id": home.enterprise_id or None,
                "team_id": home.id,
                "user_id": seed.BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": bool(shared) and any(map(roster.is_foreign, shared.teams if shared else ())),
        "event_context": _context(kind, room.id if room else ""),
    }


def _context(kind: str, place: str) -> str:
    about = {"et": kind, "tid": seed.TEAM_ID, "aid": seed.APP_ID, "cid": place}
    return "4-" + base64.b64encode(json.dumps(about, separators=(",", ":")).encode()).decode()
