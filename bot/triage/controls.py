"""Controls: pause, stop, channel modes and muted threads as set by commands, saved across restarts.

`triage.yml` counts where no command has set anything.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from bot.errors import RetryLater, Unreadable
from bot.models.recorded_time import parse_time
from bot.models.status import Mode

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)

State = Literal["running", "paused", "stopped"]
"""`paused`: investigations wait. `stopped`: nothing runs and nothing is posted."""


@dataclass(frozen=True)
class HaltResult:
    """Result of a stop: interrupted work, by thread."""

    runs: tuple[str, ...]
    posts: tuple[str, ...]
    unfinished: int
    """Number of tasks that had not ended in time."""
    runbooks: tuple[str, ...] = ()
    """Runbooks that run on."""
    fixes: tuple[str, ...] = ()
    """Fixes whose draft or opening was interrupted."""


MOST_MUTED = 10_000
"""Muted threads remembered; the oldest mute is forgotten first."""


class SilenceObserver(Protocol):
    """Observer of what the controls silence."""

    def end_silenced(self) -> None:
        """End what may no longer be said."""


@dataclass(kw_only=True, repr=False)
class Controls:
    """Current controls. `file` holds the state and the modes, `mutes_file` the muted threads with their times."""

    file: JsonFile
    mutes_file: JsonFile
    modes: dict[str, Mode]
    """Current mode of each watched channel."""
    away: set[str] = field(default_factory=set)
    """Watched channels from which Slack sends nothing for now (`triage/losses`)."""
    state: State = "running"
    since: datetime | None = None
    """Time at which the state was set, `None` if no command has set it."""
    ordered_at: datetime | None = None
    """Time of the message that set the state, else that at which it was set."""
    commanded_modes: dict[str, Mode] = field(default_factory=dict)
    """Modes set by commands, which override the settings."""
    lost: str = ""
    """Notice for admins about a file that could not be read; empty without one."""
    unheard: dict[str, int] = field(default_factory=dict)
    """Number of messages of each person to the bot since it was stopped."""
    muted: dict[str, datetime] = field(default_factory=dict)
    observers: list[SilenceObserver] = field(default_factory=list)
    """Told immediately after the state was set or a thread muted."""
    _emoji: dict[str, str] = field(default_factory=dict)
    """Reaction that muted a thread, if one did: its place and its user, by thread."""

    async def load(self) -> None:
        """Load the saved controls; if they cannot be read the state is `stopped`, since it may have been before."""
        try:
            saved = await self.file.read_whole()
        except Unreadable as problem:
            saved = {"state": "stopped"}
            backup = await self.file.set_aside()
            what = "The saved state (paused or stopped) and the modes that commands had set could not be read"
            then = "Triage is stopped: check the modes with `/triage status`, then run `/triage resume`."
            self.lost = f"{what} ({problem}). The file was moved to {backup}. {then}"
            log.error(self.lost)
        if saved.get("state") in get_args(State):
            self.state, self.since = saved["state"], parse_time(saved.get("since"))
            self.ordered_at = parse_time(saved.get("ordered_at")) or self.since
        unheard = saved.get("unheard")
        for user, number in unheard.items() if isinstance(unheard, dict) else ():
            if isinstance(number, int):
                self.unheard[str(user)] = number
        modes = saved.get("modes")
        for channel, mode in modes.items() if isinstance(modes, dict) else ():
            if channel in self.modes and mode in get_args(Mode):
                self.modes[channel] = self.commanded_modes[channel] = mode
        for name, said_of in (await self.mutes_file.read()).items():
            match said_of if isinstance(said_of, dict) else {"at": said_of}:
                case {"at": str(text), **more} if at := parse_time(text):
                    self.muted[name] = at
                    if isinstance(emoji := more.get("emoji"), str):
                        self._emoji[name] = emoji

    def is_outdated(self, written_at: datetime | None) -> bool:
        """Return whether a message was written before the one that set the state: it came late, and orders nothing."""
        return written_at is not None and self.ordered_at is not None and written_at < self.ordered_at

    async def set_state(self, state: State, at: datetime, *, ordered_at: datetime | None = None) -> None:
        """Set the state, which counts immediately and is on disk on return.

        Raises `RetryLater` if it cannot be saved; a pause or stop then counts all the same, a resume does not.
        """
        before = (self.state, self.since, self.ordered_at)
        self.state, self.since, self.ordered_at = state, at, ordered_at or at
        self._tell()
        try:
            await self._save()
        except RetryLater as problem:
            if state != "running":
                raise RetryLater(f"Triage is {state} now, but a restart forgets it: {problem}") from problem
            self.state, self.since, self.ordered_at = before
            self._tell()
            raise

    async def count_unheard(self, user: str) -> None:
        """Count a user's message to the bot while it is stopped."""
        self.unheard[user] = self.unheard.get(user, 0) + 1
        await self._save()

    async def take_unheard(self) -> dict[str, int]:
        """Return the counts of messages while stopped, and reset them."""
        unheard, self.unheard = self.unheard, {}
        if unheard:
            await self._save()
        return unheard

    async def set_mode(self, channel: str, mode: Mode) -> None:
        """Set the mode of a watched channel, on disk on return. Raises `RetryLater`."""
        self.modes[channel] = self.commanded_modes[channel] = mode
        await self._save()

    async def mute(self, thread_id: str, at: datetime, *, emoji: str | None = None) -> bool:
        """Mute a thread, on disk on return; return whether it was not muted before. Raises `RetryLater`.

        `emoji` identifies the reaction that mutes it; removing a reaction only lifts the mute that it has set.
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

    def heard_modes(self) -> dict[str, Mode]:
        """Return the modes of the watched channels from which Slack sends messages."""
        return {channel: mode for channel, mode in self.modes.items() if channel not in self.away}

    def asking_channels(self) -> list[str]:
        """Return the channels in which one may ask."""
        return [channel for channel, mode in self.heard_modes().items() if mode != "silent"]

    def may_publish(self, channel: str) -> bool:
        """Return whether a channel may show lines for all its readers: it is live, or not watched."""
        return self.modes.get(channel) in (None, "live")

    def why_silent(self, thread_id: str) -> str | None:
        """Return the reason why nothing may be said in a thread now; `None` where there is none."""
        if self.state == "stopped":
            return "Triage is stopped"
        return "this thread is muted" if thread_id in self.muted else None

    def muted_by(self, emoji: str) -> str | None:
        """Return the thread that this reaction has muted."""
        return next((name for name, muting_emoji in self._emoji.items() if muting_emoji == emoji), None)

    async def unmute(self, thread_id: str) -> bool:
        """Unmute a thread; return whether it was muted."""
        was_muted = self._forget(thread_id)
        if was_muted:
            await self._save_mutes()
        return was_muted

    async def allows(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message of this time may open its thread (`Mutes`); a mention after the mute ends it."""
        muted_at = self.muted.get(thread_id)
        if muted_at is None:
            return True
        return mentioned and at > muted_at and await self.unmute(thread_id)

    def _forget(self, thread_id: str) -> bool:
        self._emoji.pop(thread_id, None)
        return self.muted.pop(thread_id, None) is not None

    def _tell(self) -> None:
        for observer in self.observers:
            observer.end_silenced()

    async def _save(self) -> None:
        since = self.since.isoformat() if self.since else None
        ordered_at = self.ordered_at.isoformat() if self.ordered_at else None
        content = {"state": self.state, "since": since, "ordered_at": ordered_at, "modes": self.commanded_modes}
        await self.file.write(content | ({"unheard": self.unheard} if self.unheard else {}))

    async def _save_mutes(self) -> None:
        await self.mutes_file.write(
            {
                name: {"at": at.isoformat(), "emoji": self._emoji[name]} if name in self._emoji else at.isoformat()
                for name, at in self.muted.items()
            }
        )
