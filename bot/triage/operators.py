"""Operators: users who may decide on a thread and get its card.

A watched chat may name its own, by user or user group; otherwise the settings' `operators` count. A project's operators
may also decide on answers from it. Guests and people of other teams never may. Groups are read at the start, hourly,
and again at a press. Users who have left get no questions, since nobody would see the card.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import Misconfigured, Refused, TriageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Groups
    from bot.triage.membership import Membership

log = logging.getLogger(__name__)

READ_AGAIN = timedelta(minutes=10)
"""Maximum age of a group's members when a press depends on them."""

MAX_CHECKED = 100
"""Maximum of people whose membership is checked at the start and hourly."""

NOT_NAMED = "Only an operator of this channel can decide this. Nothing was changed."
NOT_OF_US = "Only members of this workspace can decide, not guests or external people. Nothing was changed."
UNKNOWN = "Slack could not confirm who you are. Nothing was changed; please press again in a moment."


@dataclass(kw_only=True)
class Operators:
    """Operators by chat and project. Ids are of users (`U…`, `W…`), outside `everywhere` also of user groups (`S…`)."""

    everywhere: tuple[str, ...]
    chats: Mapping[str, tuple[str, ...]]
    projects: Mapping[str, tuple[str, ...]]
    groups: Groups
    members: Membership
    clock: Clock
    admins: frozenset[str] = frozenset()
    asker_may: bool = True
    """True if operators may approve answers to their own questions."""
    _groups: dict[str, tuple[datetime, tuple[str, ...]]] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _departed: frozenset[str] = frozenset()
    """Named users who are no longer members; they get no questions."""
    unreachable: frozenset[str] = frozenset()
    """Users to whom Slack delivers no card (`triage/losses`); they get no questions either."""

    async def begin(self, *, needed: int) -> None:
        """Read the groups. Raises `Misconfigured` for a channel where fewer people than `needed` could ever approve."""
        await self.refresh()
        if self._departed:
            barred = ", ".join(sorted(self._departed))
            log.warning("operators: %s may not decide, whatever the settings say; `triage doctor` says why", barred)
        answering = {name for names in self.projects.values() for name in names}
        for chat_id in self.chats:
            named = {*self._of_chat(chat_id), *answering}
            is_open = any(_is_group(name) and name not in self._groups and name not in self._refused for name in named)
            if len(self._users(tuple(named))) < needed and not is_open:
                people = "two different people" if needed > 1 else "somebody"
                why = f"expected {people} who could approve; a user group is empty, or Slack does not know it"
                raise Misconfigured(f"watched_chats: {chat_id}: operators: {why}")

    async def refresh(self) -> None:
        """Read the groups and check who is still a member; what cannot be read stays as it was."""
        named = {
            *self.everywhere,
            *(name for names in (*self.chats.values(), *self.projects.values()) for name in names),
        }
        for group in sorted(filter(_is_group, named)):
            await self._read(group)
        self._departed = frozenset(
            [user for user in sorted(self.everyone())[:MAX_CHECKED] if not await self._is_here(user)]
        )

    @property
    def departed(self) -> frozenset[str]:
        """Return the named users who are no longer members, as far as checked."""
        return self._departed

    async def look_at(self, user: str) -> None:
        """Check a user's membership again, without the cache. Raises `RetryLater`."""
        self.members.forget(user)
        self._departed = self._departed - {user} if await self.members.is_member(user) else self._departed | {user}

    async def is_back(self, user: str) -> bool:
        """Return whether a user is a member again, without the cache; if so they get questions again. Raises
        `RetryLater`.

        True for users whom the settings no longer name.
        """
        if user in self.everyone() and not await self.members.is_member(user, refresh=True):
            return False
        self._departed -= {user}
        return True

    async def _is_here(self, user: str) -> bool:
        """Return whether a user is still a member; the last known answer if Slack gives none."""
        try:
            return await self.members.is_member(user)
        except TriageError:
            return user not in self._departed

    async def refusal(
        self, user: str, team_id: str, thread: Thread, *, replayed: bool = False, refresh: bool = False
    ) -> str | None:
        """Return why this user may not decide on this thread, `None` if they may. `refresh` bypasses the caches.

        A `replayed` press counts even if Slack cannot confirm the user.
        """
        if thread.team_id != self.members.team_id or not self.members.may_come_from(team_id):
            return NOT_OF_US
        if unread := await self._read_refusal(user, thread, refresh=refresh):
            return unread
        try:
            return None if await self.members.is_member(user, refresh=refresh) else NOT_OF_US
        except TriageError:
            return None if replayed else UNKNOWN

    def operators_of(self, thread: Thread) -> tuple[str, ...]:
        """Return the ids of all users who may decide on a thread, in the order of the settings.

        Guests and users who have left are left out, as far as known.
        """
        return self._present_users((*self._of_chat(thread.chat_id), *self.projects.get(thread.project or "", ())))

    def seconds(self, thread: Thread, first: str) -> tuple[str, ...]:
        """Return the users who may give the second approval after `first`, the card's operator first."""
        barred = (first,) if self.asker_may else (first, thread.original_sender_id)
        others = [user for user in self.operators_of(thread) if user not in barred]
        return tuple(sorted(others, key=lambda user: user != thread.operator))

    def other_operators(self, thread: Thread) -> tuple[str, ...]:
        """Return the users to whom the question may be handed: all who may approve it, except its operator."""
        first = thread.approved_first.by if thread.approved_first else ""
        return tuple(user for user in self.seconds(thread, first) if user != thread.operator)

    def first_operator(self, chat_id: str, asker: str) -> str:
        """Return the operator who gets the card of a question; not its asker if they may not approve it themselves."""
        named = (*self._of_chat(chat_id), *self.everywhere)
        ordered = (*self._present_users(named), *self._users(named))
        others = () if self.asker_may else (user for user in ordered if user != asker)
        return next(iter((*others, *ordered)), "")

    def everyone(self) -> frozenset[str]:
        """Return all users who may decide somewhere."""
        named = (self.everywhere, *self.chats.values(), *self.projects.values())
        return frozenset(user for names in named for user in self._users(names))

    def staff(self) -> frozenset[str]:
        """Return all operators and admins."""
        return self.everyone() | self.admins

    async def task_refusal(self, asker: Asker, thread: Thread) -> str | None:
        """Return the refusal of a person who changes a task; admins, whom the commands' handler checks, always may."""
        return None if asker.user_id in self.admins else await self.refusal(asker.user_id, asker.team_id, thread)

    def may_delegate(self, thread: Thread) -> bool:
        """Return whether the question may be handed to somebody else."""
        return bool(self.other_operators(thread))

    def lacks_second(self, thread: Thread) -> bool:
        """Return whether one of two has approved, and nobody may be the second."""
        first = thread.approved_first
        return first is not None and not self.seconds(thread, first.by)

    def _of_chat(self, chat_id: str) -> tuple[str, ...]:
        return self.chats.get(chat_id) or self.everywhere

    def _users(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the users and the members of the groups, each once."""
        listed = (self._groups.get(name, (None, ()))[1] if _is_group(name) else (name,) for name in names)
        return tuple(dict.fromkeys(user for users in listed for user in users))

    def _present_users(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(user for user in self._users(names) if user not in self._departed | self.unreachable)

    async def _read_refusal(self, user: str, thread: Thread, *, refresh: bool) -> str | None:
        """Return why a user is not an operator, `None` if they are; groups are read if the answer depends on them."""
        named = (*self._of_chat(thread.chat_id), *self.projects.get(thread.project or "", ()))
        if user in named:
            return None
        groups = [name for name in named if _is_group(name)]
        for group in groups:
            at, _ = self._groups.get(group, (None, ()))
            if refresh or at is None or not timedelta() <= self.clock.now() - at < READ_AGAIN:
                await self._read(group)
        if user in self._users(named):
            return None
        if unread := [group for group in groups if group not in self._groups]:
            return (
                f"The user group {unread[0]} cannot be read, so Triage cannot tell whether you are in it. "
                "Nothing was changed; the log says why."
            )
        return NOT_NAMED

    async def _read(self, group: str) -> None:
        try:
            self._groups[group] = (self.clock.now(), await self.groups.group_members(group))
            self._refused.discard(group)
        except TriageError as problem:
            if isinstance(problem, Refused):
                self._refused.add(group)
            consequence = (
                "its last known members may still decide" if group in self._groups else "its members may not decide"
            )
            log.warning("operators: the user group %s cannot be read (%s); %s", group, problem, consequence)


def _is_group(name: str) -> bool:
    return name.startswith("S")
