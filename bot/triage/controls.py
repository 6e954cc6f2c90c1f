"""What people have said to the bot itself: pause, stop, a channel's mode, a muted thread. Kept over restarts.

Set by the commands; read by the orchestrator, the watcher and the desk. `triage.yml` is what counts where nothing was
said.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from bot.errors import RetryLater, Unreadable
from bot.models.status import Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import Kept

log = logging.getLogger(__name__)

State = Literal["running", "paused", "stopped"]
"""`paused`: investigations wait. `stopped`: nothing runs and nothing is posted."""


@dataclass(frozen=True)
class Halted:
    """What was broken off, by thread."""

    runs: tuple[str, ...]
    posts: tuple[str, ...]
    late: int
    """How many had not ended in the time that they have for it."""


MOST_MUTED = 10_000
"""So many threads are remembered as muted; the one that was muted first is forgotten first."""


@dataclass(kw_only=True)
class Controls:
    """All of it. `kept` has the state and the modes, `kept_mutes` the muted threads with the time of each."""

    kept: Kept
    kept_mutes: Kept
    modes: dict[str, Mode]
    """The mode of each watched channel, as it is now."""
    state: State = "running"
    since: datetime | None = None
    """When the state was set; `None` for what no command has set."""
    said_modes: dict[str, Mode] = field(default_factory=dict)
    """The modes that stand in front of the settings."""
    lost: str = ""
    """What the admin must know of a file that could not be read; empty without one."""
    unheard: dict[str, int] = field(default_factory=dict)
    """How much each person has said to the bot itself since it was stopped."""
    muted: dict[str, datetime] = field(default_factory=dict)
    changed: list[Callable[[], None]] = field(default_factory=list)
    """Whoever is told, at once, that the state was set or a thread muted."""
    _emoji: dict[str, str] = field(default_factory=dict)
    """The emoji that a thread is muted by, where it was one: where it stands, and whose it is."""

    async def load(self) -> None:
        """Go on from what was kept; stopped, where that cannot be read: it may have been a stop or a pause."""
        try:
            said = await self.kept.read_whole()
        except Unreadable as problem:
            said = {"state": "stopped"}
            aside = await self.kept.set_aside()
            what = "Whether Triage was paused or stopped, and the modes that commands had set, could not be read"
            then = "Triage is stopped: look at the modes with `/triage status`, then `/triage resume`."
            self.lost = f"{what} ({problem}). The file lies in {aside}. {then}"
            log.error(self.lost)
        if said.get("state") in get_args(State):
            self.state, self.since = said["state"], _moment(said.get("since"))
        unheard = said.get("unheard")
        for user, number in unheard.items() if isinstance(unheard, dict) else ():
            if isinstance(number, int):
                self.unheard[str(user)] = number
        modes = said.get("modes")
        for channel, mode in modes.items() if isinstance(modes, dict) else ():
            if channel in self.modes and mode in get_args(Mode):
                self.modes[channel] = self.said_modes[channel] = mode
        for name, said_of in (await self.kept_mutes.read()).items():
            match said_of if isinstance(said_of, dict) else {"at": said_of}:
                case {"at": str(text), **more} if at := _moment(text):
                    self.muted[name] = at
                    if isinstance(emoji := more.get("emoji"), str):
                        self._emoji[name] = emoji

    async def set_state(self, state: State, at: datetime) -> None:
        """Counts at once, and is kept on return. Raises `RetryLater` when it is not: what is held then stays held."""
        before, self.state, self.since = (self.state, self.since), state, at
        self._tell()
        try:
            await self._save()
        except RetryLater as problem:
            if state != "running":
                raise RetryLater(f"Triage is {state} now, but a restart forgets it: {problem}") from problem
            self.state, self.since = before
            self._tell()
            raise

    async def count_unheard(self, user: str) -> None:
        """Count what somebody says to the bot while it is stopped."""
        self.unheard[user] = self.unheard.get(user, 0) + 1
        await self._save()

    async def take_unheard(self) -> dict[str, int]:
        """What was counted, which then counts no more."""
        unheard, self.unheard = self.unheard, {}
        if unheard:
            await self._save()
        return unheard

    async def set_mode(self, channel: str, mode: Mode) -> None:
        """The same for the mode of a watched channel."""
        self.modes[channel] = self.said_modes[channel] = mode
        await self._save()

    async def mute(self, thread_id: str, at: datetime, *, emoji: str | None = None) -> bool:
        """The same for a thread in which Triage is to be silent; says whether it was not yet.

        `emoji` names the one that says so; a mute that stands already is not that emoji's to lift.
        """
        is_new = thread_id not in self.muted
        if emoji is None:
            self._emoji.pop(thread_id, None)
        elif is_new:
            self._emoji[thread_id] = emoji
        self.muted[thread_id] = at
        for oldest in [*self.muted][: max(0, len(self.muted) - MOST_MUTED)]:
            self._forget(oldest)
        self._tell()
        await self._save_mutes()
        return is_new

    def muted_by(self, emoji: str) -> str | None:
        """The thread that this emoji has muted."""
        return next((name for name, said in self._emoji.items() if said == emoji), None)

    async def unmute(self, thread_id: str) -> bool:
        """Let Triage speak there again; says whether it was muted."""
        was_muted = self._forget(thread_id)
        if was_muted:
            await self._save_mutes()
        return was_muted

    async def lets_in(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message of this moment may open or reopen its thread (`Mutes`); a mention ends a mute before
        it."""
        muted_at = self.muted.get(thread_id)
        if muted_at is None:
            return True
        return mentioned and at > muted_at and await self.unmute(thread_id)

    def _forget(self, thread_id: str) -> bool:
        self._emoji.pop(thread_id, None)
        return self.muted.pop(thread_id, None) is not None

    def _tell(self) -> None:
        for tell in self.changed:
            tell()

    async def _save(self) -> None:
        since = self.since.isoformat() if self.since else None
        said = {"state": self.state, "since": since, "modes": self.said_modes}
        await self.kept.write(said | ({"unheard": self.unheard} if self.unheard else {}))

    async def _save_mutes(self) -> None:
        await self.kept_mutes.write(
            {
                name: {"at": at.isoformat(), "emoji": self._emoji[name]} if name in self._emoji else at.isoformat()
                for name, at in self.muted.items()
            }
        )


def _moment(said: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(said)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else None
