"""Dialogs open on people's screens, and the trigger_ids that allow the app to open them."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox import seed
from sandbox.blockkit import checked_view
from sandbox.models import Json, Refused

TRIGGER_LIFE = 3.0
"""Seconds for which a trigger_id can open one dialog."""

MOST_STACKED = 3
"""Maximum of stacked dialogs."""

_TAKEN_OVER = ("callback_id", "private_metadata", "external_id", "title", "submit", "close")


@dataclass(slots=True)
class Trigger:
    user: str
    expires_at: float
    channel: str = ""
    used: bool = False


@dataclass(slots=True)
class Dialog:
    """Open dialog of a person, with its view as Slack writes it."""

    user: str
    view: Json


class Dialogs:
    """Open dialogs by person, the topmost last; lost at a restart, as on a real screen."""

    def __init__(self, *, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._triggers: dict[str, Trigger] = {}
        self._dialogs: dict[str, Dialog] = {}

    def trigger(self, user: str, channel: str = "") -> str:
        """Create a trigger_id for a person's action, in a channel if any."""
        now = self._clock()
        hour_ago = now - 3600  # expired ones are distinguished from invalid ones for an hour
        self._triggers = {key: each for key, each in self._triggers.items() if each.expires_at > hour_ago}
        trigger_id = f"{int(now * 1000)}.{secrets.randbelow(10**9)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = Trigger(user, now + TRIGGER_LIFE, channel)
        return trigger_id

    def open(self, trigger_id: str, view: Any) -> Json:
        """Open a first dialog with the trigger of what its person has just done."""
        trigger = self._require_trigger(trigger_id)
        opened_view = self.show(trigger.user, checked_view(view))
        trigger.used = True
        return opened_view

    def channel_of(self, trigger_id: str) -> str:
        """Return the channel of a trigger, "" if none."""
        trigger = self._triggers.get(trigger_id)
        return trigger.channel if trigger else ""

    def push(self, trigger_id: str, view: Any) -> Json:
        """Push a dialog onto the one that the trigger came from."""
        trigger = self._require_trigger(trigger_id)
        stack = self.views_of(trigger.user)
        if not stack:
            raise Refused("not_found")
        pushed = self.show(trigger.user, checked_view(view), above=stack[-1])
        trigger.used = True
        return pushed

    def show(self, user: str, checked: Json, *, above: Json | None = None) -> Json:
        """Show a view on a person's screen, on top of the open ones; at most three are stacked."""
        if above and self._depth(above) >= MOST_STACKED:
            raise Refused("push_limit_reached")
        self._refuse_taken(checked.get("external_id"))
        view_id = new_view_id()
        new_view = shape(checked) | {
            "id": view_id,
            "root_view_id": above["root_view_id"] if above else view_id,
            "previous_view_id": above["id"] if above else None,
        }
        self._dialogs[view_id] = Dialog(user, new_view)
        self._changed()
        return new_view

    def update(self, name: str, view: Any, *, hash_seen: str | None = None) -> Json:
        """Replace an open view, named by its id or its external_id."""
        dialog = self._dialogs.get(name) or self._by_external_id(name)
        if dialog is None:
            raise Refused("not_found")
        if hash_seen is not None and hash_seen != dialog.view["hash"]:
            raise Refused("hash_conflict")
        identity = {key: dialog.view[key] for key in ("id", "root_view_id", "previous_view_id")}
        dialog.view = shape(checked_view(view)) | identity
        self._changed()
        return dialog.view

    def view(self, user: str, view_id: str) -> Json:
        dialog = self._dialogs.get(view_id)
        if dialog is None or dialog.user != user:
            raise Refused("view_not_found")
        return dialog.view

    def views_of(self, user: str) -> list[Json]:
        return [dialog.view for dialog in self._dialogs.values() if dialog.user == user]

    def close(self, view_id: str, *, clear: bool = False) -> list[Json]:
        """Close a dialog and those above it, with `clear` also those below; return the closed views."""
        dialog = self._dialogs.get(view_id)
        if dialog is None:
            return []
        stack = [each for each in self.views_of(dialog.user) if each["root_view_id"] == dialog.view["root_view_id"]]
        places = [each["id"] for each in stack]
        closed = stack if clear else stack[places.index(view_id) :]
        for view in reversed(closed):
            del self._dialogs[view["id"]]
        self._changed()
        return closed[::-1]

    def clear(self, user: str) -> None:
        """Close everything on this person's screen."""
        for view in self.views_of(user):
            self.close(view["id"])

    def _depth(self, view: Json) -> int:
        below = self._dialogs.get(view["previous_view_id"] or "")
        return 1 + (self._depth(below.view) if below else 0)

    def _refuse_taken(self, external_id: str | None) -> None:
        if external_id and self._by_external_id(external_id):
            raise Refused("duplicate_external_id")

    def _require_trigger(self, trigger_id: str) -> Trigger:
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if self._clock() > trigger.expires_at:
            raise Refused("expired_trigger_id")
        return trigger

    def _by_external_id(self, name: str) -> Dialog | None:
        return next((each for each in self._dialogs.values() if each.view["external_id"] == name), None)


def new_view_id() -> str:
    return f"V{secrets.token_hex(5).upper()}"


def shape(checked: Json) -> Json:
    """Return a view as Slack answers it, without its ids."""
    defaults: Json = {"callback_id": "", "private_metadata": "", "external_id": "", "submit": None, "close": None}
    return {
        "team_id": seed.TEAM_ID,
        "type": checked["type"],
        **{name: checked.get(name) or defaults.get(name) for name in _TAKEN_OVER},
        "blocks": checked["blocks"],
        "state": {"values": {}},
        "hash": f"{secrets.randbelow(10**10)}.{secrets.token_hex(4)}",
        "clear_on_close": bool(checked.get("clear_on_close")),
        "notify_on_close": bool(checked.get("notify_on_close")),
        "app_id": seed.APP_ID,
        "app_installed_team_id": seed.TEAM_ID,
        "bot_id": seed.BOT_ID,
    }
