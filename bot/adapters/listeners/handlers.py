"""Handlers of what Slack sends, and their registration with Bolt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slack_bolt.response import BoltResponse

from bot.adapters.listeners.events import is_own
from bot.runtime.acks import PendingAcks
from bot.runtime.draining import Draining

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_bolt.async_app import AsyncAck, AsyncApp
    from slack_bolt.context.async_context import AsyncBoltContext

    from bot.ports.access import AccessCheck
    from bot.ports.payload_handlers import PayloadsPort, ReconnectPort
    from bot.ports.tasks import TaskRootsPort

    Body = dict[str, Any]

_ANY = re.compile(".*", re.DOTALL)


@dataclass(frozen=True)
class Handlers:
    """Handlers of payloads and of the connection."""

    payloads: PayloadsPort
    """Dispatcher: records before the ack; handles after it, or for the ack of a dialog or a command."""
    catch_ups: ReconnectPort
    """Told of each connection, before anything was received through it."""
    access: AccessCheck
    """Told of a refused app token."""
    acks: PendingAcks = field(default_factory=PendingAcks)
    """The outstanding acks."""
    draining: Draining = field(default_factory=Draining)
    tasks: TaskRootsPort | None = None
    """First messages of created tasks; `None` in tests that need none."""


def register(app: AsyncApp, handlers: Handlers, own_user: str) -> None:
    """Register the handlers with a Bolt app of the bot `own_user`."""
    payloads = handlers.payloads

    async def record_first(
        body: Body, context: AsyncBoltContext, next: Callable[[], Awaitable[Any]]
    ) -> BoltResponse | None:
        if is_own(body, own_user, handlers.tasks):
            return BoltResponse(status=200)
        with handlers.acks.track():
            context["received"] = await payloads.record(body)
        await next()
        return None

    async def on_event(context: AsyncBoltContext) -> None:
        await payloads.handle(context["received"])

    async def on_press(ack: AsyncAck, context: AsyncBoltContext) -> None:
        await ack()
        await payloads.handle(context["received"])

    async def on_dialog(ack: AsyncAck, context: AsyncBoltContext) -> None:
        errors = await payloads.handle(context["received"])
        if errors:
            await ack(response_action="errors", errors=errors)
        else:
            await ack()

    async def on_command(ack: AsyncAck, context: AsyncBoltContext) -> None:
        await ack(**await payloads.handle(context["received"]), response_type="ephemeral")

    app.use(record_first)
    app.event(_ANY)(on_event)
    app.action(_ANY)(on_press)
    app.shortcut(_ANY)(on_press)
    app.view_submission(_ANY)(on_dialog)
    app.command(_ANY)(on_command)
