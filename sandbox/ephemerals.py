"""Ephemeral messages, and the screens of a person that still show them.

A screen is one open /human/stream; opening one means loading the page. An ephemeral message appears on the screens that
are open at that time, not on later ones. GET /human/view opens none, and shows those since the last load.
"""

from dataclasses import dataclass, replace

from sandbox.models import Message


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """Open page of a person; it shows the ephemeral messages after the first `since`."""

    user: str
    since: int


class Ephemerals:
    """Ephemeral messages by person, in memory, as long as a screen shows them."""

    def __init__(self) -> None:
        self._count = 0
        self._shown: dict[str, dict[str, tuple[int, Message]]] = {}
        self._screens: list[Screen] = []
        self._loaded: dict[str, int] = {}

    def load(self, user: str) -> Screen:
        """Open or reload a page of this person."""
        screen = Screen(user, self._count)
        self._screens.append(screen)
        self._loaded[user] = self._count
        self._forget(user)
        return screen

    def leave(self, screen: Screen) -> None:
        """Close a page."""
        self._screens.remove(screen)
        self._forget(screen.user)

    def show(self, user: str, message: Message) -> None:
        self._count += 1
        self._shown.setdefault(user, {})[message.ts] = (self._count, message)

    def change(self, user: str, ts: str, *, text: str, blocks: list[dict[str, object]]) -> None:
        """Replace a message's content where it is still shown."""
        if entry := self._shown.get(user, {}).get(ts):
            number, message = entry
            self._shown[user][ts] = (number, replace(message, text=text, blocks=blocks))

    def remove(self, user: str, ts: str) -> None:
        self._shown.get(user, {}).pop(ts, None)

    def messages_of(self, user: str, screen: Screen | None = None) -> list[Message]:
        """Return the messages on a screen; without one, those since the person's last load."""
        since = screen.since if screen else self._loaded.get(user, 0)
        return [message for number, message in self._shown.get(user, {}).values() if number > since]

    def on_any_screen(self, user: str) -> dict[str, Message]:
        """Return the messages on any of this person's screens, by ts."""
        return {ts: message for ts, (_, message) in self._shown.get(user, {}).items()}

    def _forget(self, user: str) -> None:
        oldest = min([self._loaded.get(user, 0), *(each.since for each in self._screens if each.user == user)])
        entries = self._shown.get(user, {}).items()
        self._shown[user] = {ts: entry for ts, entry in entries if entry[0] > oldest}
