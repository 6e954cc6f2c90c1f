"""Slack: its clients, and the listeners through which it reaches a process, over Socket Mode or HTTP."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.listeners import HttpListeners, SocketListeners
from bot.adapters.pace import Pacer
from bot.adapters.slack import SlackChat
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.client import web_client
from bot.adapters.slack.files import SlackFiles
from bot.config.settings_checks import tokens
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.triage.slack_checks import AcceptedAppToken, retry_until_accepted
from bot.wiring.forges import find_webhook_secrets

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.adapters.listeners import Listeners
    from bot.adapters.slack import Identity
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.models.address import ListenAddress
    from bot.ports.outbound import Clock
    from bot.wiring.replica import Leading


IN_PASSING = 0.2
"""Share of a method's rate limit for calls that may be left out."""


@dataclass(frozen=True, kw_only=True)
class SlackConnection:
    """Slack, and its way in. Work that may take its time is `unhurried`; work that tries again later by itself is done
    `at_once` or refused, and what can be left out is done `in_passing` or left out."""

    chat: SlackChat
    unhurried: SlackChat
    at_once: SlackChat
    in_passing: SlackChat
    files: SlackFiles
    channel_administration: SlackChannels
    identity: Identity
    listeners: Listeners
    is_http: bool
    """Whether Slack and forges send requests, not frames of a socket."""
    outbound_filter: OutboundFilter


def _build_listeners(
    settings: Settings,
    client: AsyncWebClient,
    chat: SlackChat,
    *,
    own_user: str,
    secret: str,
    http: ListenAddress | None,
    clock: Clock,
) -> Listeners:
    """Build the listeners: over HTTP, where `secret` is the signing secret, or with no address over Socket Mode,
    where it is the app token."""
    if http is None:
        addresses = AcceptedAppToken(chat, clock)
        return SocketListeners(client=client, app_token=secret, own_user=own_user, addresses=addresses)
    return HttpListeners(
        client=client,
        signing_secret=secret,
        address=http,
        own_user=own_user,
        webhook_secrets=find_webhook_secrets(settings, os.environ),
    )


async def connect_slack(
    settings: Settings,
    environment: Environment,
    clock: Clock,
    redactor: Redactor,
    http: ListenAddress | None,
    leading: Leading | None = None,
) -> SlackConnection:
    """Connect to Slack. Raises `Misconfigured` when it does not accept a token."""
    bot_token, secret = tokens(environment, http=http is not None)
    client = web_client(bot_token, environment.slack_api_url, leading.lease if leading else None)
    pacer = Pacer(clock, scale=settings.slack.pace)
    outbound_filter = OutboundFilter(redactor, ZoneInfo(settings.timezone))
    chat = SlackChat(client, pacer, outbound_filter)
    mend = "; install the app again, and give its token of now: docs/install.md"
    identity = await retry_until_accepted(chat.identity, "SLACK_BOT_TOKEN", clock, mend=mend)
    listeners: Listeners = (
        leading.listeners
        if leading
        else _build_listeners(settings, client, chat, own_user=identity.user_id, secret=secret, http=http, clock=clock)
    )
    return SlackConnection(
        chat=chat,
        unhurried=SlackChat(client, pacer.in_background(), outbound_filter),
        at_once=SlackChat(client, pacer.in_background(waits=False), outbound_filter),
        in_passing=SlackChat(client, pacer.in_background(share=IN_PASSING, waits=False), outbound_filter),
        files=SlackFiles(client, pacer.in_background(), outbound_filter),
        channel_administration=SlackChannels(client, pacer),
        identity=identity,
        listeners=listeners,
        is_http=http is not None,
        outbound_filter=outbound_filter,
    )
