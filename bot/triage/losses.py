"""Losses: current losses of access as found by `triage/access`, saved in `access.json` until they end.

Shown by `status`, App Home, cards, `health.json` and `triage doctor`.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from bot.decide.losses import in_plain_words, in_words, is_told_by_change, on_card, over_in_words
from bot.models.loss import PENDING, UNHEARD_LOSSES, UNNAMED, Loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.ports.outbound import Clock, JsonFile
    from bot.triage.admin_notices import AdminNotices
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)


class LossObserver(Protocol):
    """Observer of losses."""

    async def note_change(self, loss: Loss) -> None:
        """Handle a loss, or its end."""


@dataclass(kw_only=True, repr=False)
class Losses:
    """Store of current losses.

    `channels` are those in the settings, with their name there, if any, and those that commands created; `keys` maps a
    channel or a person to the settings that name them.
    """

    file: JsonFile
    clock: Clock
    notices: AdminNotices
    operators: Operators
    channels: dict[str, str]
    keys: Mapping[str, Sequence[str]]
    card_channel: str = ""
    """Queue channel with cards, which only its members may read."""
    channel_names: dict[str, str] = field(default_factory=dict)
    """Names of the watched channels, shared with others and updated on renames."""
    unreachable: set[str] = field(default_factory=set)
    """Channels from which no events come."""
    observers: list[LossObserver] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """Last known name of each channel."""
    stop_reason: str = ""
    """Reason why the process ends."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at every change of the losses."""
    _losses: dict[str, Loss] = field(default_factory=dict)
    """Losses by subject."""

    async def load(self) -> None:
        """Load the saved losses, before any question is assigned."""
        saved = await self.file.read()
        try:
            losses = [Loss.model_validate(each["loss"]) for each in saved.values() if each.get("loss")]
            self.names = {subject: each["name"] for subject, each in saved.items() if each.get("name")}
        except (TypeError, AttributeError, ValidationError) as problem:
            log.warning("losses are checked again: %s", problem)
            return
        named = {*self.channels, *self.operators.everyone()}
        self._losses = {loss.subject: loss for loss in losses if _may_last(loss, named)}
        self._update_views()

    def loss_of(self, subject: str) -> Loss | None:
        """Return the loss of a channel, a person or a scope, if any."""
        return self._losses.get(subject)

    def is_lost(self, subject: str) -> bool:
        """Return whether anything of a channel, a person or a scope is lost."""
        return subject in self._losses

    def card_line(self, channel: str) -> str:
        """Return the line of cards on why nothing can be posted in a channel, as mrkdwn; empty where it can."""
        loss = self._losses.get(channel)
        return on_card(loss) if loss else ""

    def may_react(self) -> bool:
        """Return whether the token may put reactions."""
        return not self.is_lost("reactions:write")

    def lines(self) -> tuple[str, ...]:
        """Return every loss with its remedy, as mrkdwn."""
        return tuple(map(self._format_words, self._losses.values()))

    def of_kind(self, kind: str) -> list[Loss]:
        """Return all losses of one kind."""
        return [loss for loss in self._losses.values() if loss.kind == kind]

    @property
    def lost_channels(self) -> list[str]:
        """Return the channels with a loss."""
        return [subject for subject in self._losses if subject in self.channels]

    @property
    def problems(self) -> tuple[str, ...]:
        """Return the same as plain text, after the reason why the process ends."""
        return (*([self.stop_reason] if self.stop_reason else []), *map(self._format_plain, self._losses.values()))

    async def add(self, loss: Loss) -> None:
        """Record a loss in place of an earlier one of the same subject; on return it is saved and shown."""
        before = self._losses.get(loss.subject)
        is_changed = before is not None and is_told_by_change(before, loss)
        if before and is_changed:
            loss = loss.evolve(told={user: place for user, place in before.told.items() if place != PENDING})
        await self._note(loss.subject, loss)
        log.warning("%s", self._format_plain(loss))
        if is_changed:
            await self.notices.change(loss, self._format_words(loss))
        elif before:
            await self._say_over(before)
        await self.announce(loss)

    async def remove(self, loss: Loss) -> None:
        """Record the end of a loss."""
        await self._note(loss.subject, None)
        log.warning("it is over: %s", self._format_plain(loss))
        await self._say_over(loss)
        await self.announce(loss)

    @property
    def unannounced(self) -> list[Loss]:
        """Return the losses with recipients who were not told yet."""
        return [loss for loss in self._losses.values() if not self.notices.is_told(loss)]

    async def tell(self, loss: Loss) -> None:
        """Tell the recipients of a loss who were not told yet."""
        await self.notices.tell(loss, self._format_words(loss), lambda now: self._note(now.subject, now))

    async def note_name(self, channel: str, name: str) -> None:
        """Note the name that Slack shows for a channel."""
        self.names[channel] = name
        self._update_views()
        await self.save()

    async def save(self) -> None:
        """Save losses and names."""
        content: dict[str, dict[str, Any]] = {channel: {"name": name} for channel, name in self.names.items()}
        for subject, loss in self._losses.items():
            content.setdefault(subject, {})["loss"] = loss.model_dump(mode="json")
        await self.file.write(content)

    async def _note(self, subject: str, loss: Loss | None) -> None:
        if loss:
            self._losses[subject] = loss
        else:
            self._losses.pop(subject, None)
        self._update_views()
        await self.save()
        self.news.set()

    async def announce(self, loss: Loss) -> None:
        """Tell the observers of a loss, or of its end."""
        for observer in self.observers:
            await observer.note_change(loss)

    async def _say_over(self, loss: Loss) -> None:
        at = self.clock.now()
        await self.notices.note_end(loss, over_in_words(self._format_words(loss)), at)

    def _update_views(self) -> None:
        """Update operators and channel names from the losses."""
        self.unreachable.clear()
        self.unreachable.update(subject for subject, loss in self._losses.items() if loss.kind in UNHEARD_LOSSES)
        for channel in self.channel_names.keys() & self.channels.keys():
            loss, name = self._losses.get(channel), self.channels[channel] or self.names.get(channel, "")
            if name and (loss is None or loss.kind == "renamed"):
                self.channel_names[channel] = loss.name if loss else name
        self.operators.unreachable = frozenset(loss.subject for loss in self.of_kind("person"))

    def _format_words(self, loss: Loss) -> str:
        left = sorted(self.operators.everyone() - self.operators.departed - self.operators.unreachable)
        return in_words(loss, self.keys.get(loss.subject, ()), left)

    def _format_plain(self, loss: Loss) -> str:
        named = {channel: name for channel, name in self.channels.items() if name}
        return in_plain_words(self._format_words(loss), {**named, **self.names})


def _may_last(loss: Loss, named: set[str]) -> bool:
    """Return whether a saved loss may still apply; `named` are the subjects in the settings."""
    return loss.subject in named or (loss.kind == "scope" and loss.subject != UNNAMED)
