"""Access: checks which channels, people and scopes the bot can reach, after an event or a refused call hints at a
change.

Hints only trigger a check; Slack's current description of the channel, person or token counts, so that late or
duplicate events do no harm. A loss is recorded (`triage/losses`), each admin is told once, and it ends when the bot has
access again. A revoked token ends the process.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from bot.decide.information_flow import is_shared_externally
from bot.decide.losses import hint_of, is_same, lost_of
from bot.decide.refusals import CHANNEL, TOKEN
from bot.errors import Misconfigured, Refused, TriageError
from bot.models.loss import UNHEARD_LOSSES, UNNAMED, AppRemoved, ChannelChanged, Loss, PersonChanged
from bot.runtime.retry import sleep_unless

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from datetime import datetime

    from bot.ports.slack import SlackAccess
    from bot.runtime.stop_request import StopRequest
    from bot.surfaces.channel_clearing import ChannelClearing
    from bot.triage.losses import Losses
    from bot.triage.lost_people import LostPeople
    from bot.triage.lost_questions import LostQuestions

log = logging.getLogger(__name__)

ALL_LOOKED_AT = timedelta(hours=1)
"""Interval between checks of everything; lost access is checked every minute."""
EVERY = 60.0
FIRST_WAIT = 2.0
"""Seconds until the first retry when Slack does not answer; doubled each time, up to a minute."""
FOLDED = 0.3
"""Seconds from a hint to its check, so that events of one change are handled together."""
LOOKED_AGAIN = timedelta(seconds=10)
"""Time for which the check of a channel is reused before a card is shown there."""
ASKED_AGAIN = 1.0
"""Seconds between two checks of a token in doubt."""

REVOKED = (
    "Slack does not accept it any more ({code}): the app was uninstalled, or the token revoked. Install the app again "
    "(api.slack.com/apps, Install App), put the new token into the environment, and start Triage again"
)


class Gaps(Protocol):
    """Catch-up of channels that the bot was not in."""

    def note_lost(self, channel: str) -> None:
        """Note that no events come from the channel from now on."""

    def schedule_back(self, channels: Iterable[str]) -> None:
        """Read the channels in which messages may have been missed."""


@dataclass(kw_only=True, repr=False)
class Access:
    """Checker of access, in one task and before a card is posted in a channel. `stop` ends the process."""

    slack: SlackAccess
    losses: Losses
    people: LostPeople
    clearing: ChannelClearing
    bot_user_id: str
    gaps: Gaps
    stop: StopRequest
    questions: LostQuestions
    _hints: dict[str, str] = field(default_factory=dict)
    """Channels to check, with the change that events hinted at."""
    _scopes: dict[str, str] = field(default_factory=dict)
    """Missing scopes, with the method that needed each."""
    _is_token_in_doubt: bool = False
    _looked_at: datetime | None = None
    """Time of the last check of everything."""
    _cut: set[str] = field(default_factory=set)
    """Channels whose Slack Connect sharing may have ended."""
    _checked_at: dict[str, datetime] = field(default_factory=dict)
    """Time of the last check, by channel."""
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def handle_change(self, change: ChannelChanged | PersonChanged | AppRemoved) -> None:
        """Schedule a check for an event that may mean a loss or its end."""
        if isinstance(change, AppRemoved):
            self._is_token_in_doubt |= not change.user_ids or self.bot_user_id in change.user_ids
        elif isinstance(change, PersonChanged):
            if not self.people.note_change(change.user_id):
                return
        elif change.chat_id in self.losses.channels and change.user_id in ("", self.bot_user_id):
            self._hint(change.chat_id, change.change)
            if change.change == "unshared":
                self._cut.add(change.chat_id)
            if change.change in UNHEARD_LOSSES:
                self.gaps.note_lost(change.chat_id)
        else:
            return
        self._news.set()

    def note_refusal(self, channel: str, problem: Refused) -> None:
        """Schedule a check for a refused call; `channel` is empty if it was about none."""
        if problem.code in TOKEN:
            self._is_token_in_doubt = True
        elif problem.code == "missing_scope":
            self._scopes[problem.needed or UNNAMED] = str(problem).partition(":")[0]
        elif problem.code in CHANNEL and channel in self.losses.channels and self.losses.loss_of(channel) is None:
            self._hint(channel, "")
        else:
            return
        self._news.set()

    def unreachable(self, user: str, code: str) -> None:
        """Note that Slack permanently refused an operator's card."""
        self.people.note_refusal(user, code)
        self._news.set()

    def app_token_refused(self, code: str) -> None:
        """End the process because Slack refuses the app token."""
        self._stop("SLACK_APP_TOKEN", code)

    async def look(self, channel: str) -> None:
        """Check a channel now, unless that was done a moment ago."""
        checked_at = self._checked_at.get(channel)
        if checked_at and timedelta() <= self.losses.clock.now() - checked_at < LOOKED_AGAIN:
            return
        await self._look_at_channel(channel)
        self._news.set()

    async def run(self) -> None:
        """Check everything, then what events hint at, until cancelled."""
        wait = FIRST_WAIT
        while not self.losses.stop_reason:
            self._news.clear()
            is_done = await self._turn()
            wait = FIRST_WAIT if is_done else min(EVERY, 2 * wait)
            await sleep_unless(self.losses.clock, EVERY if is_done else wait / 2, unless=self._news)
            if self._hints:
                await self.losses.clock.sleep(FOLDED)

    async def _turn(self) -> bool:
        """Run the checks that are due and report losses; return whether nothing is left to do."""
        now = self.losses.clock.now()
        is_all_due = self._looked_at is None or not timedelta() <= now - self._looked_at < ALL_LOOKED_AT
        for channel in self.losses.channels if is_all_due else self.losses.lost_channels:
            self._hint(channel, "")
        looks = [self._look_at_token, *(self._look_of(channel) for channel in self._hints)]
        done = [await self._run_check(look) for look in (*looks, self._look_at_scopes, self.people.look)]
        if is_all_due and all(done):
            if self._looked_at:  # at the start catch-up reads all channels anyway
                self.gaps.schedule_back(self._reached)
            self._looked_at = now
        done += [await self._run_check(self._telling_of(loss)) for loss in self.losses.unannounced]
        return all([*done, await self._run_check(self._clear)])

    async def _run_check(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Run one check; return whether it succeeded. Errors are logged, so that the others still run."""
        try:
            await work()
        except TriageError as problem:
            if isinstance(problem, Refused) and problem.code == "missing_scope":
                return True  # recorded as a loss itself
            log.warning("what Slack lets Triage reach is not known: %s", problem)
            return False
        except Exception:  # it must not end the bot
            log.exception("checking the channels, people and scopes that Triage reaches failed")
            return False
        return True

    def _hint(self, channel: str, change: str) -> None:
        self._hints[channel] = hint_of(self._hints.get(channel, ""), change)

    async def _look_at_token(self) -> None:
        """End the process if Slack refuses the token twice."""
        while self._is_token_in_doubt:
            codes = [await self._token_refused()]
            if codes[0]:
                await self.losses.clock.sleep(ASKED_AGAIN)
                codes.append(await self._token_refused())
            self._is_token_in_doubt = False
            if all(codes):
                self._stop("SLACK_BOT_TOKEN", codes[-1])

    async def _token_refused(self) -> str:
        """Return Slack's error code for the bot token, empty if it is valid."""
        try:
            await self.slack.identity()
        except Refused as problem:
            return problem.code if problem.code in TOKEN else ""
        return ""

    @property
    def _reached(self) -> list[str]:
        """Return the channels that the bot is in, as far as known."""
        losses_by_channel = {channel: self.losses.loss_of(channel) for channel in self.losses.channels}
        return [
            channel for channel, loss in losses_by_channel.items() if loss is None or loss.kind not in UNHEARD_LOSSES
        ]

    def _stop(self, variable: str, code: str) -> None:
        self.losses.stop_reason = f"{variable}: {REVOKED.format(code=code)}"
        self.stop.stop_for(Misconfigured(self.losses.stop_reason))

    def _look_of(self, channel: str) -> Callable[[], Awaitable[None]]:
        return lambda: self._look_at_channel(channel)

    def _telling_of(self, loss: Loss) -> Callable[[], Awaitable[None]]:
        return lambda: self.losses.tell(loss)

    async def _clear(self) -> None:
        """Delete the next cards from a queue channel that others can read now, until none is left."""
        channel = self.losses.card_channel
        loss = self.losses.loss_of(channel)
        if loss is None or loss.kind not in ("shared", "public"):
            self.clearing.forget(channel)
        elif not await self.clearing.step(channel):
            self._news.set()

    async def _look_at_channel(self, channel: str) -> None:
        async with self._looking:
            if channel in self.losses.channels:
                await self._inspect_channel(channel)
            else:  # no longer watched
                self._hints.pop(channel, None)

    async def _inspect_channel(self, channel: str) -> None:
        hint, before, named = self._hints.get(channel, ""), self.losses.loss_of(channel), self.losses.channels[channel]
        description = await self._describe_channel(channel)
        if self._hints.get(channel) == hint:
            del self._hints[channel]
        self._checked_at[channel] = self.losses.clock.now()
        if channel in self._cut:
            self._cut.discard(channel)
            if not is_shared_externally(description or {}):
                await self.questions.readers_gone(channel)
        previous_name = self.losses.names.get(channel, "")
        has_cards = channel == self.losses.card_channel
        kind = lost_of(description, hint=hint, named=named, last_name=previous_name, before=before, has_cards=has_cards)
        name = str((description or {}).get("name") or previous_name or named)
        if kind in (None, "renamed") and name != previous_name:
            await self.losses.note_name(channel, name)
        if kind in UNHEARD_LOSSES:
            self.gaps.note_lost(channel)
        elif hint or before:
            self.gaps.schedule_back([channel])
        after = Loss(kind=kind, subject=channel, at=self.losses.clock.now(), name=name) if kind else None
        if is_same(before, after):
            return
        if after:
            await self.losses.add(after)
        elif before:
            await self.losses.remove(before)

    async def _describe_channel(self, channel: str) -> dict[str, Any] | None:
        """Return Slack's description of the channel, `None` if Slack does not show it."""
        try:
            return await self.slack.channel(channel)
        except Refused as problem:
            if problem.code in CHANNEL:
                return None
            self._hints.pop(channel, None)  # a retry would give the same
            raise

    async def _look_at_scopes(self) -> None:
        for scope, method in [*self._scopes.items()]:
            if self.losses.loss_of(scope) is None:
                await self.losses.add(Loss(kind="scope", subject=scope, at=self.losses.clock.now(), code=method))
            self._scopes.pop(scope, None)
        lost = self.losses.of_kind("scope")
        granted = await self.slack.scopes() if lost else None
        for loss in lost:
            if granted and granted.intersection(loss.subject.split(",")):
                await self.losses.remove(loss)
                self.gaps.schedule_back(self._reached)
