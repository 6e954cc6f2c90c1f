"""Construction of the way in from Slack: the dispatcher, and the listeners over a socket or over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.listeners import Handlers, HttpListeners, SocketListeners
from bot.intake.dispatcher import Dispatcher
from bot.triage.slack_checks import accepted
from bot.wiring.chat import prompter

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.listeners import Listeners
    from bot.chat.conversations import ChatConversations
    from bot.commands.entry import CommandDesk
    from bot.intake.watcher import Watcher
    from bot.ports.inbound import ReactionsPort
    from bot.triage.access import Access
    from bot.triage.operators import Operators
    from bot.wiring.approval import PressHandlers
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.surfaces import Surfaces


def build_dispatcher(
    ground: Infrastructure,
    watcher: Watcher,
    presses: PressHandlers,
    mutes: ReactionsPort,
    commands: CommandDesk,
    shown: Surfaces,
    operators: Operators,
    access: Access,
    talks: ChatConversations,
) -> Dispatcher:
    """Build the dispatcher: a handler for each type of payload."""
    return Dispatcher(
        watcher=watcher,
        reactions=(mutes, presses.corrections, presses.marks),
        commands=commands,
        cards=presses.cards,
        show_card=presses.show_card,
        card_views=shown,
        feedback=presses.feedback,
        corrections=presses.corrections,
        confirmations=commands.confirming,
        homes=shown.homes,
        queue=shown.answers,
        prompts=prompter(ground, operators),
        pages=ground.looking,
        conversations=talks,
        access=access,
        audit=ground.audit,
        clock=ground.clock,
    )


def listeners(
    ground: Infrastructure,
    dispatcher: Dispatcher,
    access: Access,
    http_port: int | None,
    connected: Callable[[], None],
) -> Listeners:
    """Build the listeners that hand payloads to the dispatcher."""
    own = ground.identity.user_id
    handlers = Handlers(
        payloads=dispatcher, connected=connected, acks=ground.acks, app_token_refused=access.app_token_refused
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
