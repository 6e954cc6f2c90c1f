"""App manifest, as far as the workspace applies it: scopes, events, slash commands, shortcuts.

Read once at the start, from the file that the real app is created from. Without a manifest nothing is limited.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from sandbox.models import Json
from sandbox.required_scopes import COMMANDS_SCOPE, SCOPE_OF_EVENT

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class UnreadableManifest(Exception):
    """File that is not an app manifest; the message names the fault."""


@dataclass(frozen=True, slots=True)
class Command:
    """Slash command offered to people."""

    command: str
    description: str = ""
    usage_hint: str = ""
    escapes: bool = False
    """True if the app gets channels, people and links as Slack names them (`should_escape`)."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Shortcut offered to people; `kind` is "message" or "global"."""

    callback_id: str
    name: str
    kind: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Scopes, subscriptions and features of the app."""

    scopes: frozenset[str]
    events: frozenset[str]
    commands: tuple[Command, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    views: frozenset[str] = frozenset()
    """Those of `assistant_view` and `agent_view` that the app has."""
    has_home: bool = False
    has_messages: bool = True
    """False if the app's Messages tab is switched off."""

    def hears(self, event: str, *, is_private: bool = False) -> bool:
        """Return whether the app gets this event of such a channel: subscribed to, and the scope granted."""
        scope = SCOPE_OF_EVENT.get(event)
        if scope and is_private:
            scope = scope.replace("channels:", "groups:")
        return event in self.events and (scope is None or scope in self.scopes)

    @classmethod
    def read(cls, path: Path) -> Self:
        try:
            whole = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # a safe loader
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise UnreadableManifest(f"{path}: {error}") from None
        if not isinstance(whole, dict) or "display_information" not in whole:
            raise UnreadableManifest(f"{path}: not an app manifest (no display_information)")
        scopes = frozenset(map(str, _list(whole, "oauth_config", "scopes", "bot")))
        home = _value(whole, "features", "app_home")
        tabs = home if isinstance(home, dict) else {}
        return cls(
            scopes=scopes,
            events=frozenset(map(str, _list(whole, "settings", "event_subscriptions", "bot_events"))),
            commands=tuple(
                Command(
                    str(each["command"]),
                    str(each.get("description", "")),
                    str(each.get("usage_hint", "")),
                    each.get("should_escape") is True,
                )
                for each in _objects(whole, "features", "slash_commands", key="command", path=path)
                if COMMANDS_SCOPE in scopes
            ),
            shortcuts=tuple(
                Shortcut(
                    str(each["callback_id"]),
                    str(each.get("name", "")),
                    str(each.get("type", "message")),
                    str(each.get("description", "")),
                )
                for each in _objects(whole, "features", "shortcuts", key="callback_id", path=path)
                if COMMANDS_SCOPE in scopes
            ),
            views=frozenset(("assistant_view", "agent_view")) & _keys(whole, "features"),
            has_home=tabs.get("home_tab_enabled") is True,
            has_messages=tabs.get("messages_tab_enabled") is not False,
        )


def _value(whole: Json, *keys: str) -> Any:
    value: Any = whole
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list(whole: Json, *keys: str) -> list[Any]:
    value = _value(whole, *keys)
    return value if isinstance(value, list) else []


def _keys(whole: Json, key: str) -> frozenset[str]:
    value = whole.get(key)
    return frozenset(map(str, value)) if isinstance(value, dict) else frozenset()


def _objects(whole: Json, *keys: str, key: str, path: Path) -> list[Json]:
    items = _list(whole, *keys)
    if not all(isinstance(each, dict) and key in each for each in items):
        raise UnreadableManifest(f"{path}: each of {'.'.join(keys)} needs a {key}")
    return items
