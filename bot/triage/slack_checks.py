"""Checks against Slack before a start: accepted tokens, a reachable operator, a private channel of cards.

Each failure is a `Misconfigured` that names the key or the variable.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.decide.information_flow import is_shared_externally
from bot.decide.refusals import CHANNEL, PERSON, refusal_in_words
from bot.errors import Misconfigured, Refused, RetryLater
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.config.settings import Settings
    from bot.ports.outbound import Clock, JsonFile
    from bot.ports.slack import Channels, Chat, SocketAddresses
    from bot.triage.membership import Membership

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


CONNECTIONS_REMEDY = "; generate an app-level token with the scope connections:write (docs/install.md)"


async def retry_until_accepted(
    call: Callable[[], Awaitable[Answer]], name: str, clock: Clock, *, mend: str = ""
) -> Answer:
    """Retry a first call until Slack answers. A refusal raises `Misconfigured` for the variable or key `name`.

    `mend` tells the reader how to fix it.
    """
    wait = 0.1
    while True:
        try:
            return await call()
        except Refused as problem:
            raise Misconfigured(f"{name}: Slack does not accept it ({problem.code}){mend}") from None
        except RetryLater as problem:
            wait = min(30.0, wait * 2)
            (log.warning if wait > 1 else log.info)("%s; again in %.1f s", problem, wait)
            await clock.sleep(max(wait, problem.after if wait > 1 else 0))


@dataclass(frozen=True)
class AcceptedAppToken:
    """First socket address of an app token, requested until Slack answers."""

    addresses: SocketAddresses
    clock: Clock

    async def socket_url(self, app_token: str) -> str:
        """Return a socket address. Raises `Misconfigured` if Slack refuses the token."""
        call = partial(self.addresses.socket_url, app_token)
        return await retry_until_accepted(call, "SLACK_APP_TOKEN", self.clock, mend=CONNECTIONS_REMEDY)


async def queue_is_private(channels: Channels, settings: Settings, access: JsonFile, clock: Clock) -> None:
    """Require that the channel of cards is private, with the bot in it: cards show unapproved drafts.

    A channel in which cards stood before, which `access` knows, is only warned of: cards go to direct messages until
    it is fixed (`triage/access`).
    """
    queue = settings.approval.queue_channel
    if queue is None:
        return
    has_served, where = queue in await access.read(), settings.format_key("approval", "queue_channel")
    name = f"{where}: {queue}"
    try:
        channel = await call_with_retries(clock, partial(channels.channel, queue))
    except Refused as refusal:
        if refusal.code not in CHANNEL or not has_served:
            raise Misconfigured(f"{name}: Slack does not accept it ({refusal.code})") from None
        log.warning("%s: %s; its cards go to direct messages", name, refusal_in_words(refusal))
        return
    problem = wrong_with_queue(channel)
    if problem and not has_served:
        raise Misconfigured(f"{name}: {problem}")
    if problem:
        log.warning("%s: %s; its cards go to direct messages until then", name, problem)


def wrong_with_queue(channel: dict[str, Any]) -> str | None:
    """Return the reason why no card may be posted in this channel, as Slack describes it; else `None`."""
    if not channel.get("is_private"):
        return "expected a private channel: cards show drafts that nobody has approved"
    if channel.get("is_archived"):
        return "it is archived: unarchive it, and /invite Triage there"
    if is_shared_externally(channel):
        return "expected a channel that no other company reads: cards show drafts that nobody has approved"
    return None if channel.get("is_member") else "expected a channel that the bot is in: /invite it there"


async def reachable_operator(
    chat: Chat, members: Membership, operators: Sequence[str], where: str, clock: Clock
) -> str:
    """Return the first operator who takes direct messages and is a member; log a warning for those before them.

    Raises `Misconfigured` if no operator can receive cards, so that nobody would see a question. `where` is the place
    of their key.
    """
    refused = []
    for user in operators:
        try:
            await call_with_retries(clock, partial(chat.open_dm, user))
        except Refused as problem:
            if problem.code not in PERSON:
                raise Misconfigured(f"{where}: {user}: Slack does not accept it ({problem.code})") from None
            refused.append(f"{user}: {refusal_in_words(problem)}")
        else:
            if await call_with_retries(clock, partial(members.is_barred, user)):
                refused.append(f"{user}: no member of this workspace, so they may not decide")
                continue
            for reason in refused:
                log.warning("%s: %s; what they are asked goes to the next operator", where, reason)
            return user
    raise Misconfigured(
        f"{where}: no operator can receive cards, so nobody would see a question; name a member of the workspace "
        f"who is not a bot; `triage doctor` checks each operator\n" + "\n".join(refused)
    )
