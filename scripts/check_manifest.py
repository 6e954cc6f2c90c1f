"""Part of `make check`: the manifest is valid, and it asks for the scopes that the code needs and for no other.

Checked in each form that `triage manifest` prints: for Socket Mode and HTTP, with and without the scopes that depend on
the settings. Slack's schema is tests/data/slack/manifest.schema.2.0.0.json, from github.com/slackapi/manifest-schema at
c50cfa8, its licence beside it; what Slack requires is in `sandbox/required_scopes.py`.
"""

from __future__ import annotations

import ast
import json
import sys
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from slack_sdk.web.async_client import AsyncWebClient

from bot.config.app_scopes import FILES_SCOPE, GROUPS_SCOPE, NEEDED_SCOPES, OPTIONAL_SCOPES, REACTIONS_SCOPE
from bot.decide.app_manifest import fit_manifest
from sandbox.required_scopes import BY_CONVERSATION, COMMANDS_SCOPE, SCOPE_OF_EVENT, SCOPES_OF_METHOD

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "tests/data/slack/manifest.schema.2.0.0.json"
REQUEST_URL = "https://triage.example.com/slack/events"

CONVERSATIONS: dict[str, tuple[str, ...]] = {
    "conversations.archive": ("channel",),
    "conversations.create": ("channel",),
    "conversations.history": ("channel", "group", "im"),
    "conversations.info": ("channel", "group"),
    "conversations.invite": ("channel",),
    "conversations.list": ("channel", "group"),
    "conversations.members": ("channel", "group"),
    "conversations.open": ("im",),
    "conversations.replies": ("channel", "group", "im"),
    "users.conversations": ("channel",),
}
"""Kinds of conversation that Triage uses each method in: cards live in direct messages or in a private channel, threads
in public and private channels and in direct messages."""

DEPENDS_ON_SETTINGS: dict[str, str] = {
    "conversations.archive": "channels:manage",
    "conversations.create": "channels:manage",
    "conversations.invite": "channels:manage",
    "files.info": FILES_SCOPE,
    "usergroups.users.list": GROUPS_SCOPE,
}
"""Scopes that an installation may lack, by the method that is not called there."""
MAY_LACK = (FILES_SCOPE, GROUPS_SCOPE, REACTIONS_SCOPE, *OPTIONAL_SCOPES)

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

METHODS = {name.replace(".", "_"): name for name in (*SCOPES_OF_METHOD, *BY_CONVERSATION)}


def problems(text: str) -> list[str]:
    """Return what is wrong with a manifest as it is, and in the first faulty one of its forms."""
    manifest = _read(text)
    called, found = _called_methods()
    found += [*_wrong_form(manifest, called, ""), *_tabs_and_events(manifest)]
    asked, optional = (set(manifest["oauth_config"]["scopes"].get(key) or ()) for key in ("bot", "bot_optional"))
    if optional - asked:  # Slack wants them in both lists
        found.append(f"optional scopes that are not asked for: {sorted(optional - asked)}")
    if asked - optional != NEEDED_SCOPES or optional != {*OPTIONAL_SCOPES}:
        found.append(f"triage doctor looks for other scopes: {sorted(asked ^ {*NEEDED_SCOPES, *OPTIONAL_SCOPES})}")
    return found + next(filter(None, _faults_by_form(text, called)), [])


def _faults_by_form(text: str, called: set[str]) -> Iterator[list[str]]:
    every_lack = (lacking for count in range(len(MAY_LACK) + 1) for lacking in combinations(MAY_LACK, count))
    for lacking, url in product(every_lack, ("", REQUEST_URL)):
        form = fit_manifest(text, (NEEDED_SCOPES | {*MAY_LACK}) - {*lacking}, request_url=url)
        name = f"for {'HTTP' if url else 'Socket Mode'}{', without ' if lacking else ''}{', '.join(lacking)}: "
        yield [name + problem for problem in _wrong_form(_read(form), called, url)]


