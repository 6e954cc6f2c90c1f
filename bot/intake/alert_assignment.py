"""Alert assignment: the thread of an alert's notification, and the ends that came before their alert."""

from __future__ import annotations

from collections import deque
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from bot.decide.alerts.fingerprint import is_same_alert
from bot.decide.alerts.listed import combine
from bot.intake.in_progress import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from bot.intake.team import Team
    from bot.models.alert import Alert
    from bot.models.message import Message
    from bot.ports.inbound import AlertThreadsPort

MOST_ENDS = 1_000
"""Ends of unknown alerts remembered."""
REMEMBERED_FOR = timedelta(hours=1)
"""Time in which a message that an alert is firing may come after the message of its end."""


class _End(NamedTuple):
    channel: str
    alert: Alert
    message: Message


@dataclass(frozen=True, kw_only=True)
class AlertAssigner:
    """Assigner of alerts of the programs that may open threads."""

    team: Team
    threads: AlertThreadsPort
    _turns: Turns = field(default_factory=Turns)
    _ends: deque[_End] = field(default_factory=lambda: deque(maxlen=MOST_ENDS))

    def alert_of(self, message: Message) -> Alert | None:
        """Return the alert of a program that may open threads; `None` for any other message."""
        return message.alert if message.alert and self.team.classifier.may_ask(message.sender.names) else None

    def alert_of_edit(self, message: Message) -> Alert | None:
        """Return the alert that an edit states; an ordinary notice states none unless it ends a known one."""
        alert = self.alert_of(message)
        if alert and alert.is_weak and (alert.state == "firing" or self.find(message, alert) is None):
            return None
        return alert

    async def confirm(self, message: Message) -> Message:
        """Return a message, without its alert if its form is one of ordinary notices, too, and nothing confirms it.

        A problem is kept, unless it is a reply; an end needs its problem, and one without a name the same program's.
        """
        alert = self.alert_of(message)
        is_about_thread = alert is not None and not alert.group and message.thread_id is not None
        if alert is None or not (alert.is_weak or is_about_thread):
            return message
        if alert.state == "firing":
            return message if message.thread_id is None else message.evolve(alert=None)
        async with self.take_turn(message, alert):
            is_known = any(self.find(message, each) for each in alert.each)
            return message if is_known else message.evolve(alert=None)

    @asynccontextmanager
    async def take_turn(self, message: Message, alert: Alert) -> AsyncIterator[None]:
        """Wait for earlier notifications of the same names, so that two of them never open two threads."""
        names = sorted({f"{message.chat_id} {each.group or message.home}" for each in alert.each})
        async with AsyncExitStack() as turns:  # in one order, so that two messages never wait for each other
            for name in names:
                await turns.enter_async_context(self._turns.take(name))
            yield

    def find(self, message: Message, alert: Alert) -> str | None:
        """Return the thread of an alert; `None` if it is not known."""
        return self.threads.find(message.chat_id, alert, message.home, message.sender.id)

    def sort(self, message: Message, alert: Alert, is_open: Callable[[str], bool]) -> dict[str, Alert]:
        """Return the firing alerts of a message by their threads; by an empty name those that have none.

        Where an open thread has some of them, it gets the new ones, too.
        """
        homes: dict[str, list[Alert]] = {}
        for each in alert.each:
            home = self.find(message, each) if each.state == "firing" else None
            if home or (each.state == "firing" and not self.is_over(message, each)):
                homes.setdefault(home or "", []).append(each)
        joined = next((home for home in homes if home and is_open(home)), None)
        if joined and "" in homes:
            homes[joined] += homes.pop("")
        return {home: alert if len(alerts) == len(alert.each) else combine(alerts) for home, alerts in homes.items()}

    async def end(self, message: Message, alert: Alert) -> bool:
        """Tell the threads of a message's alerts that they are over, or that somebody works on them; an unknown one
        opens nothing."""
        ended = [await self._end(message, each) for each in alert.each if each.state != "firing"]
        return any(ended)

    async def _end(self, message: Message, alert: Alert) -> bool:
        home = self.find(message, alert)
        if home is None:
            if alert.state == "resolved":
                self._ends.append(_End(message.chat_id, alert, message))
            return False
        return await self.threads.report(home, alert, message.message_id)

    def is_over(self, message: Message, alert: Alert) -> bool:
        """Return whether the end of this alert came before this message, though it was written after it."""
        at = message.create_time
        return any(
            end.channel == message.chat_id
            and timedelta() <= end.message.create_time - at <= REMEMBERED_FOR
            and is_same_alert(end.alert, alert)
            for end in self._ends
        )
