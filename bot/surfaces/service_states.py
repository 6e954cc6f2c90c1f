"""States of services without secrets, for people's eyes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.service_state import ServiceState


def redact_state(state: ServiceState, redactor: Redactor) -> ServiceState:
    """Remove secrets from the results of a state; nothing else in it comes from outside."""
    results = tuple(check.evolve(error=redactor.redact(check.error, repeated=True)) for check in state.results)
    return state if results == state.results else state.evolve(results=results)
