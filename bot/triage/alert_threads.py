"""Threads of alerts, as intake sees them: lookup by identity, and news about an alert (`AlertThreadsPort`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.thread_event import AlertAcknowledged, AlertResolved

if TYPE_CHECKING:
    from bot.models.alert import Alert
    from bot.ports.outbound import Clock
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class AlertThreads:
    """Threads of alerts on the orchestrator."""

    orchestrator: Orchestrator
    clock: Clock

    def find(self, channel: str, alert: Alert, home: str, sender_id: str) -> str | None:
        """Return the thread of this alert; `None` if none is open, and none ended within the last hour."""
        return self.orchestrator.open_threads.alerts.find(channel, alert, home, sender_id, self.clock.now())

    async def report(self, thread_id: str, alert: Alert, message_id: str) -> bool:
        """Tell a thread that its alert is resolved or acknowledged; return whether that changed anything."""
        at, fresh = self.clock.now(), self.clock.new_id()
        if alert.state == "resolved":
            event: AlertResolved | AlertAcknowledged = AlertResolved(
                at=at, fresh=fresh, message_id=message_id, alert=alert
            )
        else:
            event = AlertAcknowledged(at=at, fresh=fresh, message_id=message_id)
        return (await self.orchestrator.submit(thread_id, event)).accepted
