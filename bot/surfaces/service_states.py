"""States of services as people see them: those that are not healthy first, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.services import order_services
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.decide.redaction.redactor import Redactor
    from bot.models.service_state import ServiceState


async def order_visible(states: Iterable[ServiceState], redactor: Redactor, limit: int) -> list[ServiceState]:
    """Order states for a list that shows the first `limit` of them, which are redacted."""
    ordered = order_services(states)
    shown = [await run_offloaded(redact_state, state, redactor) for state in ordered[:limit]]
    return [*shown, *ordered[limit:]]


def redact_state(state: ServiceState, redactor: Redactor) -> ServiceState:
    """Remove secrets from the reasons in a state; nothing else in it comes from outside."""
    results = tuple(check.evolve(error=redactor.redact(check.error, repeated=True)) for check in state.results)
    unchecked = tuple(redactor.redact(reason, repeated=True) for reason in state.unchecked)
    is_same = (results, unchecked) == (state.results, state.unchecked)
    return state if is_same else state.evolve(results=results, unchecked=unchecked)
