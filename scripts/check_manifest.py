"""Part of `make check`: the manifest is valid, and it asks for the scopes that the code needs and for no other.

Slack's published schema is read from `../shared/data/slack` where that exists; without it only the scopes are checked.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from bot.config.app_scopes import FILES_SCOPE, NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.decide.app_manifest import fit_manifest
from sandbox.manifest import SCOPE_OF_EVENT

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT.parent / "shared" / "data" / "slack" / "manifest.schema.2.0.0.json"

SCOPES_OF_METHOD: dict[str, frozenset[str]] = {
    "agents_sessions_setStatus": frozenset({"chat:write"}),
    "apps_connections_open": frozenset(),
    "assistant_threads_setStatus": frozenset({"chat:write"}),
    "assistant_threads_setSuggestedPrompts": frozenset({"assistant:write"}),
    "auth_test": frozenset(),
    "chat_delete": frozenset({"chat:write"}),
    "chat_getPermalink": frozenset(),
    "chat_postEphemeral": frozenset({"chat:write"}),
    "chat_postMessage": frozenset({"chat:write"}),
    "chat_update": frozenset({"chat:write"}),
    "conversations_archive": frozenset({"channels:manage"}),
    "conversations_create": frozenset({"channels:manage"}),
    "conversations_history": frozenset({"channels:history", "groups:history", "im:history"}),
    "conversations_info": frozenset({"channels:read", "groups:read"}),
    "conversations_invite": frozenset({"channels:manage"}),
    "conversations_list": frozenset({"channels:read", "groups:read"}),
    "conversations_members": frozenset({"channels:read", "groups:read"}),
    "conversations_open": frozenset({"im:write"}),
    "conversations_replies": frozenset({"channels:history", "groups:history", "im:history"}),
    "reactions_add": frozenset({"reactions:write"}),
    "reactions_remove": frozenset({"reactions:write"}),
    "usergroups_users_list": frozenset({"usergroups:read"}),
    "users_conversations": frozenset({"channels:read"}),
    "users_getPresence": frozenset({"users:read"}),
    "users_info": frozenset({"users:read"}),
    "users_list": frozenset({"users:read"}),
    "views_open": frozenset(),
    "views_publish": frozenset(),
}
"""What each method that `bot/adapters/slack` calls needs here: cards live in direct messages or in a private channel,
threads in public and private channels and in direct messages."""


def problems() -> list[str]:
    """Everything that is wrong with the manifest."""
    text = (ROOT / "manifest.yml").read_text()
    manifest: dict[str, Any] = yaml.safe_load(text)
    every = NEEDED_SCOPES | {FILES_SCOPE, *OPTIONAL_SCOPES}
    over_http = fit_manifest(text, every, request_url="https://triage.example.com/slack/events")
    found = [*_against_schema(manifest), *_against_schema(yaml.safe_load(over_http))]
    found += [] if "socket_mode_enabled: false" in over_http else ["over HTTP it still has Socket Mode"]
    code = "".join(
        (ROOT / "bot/adapters/slack" / name).read_text() for name in ("__init__.py", "channels.py", "directory.py")
    )
    calls = set(re.findall(r"self\._client\.([a-z]+_\w+)", code))
    found += [
        f"bot/adapters/slack calls {call}, whose scopes are not known here" for call in calls - set(SCOPES_OF_METHOD)
    ]
    found += [f"{call} is listed and never called" for call in set(SCOPES_OF_METHOD) - calls]
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])
    found += [f"what the event {event} needs is not known here" for event in sorted(events - set(SCOPE_OF_EVENT))]
    needed = {scope for event in events if (scope := SCOPE_OF_EVENT.get(event))}.union(
        *(SCOPES_OF_METHOD.get(c, frozenset()) for c in calls)
    )
    if "app_mention" in events:
        found.append("app_mention repeats what message.channels and message.groups bring, and needs a scope of its own")
    if manifest["features"].get("app_home", {}).get("home_tab_enabled") != ("app_home_opened" in events):
        found.append("the Home and the event app_home_opened go together")
    if manifest["features"]["app_home"].get("messages_tab_read_only_enabled") == ("message.im" in events):
        found.append("people can write to the bot where the event message.im is subscribed to, and only there")
    needed |= {"commands"} if manifest["features"].get("slash_commands") else set()
    asked = set(manifest["oauth_config"]["scopes"]["bot"])
    found += [f"the scope {scope} is needed and missing" for scope in sorted(needed - asked)]
    found += [f"the scope {scope} is asked for and never needed" for scope in sorted(asked - needed)]
    optional = set(manifest["oauth_config"]["scopes"]["bot_optional"])
    if optional - asked:  # Slack wants them in both lists
        found.append(f"optional scopes that are not asked for: {sorted(optional - asked)}")
    if asked - optional != NEEDED_SCOPES or optional != {*OPTIONAL_SCOPES}:
        found.append(f"triage doctor looks for other scopes: {sorted(asked ^ {*NEEDED_SCOPES, *OPTIONAL_SCOPES})}")
    return found


def _against_schema(manifest: dict[str, Any]) -> list[str]:
    if not SCHEMA.exists():
        return []
    validator = jsonschema.validators.validator_for(schema := json.loads(SCHEMA.read_text()))(schema)
    return [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(manifest)]


def main() -> int:
    """Say what is wrong; 1 when something is."""
    wrong = problems()
    for problem in wrong:
        _say(f"manifest.yml: {problem}")
    _say(
        "manifest.yml: " + ("wrong" if wrong else "fine" if SCHEMA.exists() else "scopes fine, no schema to check with")
    )
    return 1 if wrong else 0


def _say(line: str) -> None:
    print(line)  # noqa: T201  # a script speaks to a person


if __name__ == "__main__":
    sys.exit(main())
