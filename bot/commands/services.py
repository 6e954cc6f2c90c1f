"""Services whose health is checked: `services`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.service_list import list_services
from blocks.services import LEGEND, describe_service, summarise
from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import OfServices
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.commands.registry import command
from bot.decide.redaction.redactor import Redactor
from bot.models.command_data.services import CheckData, ServiceData, ServicesData
from bot.surfaces.service_states import order_visible

if TYPE_CHECKING:
    from bot.models.interaction import Asker
    from bot.models.service_state import ServiceState
    from bot.ports.health import ServiceHealth
    from bot.ports.outbound import Clock

LONGEST_LIST = 3_000
"""Characters of a list in Slack."""
NONE_SET_UP = "No service is checked: `health.services` of the settings names those to check, see docs/health.md."


@dataclass(frozen=True, kw_only=True)
class ServiceCommands:
    """States of services. `url` is the workspace's address."""

    health: ServiceHealth
    clock: Clock
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "services",
        "shows the health of services, with the last day",
        input=OfServices,
        role="operator",
        tier="read",
        also=("get_services",),
        untrusted="code",
        result=ServicesData,
    )
    async def show(self, request: OfServices, asker: Asker) -> CommandAnswer:
        """Show the services, those that are not healthy first and always; a single one with all its checks."""
        states = self.health.list_states()
        if not states:
            return CommandAnswer(line=NONE_SET_UP, data=ServicesData(services=()))
        named = _choose(states, request.name) if request.name else states
        chosen = await order_visible(named, self.redactor, len(named))
        now, limit = self.clock.now(), None if asker.via == "cli" else LONGEST_LIST
        rows = (
            (describe_service(chosen[0], now, url=self.url, detail="all"),)
            if len(chosen) == 1
            else list_services(chosen, now, url=self.url, limit=limit)
        )
        data = ServicesData(services=tuple(map(_build_service, chosen)))
        return CommandAnswer(line=f"{summarise(chosen)} {LEGEND}", rows=rows, data=data)


def _build_service(state: ServiceState) -> ServiceData:
    return ServiceData(
        name=state.service,
        group=state.group,
        status=state.status,
        since=state.since,
        checked_at=state.checked_at,
        checks=tuple(
            CheckData(
                type=each.check_type, status=each.status, error=each.error, response_time_ms=each.response_time_ms
            )
            for each in state.results
        ),
        unchecked=state.unchecked,
        thread_id=state.thread_id,
    )


def _choose(states: tuple[ServiceState, ...], name: str) -> list[ServiceState]:
    """Return the service of this name, or the services of this group. Raises `NotDone` without any."""
    word = name.lower()
    named = [state for state in states if state.service.lower() == word]
    if chosen := named or [state for state in states if state.group.lower() == word]:
        return chosen
    nearest = suggest_sentence(name, {each for state in states for each in (state.service, state.group)})
    raise NotDone(f"There is no service or group `{escape(clip(name, LONGEST_WORD))}`.{nearest}")
