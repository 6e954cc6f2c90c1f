"""Assistant state of threads: status, session, title and suggested prompts."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.models import Change, Json, Posted, Refused
from sandbox.timing import Time, Timer

STATUS_LIFE = 120.0
"""Seconds after which Slack clears a status."""
SESSION_LIFE = 3_600.0
"""Seconds after which Slack resets a session that its app has left `processing`."""
PROCESSING = "processing"
"""Session status in which people see that the app works, and a stop button."""
SESSION_STATUSES = ("active", PROCESSING, "suspended", "closed")
STOPPED = "agent_session_stopped"
"""Event of a press on that button, which is hidden unless the app subscribes to it."""
MOST_MESSAGES = 10
MOST_PROMPTS = 4


@dataclass(slots=True)
class Thread:
    """State of one thread; `timer` clears the status, `session_timer` ends `processing`."""

    status: str = ""
    loading_messages: list[str] = field(default_factory=list)
    title: str = ""
    prompts_title: str = ""
    prompts: list[Json] = field(default_factory=list)
    timer: Timer | None = None
    session: str = ""
    session_timer: Timer | None = None


class Assistance:
    """Assistant state of all threads; as a listener, it clears a thread's status when the app posts there."""

    def __init__(self, *, time: Time, bot: str, hears_stops: bool, changed: Callable[[], None]) -> None:
        self.hears_stops = hears_stops
        self._time = time
        self._bot = bot
        self._changed = changed
        self._threads: dict[tuple[str, str], Thread] = {}

    def __call__(self, change: Change) -> None:
        match change:
            case Posted(message) if message.user == self._bot and message.thread_ts:
                if (message.channel, message.thread_ts) in self._threads:
                    self.set_status(message.channel, message.thread_ts, "", [])

    def set_status(self, channel: str, ts: str, status: str, messages: list[str]) -> None:
        """Show that the app is working; an empty status clears it."""
        if len(messages) > MOST_MESSAGES:
            raise Refused("invalid_arguments", f"[ERROR] no more than {MOST_MESSAGES} items allowed")
        thread = self._threads.setdefault((channel, ts), Thread())
        thread.status, thread.loading_messages = status, messages if status else []
        if thread.timer:
            thread.timer.cancel()
            thread.timer = None
        if status:
            thread.timer = self._time.call_later(STATUS_LIFE, lambda: self.set_status(channel, ts, "", []))
        self._changed()

    def set_session(self, channel: str, ts: str, status: str, title: str = "") -> None:
        """Create a session or change its status; only a new one takes the title. No post changes it."""
        thread = self._threads.setdefault((channel, ts), Thread())
        if not thread.session and title:
            thread.title = title
        thread.session = status
        if thread.session_timer:
            thread.session_timer.cancel()
            thread.session_timer = None
        if status == PROCESSING:
            thread.session_timer = self._time.call_later(SESSION_LIFE, lambda: self.set_session(channel, ts, "active"))
        self._changed()

    def title_of(self, channel: str, ts: str) -> str:
        return self._threads[channel, ts].title

    def can_be_stopped(self, channel: str, ts: str) -> bool:
        """Return whether a person sees a stop button in this thread."""
        thread = self._threads.get((channel, ts))
        return self.hears_stops and thread is not None and thread.session == PROCESSING

    def set_title(self, channel: str, ts: str, title: str) -> None:
        self._threads.setdefault((channel, ts), Thread()).title = title
        self._changed()

    def suggest(self, channel: str, ts: str, title: str, prompts: list[Json]) -> None:
        """Offer prompts; an empty ts offers them at the top of the direct messages."""
        if len(prompts) > MOST_PROMPTS:
            raise Refused("invalid_arguments", f"[ERROR] no more than {MOST_PROMPTS} items allowed")
        thread = self._threads.setdefault((channel, ts), Thread())
        thread.prompts_title, thread.prompts = title, prompts
        self._changed()

    def threads_of(self, channel: str) -> list[Json]:
        """Return the threads of a conversation that have something to show."""
        return [
            {
                "thread_ts": ts or None,
                "status": each.status,
                "loading_messages": each.loading_messages,
                "title": each.title,
                "session": each.session,
                "can_be_stopped": self.can_be_stopped(place, ts),
                "prompts_title": each.prompts_title,
                "prompts": each.prompts,
            }
            for (place, ts), each in self._threads.items()
            if place == channel and (each.status or each.title or each.prompts or each.session == PROCESSING)
        ]
