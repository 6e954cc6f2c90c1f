"""Pending confirmations: irreversible commands, and those that a tainted conversation chose.

Saved to disk before the buttons are posted, so that a press after a restart finds them; marked as taken on disk before
execution, so that nothing is done twice. Settled ones are remembered for a day without their input, for late presses.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.models.interaction import Asker
from bot.models.pending_command import Confirmation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bot.models.pending_command import ButtonsPlace
    from bot.ports.outbound import Clock, JsonFile

log = logging.getLogger(__name__)

LIFE = timedelta(minutes=15)
"""Time within which a press executes the command."""

REMEMBERED = timedelta(days=1)
"""Time after expiry within which a press is answered with the outcome."""

MAX_TOTAL, MAX_PER_PERSON = 300, 20
"""Number of confirmations kept, in all and per person; the oldest is dropped first."""


@dataclass(kw_only=True)
class Confirmations:
    """Confirmations by id."""

    file: JsonFile
    clock: Clock
    _by_id: dict[str, Confirmation] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def add(
        self,
        command: str,
        arguments: Mapping[str, Any],
        asker: Asker,
        *,
        preview: str,
        typed_again: str | None,
        buttons: ButtonsPlace | None = None,
    ) -> Confirmation:
        """Add a confirmation; on return it is on disk. Raises `RetryLater`."""
        waiting = Confirmation(
            confirmation_id=self.clock.new_id(),
            command=command,
            given=dict(arguments),
            asker=Asker(**{name: getattr(asker, name) for name in Asker.model_fields}),
            said=preview,
            typed_again=typed_again,
            until=self.clock.now() + LIFE,
            buttons=buttons,
        )
        async with self._turn:
            confirmations = await self._load()
            await self._save(confirmations | {waiting.confirmation_id: waiting}, newest=waiting)
        return waiting

    async def find(self, confirmation_id: str) -> Confirmation | None:
        """Return the confirmation of this id, settled or not; `None` if it is not known any more."""
        async with self._turn:
            return (await self._load()).get(confirmation_id)

    async def find_taken(self, command: str, user: str) -> Confirmation | None:
        """Return this person's newest confirmation of a command that is executed, while its buttons are there."""
        async with self._turn:
            taken = [
                confirmation
                for confirmation in (await self._load()).values()
                if (confirmation.command, confirmation.asker.user_id) == (command, user)
                and confirmation.state == "taken"
                and confirmation.buttons
            ]
            return taken[-1] if taken else None

    async def mark_taken(
        self, confirmation_id: str, interaction_id: str | None = None, *, keeps_input: bool = False
    ) -> Confirmation | None:
        """Mark a confirmation as taken; its caller then executes it. `None` if it is not pending. Raises
        `RetryLater`.

        With `keeps_input` it is under way until `finish`, also for the process that comes after a crash.
        """
        return await self._end(confirmation_id, "taken", taken_by=interaction_id, keeps_input=keeps_input)

    async def finish(self, confirmation_id: str) -> None:
        """Drop the input of a confirmation that was under way. Raises `RetryLater`."""
        async with self._turn:
            confirmations = await self._load()
            if (waiting := confirmations.get(confirmation_id)) and waiting.is_under_way:
                await self._save(confirmations | {confirmation_id: _mark_settled(waiting, "taken")})

    async def find_under_way(self) -> tuple[Confirmation, ...]:
        """Return the confirmations that were begun and have not ended."""
        async with self._turn:
            return tuple(waiting for waiting in (await self._load()).values() if waiting.is_under_way)

    async def cancel(self, confirmation_id: str) -> Confirmation | None:
        """Cancel a confirmation; `None` if it is not pending. Raises `RetryLater`."""
        return await self._end(confirmation_id, "cancelled")

    async def replace(
        self, command: str, user: str, is_same: Callable[[Mapping[str, Any]], bool]
    ) -> tuple[Confirmation, ...]:
        """Mark this person's pending confirmations of the same command and input as replaced. Raises `RetryLater`."""
        async with self._turn:
            confirmations = await self._load()
            waiting = [
                confirmation
                for confirmation in confirmations.values()
                if confirmation.state == "open" and not self.is_expired(confirmation)
            ]
            same = [
                confirmation
                for confirmation in waiting
                if (confirmation.command, confirmation.asker.user_id) == (command, user) and is_same(confirmation.given)
            ]
            if same:
                await self._save(
                    confirmations
                    | {confirmation.confirmation_id: _mark_settled(confirmation, "replaced") for confirmation in same}
                )
            return tuple(same)

    async def find_expired(self) -> tuple[Confirmation, ...]:
        """Return the confirmations whose time is over and that are not marked as expired yet."""
        async with self._turn:
            confirmations = await self._load()
            return tuple(
                confirmation
                for confirmation in confirmations.values()
                if confirmation.state == "open" and self.is_expired(confirmation)
            )

    async def expire(self, over: Iterable[Confirmation]) -> None:
        """Mark confirmations as expired, and drop their input. Raises `RetryLater`."""
        async with self._turn:
            confirmations = await self._load()
            await self._save(
                confirmations
                | {confirmation.confirmation_id: _mark_settled(confirmation, "expired") for confirmation in over}
            )

    async def save_ts(self, confirmation_id: str, ts: str) -> None:
        """Save the `ts` of the buttons' message. Raises `RetryLater`."""
        async with self._turn:
            confirmations = await self._load()
            waiting = confirmations.get(confirmation_id)
            if waiting and waiting.buttons:
                placed = waiting.evolve(buttons=waiting.buttons.evolve(ts=ts))
                await self._save(confirmations | {confirmation_id: placed})

    async def clear_buttons(self, confirmation_id: str) -> None:
        """Record that the buttons were replaced. Raises `RetryLater`."""
        async with self._turn:
            confirmations = await self._load()
            if waiting := confirmations.get(confirmation_id):
                await self._save(confirmations | {confirmation_id: waiting.evolve(buttons=None)})

    async def find_leftover_buttons(self) -> tuple[Confirmation, ...]:
        """Return the confirmations whose time is over and whose buttons may still be shown."""
        async with self._turn:
            confirmations = await self._load()
            return tuple(
                confirmation
                for confirmation in confirmations.values()
                if confirmation.buttons and self.is_expired(confirmation) and not confirmation.is_under_way
            )

    def is_expired(self, waiting: Confirmation) -> bool:
        """Return whether a press comes too late."""
        return self.clock.now() >= waiting.until

    async def _end(
        self, confirmation_id: str, state: str, *, taken_by: str | None = None, keeps_input: bool = False
    ) -> Confirmation | None:
        async with self._turn:
            confirmations = await self._load()
            waiting = confirmations.get(confirmation_id)
            if waiting is None or waiting.state != "open" or self.is_expired(waiting):
                return None
            settled = waiting.evolve(state=state) if keeps_input else _mark_settled(waiting, state)
            await self._save(confirmations | {confirmation_id: settled.evolve(taken_by=taken_by)})
            return waiting

    async def _load(self) -> dict[str, Confirmation]:
        if self._by_id is None:
            self._by_id = {}
            for confirmation_id, record in (await self.file.read()).items():
                try:
                    waiting = Confirmation.model_validate(record)
                except ValidationError as problem:
                    log.warning("a command that waited for a press cannot be read and is forgotten: %s", problem.title)
                else:
                    self._by_id[confirmation_id] = waiting
        return self._by_id

    async def _save(self, confirmations: Mapping[str, Confirmation], *, newest: Confirmation | None = None) -> None:
        """Drop old entries and save the rest; the change counts once it is on disk."""
        now = self.clock.now()
        live = {
            name: waiting if now < waiting.until or waiting.is_under_way else waiting.evolve(given={}, said="")
            for name, waiting in confirmations.items()
            if now < waiting.until + REMEMBERED or waiting.is_under_way
        }
        if newest:
            theirs = [
                name
                for name, waiting in live.items()
                if waiting.asker.user_id == newest.asker.user_id and not waiting.is_under_way
            ]
            for name in theirs[: max(0, len(theirs) - MAX_PER_PERSON)]:
                del live[name]
        dropped = [name for name, waiting in live.items() if not waiting.is_under_way]
        for name in dropped[: max(0, len(live) - MAX_TOTAL)]:
            del live[name]
        await self.file.write({name: waiting.model_dump(mode="json") for name, waiting in live.items()})
        self._by_id = live


def _mark_settled(waiting: Confirmation, state: str) -> Confirmation:
    return waiting.evolve(state=state, given={}, said="")
