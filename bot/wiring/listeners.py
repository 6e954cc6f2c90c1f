"""The way in from Slack, put together: over a socket or over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.listeners import Handlers, HttpListeners, SocketListeners
from bot.intake.dispatcher import Front
from bot.triage.slack_checks import accepted
from bot.wiring.chat import prompter

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.listeners import Listeners
    from bot.chat.conversations import ChatConversations
    from bot.intake.watcher import Watcher
    from bot.triage.access import Access
    from bot.triage.operators import Operators
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.surfaces import Surfaces


def listeners(
    ground: Infrastructure,
    watcher: Watcher,
    shown: Surfaces,
    operators: Operators,
    access: Access,
    talks: ChatConversations,
    http_port: int | None,
    connected: Callable[[], None],
) -> Listeners:
    """Bolt, with whom each kind of thing that comes in goes to."""
    own = ground.identity.user_id
    front = Front(
        watcher=watcher,
        homes=shown.homes,
        queue=shown.answers,
        prompter=prompter(ground, operators),
        access=access,
        eyes=ground.looking,
        talks=talks,
        card_pressed=shown.pressed,
        confirmation_pressed=shown.confirming.addressed,
        clock=ground.clock,
    )
    handlers = Handlers(
        begin=watcher.begin,
        record=front.record,
        event=front.event,
        press=front.press,
        dialog=watcher.dialog,
        command=watcher.command,
        connected=connected,
        acks=ground.acks,
        app_token_refused=access.app_token_refused,
    )
    if http_port is not None:
        return HttpListeners(
            client=ground.client, signing_secret=ground.way_in, port=http_port, handlers=handlers, own_user=own
        )
    return SocketListeners(
        client=ground.client,
        app_token=ground.way_in,
        handlers=handlers,
        own_user=own,
        socket_url=lambda: accepted(lambda: ground.chat.socket_url(ground.way_in), "SLACK_APP_TOKEN", ground.clock),
    )
