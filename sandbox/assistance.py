"""What the app says of a thread beside its messages: that it is at work, a title, suggested prompts."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.models import Change, Json, Posted, Refused
from sandbox.timing import Time, Timer

STATUS_LIFE = 120.0
"""Seconds after which Slack takes a status down by itself."""
MOST_MESSAGES = 10
MOST_PROMPTS = 4


@dataclass(slots=True)
class Thread:
    """The state of one thread; `timer` takes the status down."""

    status: str = ""
    loading_messages: list[str] = field(default_factory=list)
    title: str = ""
    prompts_title: str = ""
    prompts: list[Json] = field(default_factory=list)
    timer: Timer | None = None


class Assistance:
    """Listens to the workspace: a post of the app in a thread takes its status down."""

    def __init__(self, *, time: Time, bot: str, changed: Callable[[], None]) -> None:
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
        """Show that the app is at work; an empty status takes it down."""
        if len(messages) > MOST_MESSAGES:
            raise Refused("invalid_arguments", f"[ERROR] no more than {MOST_MESSAGES} items allowed")
        thread = self._threads.setdefault((channel, ts), Thread())
        thread.status, thread.loading_messages = status, messages if status else []
        if thread.timer:
            thread.timer.cancel()
            thread.timer = None
        if status:
            thread.timer = self._time.later(STATUS_LIFE, lambda: self.set_status(channel, ts, "", []))
        self._changed()

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

    def of(self, channel: str) -> list[Json]:
        """The threads of a conversation that have something to show."""
        return [
            {
                "thread_ts": ts or None,
                "status": each.status,
                "loading_messages": each.loading_messages,
                "title": each.title,
                "prompts_title": each.prompts_title,
                "prompts": each.prompts,
            }
            for (place, ts), each in self._threads.items()
            if place == channel and (each.status or each.title or each.prompts)
        ]
