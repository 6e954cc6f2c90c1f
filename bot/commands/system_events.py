"""Events of the supervisor of tiers: `events`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.system_events import describe_event, order_events
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import HoursInput
from bot.commands.registry import command
from bot.commands.state import count
from bot.models.command_data.events import EscalationEventData, EscalationEventsData

if TYPE_CHECKING:
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock, SystemEvents

MAX_EVENTS = 20
MAX_READ = 500


@dataclass(frozen=True, kw_only=True)
class SystemEventCommands:
    """Events of escalations, from the system log."""

    log: SystemEvents
    clock: Clock

    @command(
        "events",
        "lists events of escalations in the last hours (24), critical ones first",
        input=HoursInput,
        role="operator",
        tier="read",
        also=("get_escalation_events",),
        untrusted="people",
        result=EscalationEventsData,
    )
    async def list_newest(self, request: HoursInput, _: Asker) -> CommandAnswer:
        """List the events, critical ones first, then warnings, each the newest first."""
        since = self.clock.now() - timedelta(hours=request.hours)
        events = order_events([event for event in await self.log.newest(MAX_READ) if event.at >= since])
        hours = count(request.hours, "hour")
        critical = sum(event.level == "critical" for event in events)
        which = f", {critical} of them critical" if critical else ""
        rows = [describe_event(event) for event in events[:MAX_EVENTS]]
        rows += [f"… and {len(events) - MAX_EVENTS} more."] if len(events) > MAX_EVENTS else []
        line = f"{count(len(events), 'event')} of escalations in the last {hours}{which}."
        data = EscalationEventsData(
            hours=request.hours,
            critical=critical,
            events=tuple(EscalationEventData(**dict(event)) for event in events[:MAX_EVENTS]),
            omitted=max(0, len(events) - MAX_EVENTS),
        )
        line = line if events else f"No event of an escalation in the last {hours}."
        return CommandAnswer(line=line, rows=tuple(rows), data=data)
