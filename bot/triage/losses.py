"""The losses that are known, kept in `access.json`: what `triage/access` found, in words, until it is over.

Shown by `status`, the App Home, cards, `health.json` and `triage doctor`.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.decide.losses import in_plain_words, in_words, is_told_by_change, over_in_words
from bot.models.loss import AWAY, BEGUN, UNNAMED, Loss

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.ports.outbound import Clock, Kept
    from bot.triage.admin_notices import AdminNotices
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Losses:
    """`channels` are those that the settings name, with the name they have there, or none; `keys` says by which keys
    a channel or a person is named. `changed` brings what is shown up to a loss, or to the end of one."""

    kept: Kept
    clock: Clock
    notices: AdminNotices
    operators: Operators
    channels: Mapping[str, str]
    keys: Mapping[str, Sequence[str]]
    changed: Callable[[Loss], Awaitable[None]]
    card_channel: str = ""
    """The one of the channels in which cards stand, so that no others than its members may read it."""
    channel_names: dict[str, str] = field(default_factory=dict)
    """What people call the watched channels, here and elsewhere: brought up to renames."""
    away: set[str] = field(default_factory=set)
    """Those in which nothing is heard, for whoever tells where one may ask."""
    names: dict[str, str] = field(default_factory=dict)
    """What each channel was called when it was seen last."""
    ended: str = ""
    """What ended the bot."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at every change of what is lost, until somebody clears it."""
    _known: dict[str, Loss] = field(default_factory=dict)
    """By subject."""

    async def load(self) -> None:
        """Go on from what was kept; before anybody is given a question."""
        said = await self.kept.read()
        try:
            known = [Loss.model_validate(each["loss"]) for each in said.values() if each.get("loss")]
            self.names = {subject: each["name"] for subject, each in said.items() if each.get("name")}
        except (TypeError, AttributeError, ValidationError) as problem:
            log.warning("what was lost is looked for anew: %s", problem)
            return
        named = {*self.channels, *self.operators.everyone()}
        self._known = {loss.subject: loss for loss in known if _may_last(loss, named)}
        self._settle()

    def of(self, subject: str) -> Loss | None:
        """What is lost of a channel, a person or a scope."""
        return self._known.get(subject)

    def of_kind(self, kind: str) -> list[Loss]:
        """All losses of one kind."""
        return [loss for loss in self._known.values() if loss.kind == kind]

    @property
    def lost_channels(self) -> list[str]:
        """The channels of which something is lost."""
        return [subject for subject in self._known if subject in self.channels]

    @property
    def lines(self) -> tuple[str, ...]:
        """Every loss with what to do about it, as mrkdwn."""
        return tuple(map(self._words, self._known.values()))

    @property
    def problems(self) -> tuple[str, ...]:
        """The same in plain words, with what ended the bot."""
        return (*([self.ended] if self.ended else []), *map(self._plain, self._known.values()))

    async def found(self, loss: Loss) -> None:
        """Note a loss, in the place of what was lost of the same before; on return it is on disk and shown."""
        before = self._known.get(loss.subject)
        is_changed = before is not None and is_told_by_change(before, loss)
        if before and is_changed:
            loss = loss.evolve(told={user: said for user, said in before.told.items() if said != BEGUN})
        await self._note(loss.subject, loss)
        log.warning("%s", self._plain(loss))
        if is_changed:
            await self.notices.change(loss, self._words(loss))
        elif before:
            await self._say_over(before)
        await self.changed(loss)

    async def over(self, loss: Loss) -> None:
        """Note the end of one."""
        await self._note(loss.subject, None)
        log.warning("it is over: %s", self._plain(loss))
        await self._say_over(loss)
        await self.changed(loss)

    @property
    def untold(self) -> list[Loss]:
        """The losses that somebody is still to be told of."""
        return [loss for loss in self._known.values() if not self.notices.is_told(loss)]

    async def tell(self, loss: Loss) -> None:
        """Tell those of it who were not told yet."""
        await self.notices.tell(loss, self._words(loss), lambda now: self._note(now.subject, now))

    async def save(self) -> None:
        """Keep what is known."""
        kept: dict[str, dict[str, Any]] = {channel: {"name": name} for channel, name in self.names.items()}
        for subject, loss in self._known.items():
            kept.setdefault(subject, {})["loss"] = loss.model_dump(mode="json")
        await self.kept.write(kept)

    async def _note(self, subject: str, loss: Loss | None) -> None:
        if loss:
            self._known[subject] = loss
        else:
            self._known.pop(subject, None)
        self._settle()
        await self.save()
        self.news.set()

    async def _say_over(self, loss: Loss) -> None:
        at = self.clock.now()
        await self.notices.over(loss, over_in_words(self._words(loss)), at)

    def _settle(self) -> None:
        """Bring the operators and the names up to what is lost."""
        self.away.clear()
        self.away.update(subject for subject, loss in self._known.items() if loss.kind in AWAY)
        for channel in self.channel_names.keys() & {name for name, given in self.channels.items() if given}:
            loss = self._known.get(channel)
            if loss is None or loss.kind == "renamed":
                self.channel_names[channel] = loss.name if loss else self.channels[channel]
        self.operators.unreachable = frozenset(loss.subject for loss in self.of_kind("person"))

    def _words(self, loss: Loss) -> str:
        left = sorted(self.operators.everyone() - self.operators.gone - self.operators.unreachable)
        return in_words(loss, self.keys.get(loss.subject, ()), left)

    def _plain(self, loss: Loss) -> str:
        named = {channel: name for channel, name in self.channels.items() if name}
        return in_plain_words(self._words(loss), {**named, **self.names})


def _may_last(loss: Loss, named: set[str]) -> bool:
    """Return whether a loss of an earlier process may be one still; `named` is what the settings name."""
    return loss.subject in named or (loss.kind == "scope" and loss.subject != UNNAMED)
