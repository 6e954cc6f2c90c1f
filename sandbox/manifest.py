"""App manifest, as far as the workspace applies it: scopes, events, slash commands, shortcuts.

Read once at the start, from the file that the real app is created from. Without a manifest nothing is limited.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from sandbox.models import Json

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SCOPE_OF_EVENT: dict[str, str | None] = {
    "agent_session_stopped": None,
    "app_home_opened": None,
    "app_mention": "app_mentions:read",
    "app_context_changed": None,
    "app_uninstalled": None,
    "assistant_thread_context_changed": "assistant:write",
    "assistant_thread_started": "assistant:write",
    "channel_archive": "channels:read",
    "channel_created": "channels:read",
    "channel_deleted": "channels:read",
    "channel_left": "channels:read",
    "channel_rename": "channels:read",
    "channel_shared": "channels:read",
    "channel_unarchive": "channels:read",
    "channel_unshared": "channels:read",
    "file_shared": "files:read",
    "group_archive": "groups:read",
    "group_deleted": "groups:read",
    "group_left": "groups:read",
    "group_rename": "groups:read",
    "group_unarchive": "groups:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "team_join": "users:read",
    "tokens_revoked": None,
    "user_change": "users:read",
}
"""Scope that an event needs, by its name in a manifest; `None` if none. For private channels the scope of groups."""


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
        return cls(
            scopes=frozenset(map(str, _list(whole, "oauth_config", "scopes", "bot"))),
            events=frozenset(map(str, _list(whole, "settings", "event_subscriptions", "bot_events"))),
            commands=tuple(
                Command(
                    str(each["command"]),
                    str(each.get("description", "")),
                    str(each.get("usage_hint", "")),
                    each.get("should_escape") is True,
                )
                for each in _objects(whole, "features", "slash_commands", key="command", path=path)
            ),
            shortcuts=tuple(
                Shortcut(
                    str(each["callback_id"]),
                    str(each.get("name", "")),
                    str(each.get("type", "message")),
                    str(each.get("description", "")),
                )
                for each in _objects(whole, "features", "shortcuts", key="callback_id", path=path)
            ),
            views=frozenset(("assistant_view", "agent_view")) & _keys(whole, "features"),
        )


def _list(whole: Json, *keys: str) -> list[Any]:
    value: Any = whole
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []


def _keys(whole: Json, key: str) -> frozenset[str]:
    value = whole.get(key)
    return frozenset(map(str, value)) if isinstance(value, dict) else frozenset()


def _objects(whole: Json, *keys: str, key: str, path: Path) -> list[Json]:
    items = _list(whole, *keys)
    if not all(isinstance(each, dict) and key in each for each in items):
        raise UnreadableManifest(f"{path}: each of {'.'.join(keys)} needs a {key}")
    return items
