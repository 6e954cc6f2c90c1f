"""App Homes: the view that the app published last, by person."""

from collections.abc import Callable
from typing import Any

from sandbox.blockkit import checked_view
from sandbox.dialogs import new_view_id, shape
from sandbox.models import Json, Refused


class Homes:
    """Home views by person, changed by views.publish and views.update; `changed` is called with the person."""

    def __init__(self, *, changed: Callable[[str, Json], None], views: dict[str, Json] | None = None) -> None:
        self._views = dict(views or {})
        self._changed = changed

    def publish(self, user: str, view: Any, *, hash_seen: str | None = None) -> Json:
        """Publish a view on the person's Home; an outdated hash is refused."""
        checked = checked_view(view, kind="home")
        before = self._views.get(user)
        if hash_seen is not None and (before is None or before["hash"] != hash_seen):
            raise Refused("hash_conflict")
        view_id = before["id"] if before else new_view_id()
        after = shape(checked) | {"id": view_id, "root_view_id": view_id, "previous_view_id": None}
        self._views[user] = after
        self._changed(user, after)
        return after

    def view_of(self, user: str) -> Json | None:
        return self._views.get(user)

    def owner(self, name: str) -> str | None:
        """Return the person whose Home has this id or external_id."""
        for user, view in self._views.items():
            if name in (view["id"], view["external_id"]):
                return user
        return None