def _wrong_form(manifest: dict[str, Any], called: set[str], url: str) -> Iterator[str]:
    yield from _against_schema(manifest)
    if manifest["settings"]["socket_mode_enabled"] is bool(url):
        yield "the wrong one of Socket Mode and HTTP"
    asked = set(manifest["oauth_config"]["scopes"]["bot"])
    needs = [*_needs(manifest, called, asked)]
    for what, scopes in needs:
        if not asked.intersection(scopes):
            yield f"the scope {' or '.join(scopes)} is missing, for {what}"
    for scope in sorted(asked):
        if all((asked - {scope}).intersection(scopes) for _, scopes in needs):
            yield f"the scope {scope} is asked for and never needed"


def _needs(manifest: dict[str, Any], called: set[str], asked: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield methods, events and features, each with scopes of which it needs one."""
    for method in called:
        if DEPENDS_ON_SETTINGS.get(method, next(iter(asked))) not in asked:
            continue
        if scopes := SCOPES_OF_METHOD.get(method):
            yield method, scopes
        for kind in CONVERSATIONS.get(method, ()):
            yield method, BY_CONVERSATION[method][kind]
    for event in manifest["settings"]["event_subscriptions"]["bot_events"]:
        if scope := SCOPE_OF_EVENT.get(event):
            yield event, (scope,)
    for feature in ("slash_commands", "shortcuts"):
        if manifest["features"].get(feature):
            yield feature, (COMMANDS_SCOPE,)


def _called_methods() -> tuple[set[str], list[str]]:
    """Return the methods that the adapters call, and what cannot be told of them."""
    names: set[str] = set()
    for file in (ROOT / "bot/adapters").rglob("*.py"):
        names |= {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}
    calls = names & ({name for name in vars(AsyncWebClient) if not name.startswith("_")} | {"api_call"})
    called = {METHODS[name] for name in calls if name in METHODS}
    unknown = [f"{name} is called, whose scopes sandbox/required_scopes.py lacks" for name in calls - {*METHODS}]
    unused = {*CONVERSATIONS, *DEPENDS_ON_SETTINGS} - called
    untold = {*BY_CONVERSATION} & called - {*CONVERSATIONS}
    return called, [
        *unknown,
        *(f"{method} is listed here and never called" for method in unused),
        *(f"{method} is called: in which kinds of conversation?" for method in untold),
    ]


def _tabs_and_events(manifest: dict[str, Any]) -> Iterator[str]:
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])
    for event in sorted(events - set(SCOPE_OF_EVENT)):
        yield f"what the event {event} needs is not in sandbox/required_scopes.py"
    if "app_mention" in events:
        yield "app_mention repeats what message.channels and message.groups bring, and needs a scope of its own"
    if "app_context_changed" in events and "agent_view" not in manifest["features"]:
        yield "app_context_changed comes only with agent_view"
    home = manifest["features"].get("app_home", {})
    if home.get("home_tab_enabled") != ("app_home_opened" in events):
        yield "the Home and the event app_home_opened go together"
    if home.get("messages_tab_read_only_enabled") == ("message.im" in events):
        yield "people can write to the bot where the event message.im is subscribed to, and only there"


def _read(text: str) -> Any:
    return yaml.load(text, Loader=_LOADER)  # noqa: S506  # a safe loader


def _against_schema(manifest: dict[str, Any]) -> Iterator[str]:
    for error in _validator().iter_errors(manifest):
        yield f"{'/'.join(map(str, error.path))}: {error.message}"


@cache
def _validator() -> Any:
    import jsonschema  # takes longer to load than a whole check, and tests import this module

    schema = json.loads(SCHEMA.read_text())
    return jsonschema.validators.validator_for(schema)(schema)


def main() -> int:
    """Print what is wrong; 1 when something is."""
    wrong = problems((ROOT / "manifest.yml").read_text())
    for problem in wrong:
        _say(f"manifest.yml: {problem}")
    _say(f"manifest.yml: {'wrong' if wrong else 'fine'}")
    return 1 if wrong else 0


def _say(line: str) -> None:
    print(line)  # noqa: T201  # a script speaks to a person


if __name__ == "__main__":
    sys.exit(main())
