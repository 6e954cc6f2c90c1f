"""Hints of other questions of the same project for the agents of one, on unless the settings turn them off
(`investigator.hints`).

Nothing passes but between public channels of one workspace and one project. One run asks Slack of each channel once;
what cannot be asked, or not in time, permits nothing.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.agents.evidence import cited_lines
from bot.decide.information_flow import still_may_flow, visibility
from bot.errors import TriageError
from bot.models.hint import Hint, HintSource, summary
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.models.hint import Visibility
    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Store
    from bot.ports.slack import Channels, History

log = logging.getLogger(__name__)

MOST = 10
"""Open questions that one run is told of, the newest ones."""
MOST_CITED = 3
MOST_REPLIES = 3
"""Answered questions that one run is told of, the newest ones; the reply of each is looked for first, since it
may have been deleted."""
REPLIES_READ = 300
"""The newest replies that are looked through."""
PATIENCE = 3.0
"""Seconds that one run waits for Slack: a draft is not held up by what only helps it."""

Reply = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ChannelLook:
    """What one run has asked Slack: who reads each channel, and which replies stand; each once, `None` is not known."""

    channels: Channels
    history: History
    patience: float = PATIENCE
    _readers: dict[str, Visibility | None] = field(default_factory=dict)
    _standing: dict[tuple[str, str], bool] = field(default_factory=dict)

    async def at(self, chat_ids: Iterable[str]) -> None:
        """Ask of these channels, all at once, those that were not asked of yet."""
        missing = [one for one in dict.fromkeys(chat_ids) if one not in self._readers]
        self._readers.update(dict.fromkeys(missing))
        await self._in_time(self._ask(one) for one in missing)

    def label(self, thread: Thread) -> HintSource | None:
        """Who reads a thread's channel, as far as that was asked."""
        seen = self._readers.get(thread.chat_id)
        return HintSource(team_id=thread.team_id, chat_id=thread.chat_id, visibility=seen) if seen else None

    async def still_there(self, replies: Sequence[Reply]) -> list[Reply]:
        """Those of these posted replies that nobody has deleted."""
        places = {_place(reply): reply for reply in replies}
        missing = [place for place in places if place not in self._standing]
        self._standing.update(dict.fromkeys(missing, False))
        await self._in_time(self._find(*place) for place in missing)
        return [reply for place, reply in places.items() if self._standing[place]]

    async def _in_time(self, calls: Iterable[Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await asyncio.gather(*calls)
        except TimeoutError:
            log.warning("Slack did not say in %.0f s who reads some channels: no hint of them is given", self.patience)

    async def _ask(self, chat_id: str) -> None:
        if is_direct(chat_id):
            self._readers[chat_id] = "direct"  # by its name: to ask Slack takes a scope that nothing else needs
            return
        try:
            self._readers[chat_id] = visibility(await self.channels.channel(chat_id))
        except TriageError as problem:
            log.warning("who reads %s is not known, so no hint is given: %s", chat_id, problem)

    async def _find(self, chat_id: str, ts: str) -> None:
        try:
            self._standing[chat_id, ts] = await self.history.message(channel=chat_id, ts=ts) is not None
        except TriageError as problem:
            log.warning("whether the reply %s stands in %s is not known: %s", ts, chat_id, problem)


@dataclass(frozen=True, kw_only=True)
class Hints:
    """Finds what may be told. `open_threads` gives the ids of all threads with work outstanding."""

    store: Store
    channels: Channels
    recent: Channels
    """The same for a run, which may be told what was so a moment ago."""
    history: History
    replies: Journal
    open_threads: Callable[[], Sequence[str]]

    def look(self) -> ChannelLook:
        """Begin the look of one run."""
        return ChannelLook(channels=self.recent, history=self.history)

    async def of(self, thread: Thread, project: str | None, look: ChannelLook) -> tuple[Hint, ...]:
        """The hints of `project` that this thread's agents may see now, the newest question first.

        A question whose project is not known gets none.
        """
        await look.at([thread.chat_id])
        here = look.label(thread)
        if project is None or here is None or here.visibility != "public":
            return ()
        posted = await self._posted(thread, project)
        ids = {key for key in self.open_threads() if key.startswith(f"{thread.team_id}-")} - {thread.thread_id}
        answered = await self._found(posted.keys() - ids - {thread.thread_id}, project, here, look, most=MOST_REPLIES)
        found = answered + await self._found(ids, project, here, look, most=MOST)
        shown = [posted[one.thread_id] for one in found if one.thread_id in posted][:MOST_REPLIES]
        said = {str(reply["thread_id"]): summary(str(reply["reply_text"])) for reply in await look.still_there(shown)}
        newest = sorted(found, key=lambda one: float(one.root_ts), reverse=True)
        hints = (_hint(other, said.get(other.thread_id, "")) for other in newest)
        return tuple(hint for hint in hints if hint)

    async def seen_by(self, thread: Thread, look: ChannelLook) -> Visibility | None:
        """Who reads the thread's channel; kept with its findings, so that a later reader knows."""
        await look.at([thread.chat_id])
        label = look.label(thread)
        return label.visibility if label else None

    async def withdrawn(self, thread: Thread) -> tuple[str, ...]:
        """The threads whose hints this thread's agents saw and may see no longer."""
        if not thread.hinted:
            return ()
        look = ChannelLook(channels=self.channels, history=self.history)
        others = [other for one in thread.hinted if (other := await self._loaded(one))]
        await look.at([thread.chat_id, *(other.chat_id for other in others)])
        here = look.label(thread)
        return tuple(other.thread_id for other in others if not (here and _permits(other, here, look)))

    async def _found(
        self, ids: Iterable[str], project: str, here: HintSource, look: ChannelLook, *, most: int
    ) -> list[Thread]:
        """The newest of these threads that may be told of."""
        newest = sorted(ids, key=lambda one: float(one.rsplit("-", 1)[1]), reverse=True)
        found: list[Thread] = []
        while newest and len(found) < most:
            batch, newest = await self._next(newest, project, most - len(found))
            await look.at(other.chat_id for other in batch)
            found += [other for other in batch if _permits(other, here, look)]
        return found

    async def _next(self, ids: list[str], project: str, most: int) -> tuple[list[Thread], list[str]]:
        """The next `most` threads that may be told of as far as their documents say, and the ids behind them."""
        batch: list[Thread] = []
        for number, thread_id in enumerate(ids):
            if len(batch) == most:
                return batch, ids[number:]
            other = await self._loaded(thread_id)
            if other and other.visibility == "public" and _is_of(other.project, project) and other.investigator_return:
                batch.append(other)
        return batch, []

    async def _posted(self, thread: Thread, project: str) -> dict[str, Reply]:
        """The newest reply of each thread of the project that has one."""
        try:
            records = await self.replies.tail(REPLIES_READ)
        except TriageError as problem:
            log.warning("posted replies are not known to hints: %s", problem)
            return {}
        whole = ("thread_id", "chat_id", "posted_message_id", "reply_text")
        mine = [one for one in records if _is_of(one.get("project"), project) and all(map(one.get, whole))]
        return {str(one["thread_id"]): one for one in mine if str(one["thread_id"]).startswith(f"{thread.team_id}-")}

    async def _loaded(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # whoever works on it sets it aside


def _is_of(about: object, project: str) -> bool:
    """Return whether a thread's project is this one, or a root of it."""
    return str(about or "").partition("/")[0] == project


def _place(reply: Reply) -> tuple[str, str]:
    return str(reply["chat_id"]), str(reply["posted_message_id"])


def _permits(other: Thread, here: HintSource, look: ChannelLook) -> bool:
    now = look.label(other)
    if now is None or other.visibility is None:
        return False
    return still_may_flow(now.evolve(visibility=other.visibility), now, here)


def _hint(thread: Thread, replied: str) -> Hint | None:
    """The closed fields of a thread that has findings, and what was posted in it."""
    findings = thread.investigator_return
    if findings is None or thread.project is None or (not thread.is_open and not replied):
        return None
    standing = [cited_lines(check.ref) for check in thread.evidence_checks if check.result == "ok"]
    paths = list(dict.fromkeys(place[0] for place in standing if place))
    fields = {
        "thread_id": thread.thread_id,
        "question_type": thread.question_type,
        "status": thread.status if thread.is_open else "answered",
        "project": thread.project,
        "confidence": findings.confidence,
        "replied": replied,
    }
    try:
        return Hint.model_validate({**fields, "cites": tuple(paths[:MOST_CITED])})
    except ValidationError:  # a path with other characters in it
        return Hint.model_validate({**fields, "cites": ()})
