"""Notices of losses: each admin gets one message for each loss, across restarts; it is updated when the loss ends.

Recipients are saved before and after the post (`Loss.told`): a post with an unknown result is searched for in the
direct message before it is repeated.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import moment, section
from bot.decide.refusals import PERSON
from bot.errors import Refused, TriageError
from bot.models.loss import PENDING, UNREACHABLE
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from bot.models.loss import Loss
    from bot.ports.access import Members
    from bot.ports.slack import Chat

    Save = Callable[[Loss], Awaitable[None]]

log = logging.getLogger(__name__)

REACHABLE_TEXT = "Slack delivers messages to you again, so Triage may assign questions to you as before."
_SLACKS_CLOCK = timedelta(hours=1)
"""Margin for a difference between Slack's clock and this machine's."""


@dataclass(frozen=True, kw_only=True)
class AdminNotices:
    """Sender of notices to all `admins`, or to the first reachable of the `others` if no admin is reachable.

    Users who are no members are told nothing.
    """

    chat: Chat
    members: Members
    admins: Sequence[str]
    others: Sequence[str]

    def is_told(self, loss: Loss) -> bool:
        """Return whether all recipients were told, or none can be."""
        admins = [loss.told.get(user, PENDING) for user in self._drop_subject(loss, self.admins)]
        if PENDING in admins:
            return False
        others = [loss.told.get(user, PENDING) for user in self._drop_subject(loss, self.others)]
        return any(_split_place(place) for place in (*admins, *others)) or all(place == UNREACHABLE for place in others)

    async def tell(self, loss: Loss, words: str, save: Save) -> Loss:
        """Tell the recipients who were not told yet; return the loss with all who were told. Raises `RetryLater`.

        `save` writes a loss to disk.
        """
        for user in self._drop_subject(loss, self.admins):
            loss = await self._tell_one(user, loss, words, save)
        for user in self._drop_subject(loss, self.others):
            if any(_split_place(place) for place in loss.told.values()):
                break
            loss = await self._tell_one(user, loss, words, save)
        return loss

    async def greet(self, user: str) -> bool:
        """Tell a user that they can get questions again; return whether Slack delivered it."""
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": f"again-{user}"}}
        try:
            channel = await self.chat.open_dm(user)
            await self.chat.post(
                channel=channel, text=REACHABLE_TEXT, blocks=[section(REACHABLE_TEXT)], metadata=metadata
            )
        except Refused:
            return False
        return True

    async def note_end(self, loss: Loss, words: str, at: datetime) -> None:
        """Update the notices of a loss that is over."""
        await self.change(loss, f"*Over* since {moment(at)}: {words}")

    async def change(self, loss: Loss, text: str) -> None:
        """Update the notices with another text; one that cannot be updated stays as it is."""
        for place in filter(None, map(_split_place, loss.told.values())):
            try:
                await self.chat.update(
                    channel=place[0], ts=place[1], text=text, blocks=[section(text)], metadata=_metadata(loss)
                )
            except TriageError as problem:
                log.info("a notice stays as it is: %s", problem)

    async def _tell_one(self, user: str, loss: Loss, words: str, save: Save) -> Loss:
        status = loss.told.get(user)
        if status:
            return loss
        try:
            is_barred = await self.members.is_barred(user)
            is_begun = status == PENDING
            place = UNREACHABLE if is_barred else await self._post(user, loss, words, save, is_begun=is_begun)
            if is_barred:
                log.warning("%s is told nothing: they are not a member of this workspace", user)
        except Refused as problem:
            if problem.code not in PERSON:
                raise
            log.warning("%s cannot be told: %s", user, problem)
            place = UNREACHABLE
        now = loss.evolve(told={**loss.told, user: place})
        await save(now)
        return now

    async def _post(self, user: str, loss: Loss, words: str, save: Save, *, is_begun: bool) -> str:
        """Post the notice unless it is there already; return its channel and ts."""
        channel = await self.chat.open_dm(user)
        ts = await self._find_notice(channel, loss) if is_begun else None
        if ts is None:
            await save(loss.evolve(told={**loss.told, user: PENDING}))
            ts = await self.chat.post(channel=channel, text=words, blocks=[section(words)], metadata=_metadata(loss))
        return f"{channel} {ts}"

    async def _find_notice(self, channel: str, loss: Loss) -> str | None:
        oldest = f"{(loss.at - _SLACKS_CLOCK).timestamp():.6f}"
        return await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=NOTICE, nonce=loss.nonce)

    def _drop_subject(self, loss: Loss, people: Sequence[str]) -> list[str]:
        return [user for user in people if user != loss.subject]


def _metadata(loss: Loss) -> dict[str, Any]:
    return {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": loss.nonce}}


def _split_place(place: str) -> tuple[str, str] | None:
    channel, _, ts = place.partition(" ")
    return (channel, ts) if ts else None
