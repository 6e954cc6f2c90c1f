"""Hints: other questions of the same project, given to the agents of one (`investigator.hints`, on by default).

Hints pass only between public channels of one workspace and one project. A run looks each channel up once; a lookup
that fails or takes too long permits nothing.
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
from bot.models.conversation_record import is_direct
from bot.models.hint import Hint, HintSource, summary

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence

    from bot.models.hint import Visibility
    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Store
    from bot.ports.slack import Channels, History
    from bot.triage.open_threads import OpenThreads

log = logging.getLogger(__name__)

MAX_OPEN = 10
"""Maximum of open questions in one run's hints, the newest ones."""
MOST_CITED = 3
MOST_REPLIES = 3
"""Maximum of answered questions in one run's hints, the newest ones whose reply has not been deleted."""
REPLIES_READ = 300
"""Newest replies that are searched."""
PATIENCE = 3.0
"""Timeout in seconds for one run's lookups, so that hints do not delay a draft."""

Reply = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ChannelLook:
    """Lookups of one run: visibility of channels and existence of replies, each cached; `None` means unknown."""

    channels: Channels
    history: History
    patience: float = PATIENCE
    _readers: dict[str, Visibility | None] = field(default_factory=dict)
    _standing: dict[tuple[str, str], bool] = field(default_factory=dict)

    async def look_up(self, chat_ids: Iterable[str]) -> None:
        """Look up the channels that are not cached, in parallel."""
        missing = [chat_id for chat_id in dict.fromkeys(chat_ids) if chat_id not in self._readers]
        self._readers.update(dict.fromkeys(missing))
        await self._in_time(self._ask(chat_id) for chat_id in missing)

    def label(self, thread: Thread) -> HintSource | None:
        """Return the source label of a thread's channel, `None` if unknown."""
        readers = self._readers.get(thread.chat_id)
        return HintSource(team_id=thread.team_id, chat_id=thread.chat_id, visibility=readers) if readers else None

    async def still_there(self, replies: Sequence[Reply]) -> list[Reply]:
        """Return those of the replies that were not deleted."""
        places = {_message_key(reply): reply for reply in replies}
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
            self._readers[chat_id] = "direct"  # known by its id; a lookup would need another scope
            return
        try:
            self._readers[chat_id] = visibility(await self.channels.channel(chat_id))
        except TriageError as problem:
            log.warning("who reads %s is not known, so no hint is given: %s", chat_id, problem)

    async def _find(self, chat_id: str, ts: str) -> None:
        try:
            self._standing[chat_id, ts] = await self.history.message(channel=chat_id, ts=ts) is not None
        except TriageError as problem:
            log.warning("it is unknown whether the reply %s still exists in %s: %s", ts, chat_id, problem)


@dataclass(frozen=True, kw_only=True)
class Hints:
    """Finder of hints."""

    store: Store
    channels: Channels
    recent: Channels
    """Channel lookup with a short cache, for runs."""
    history: History
    replies: Journal
    open_threads: OpenThreads

    def look(self) -> ChannelLook:
        """Create the lookups of one run."""
        return ChannelLook(channels=self.recent, history=self.history)

    async def list_for(self, thread: Thread, project: str | None, look: ChannelLook) -> tuple[Hint, ...]:
        """Return the hints of `project` that this thread's agents may see now, newest question first.

        None if the project is unknown.
        """
        await look.look_up([thread.chat_id])
        here = look.label(thread)
        if project is None or here is None or here.visibility != "public":
            return ()
        posted = await self._newest_replies(thread, project)
        ids = {key for key in self.open_threads.ids() if key.startswith(f"{thread.team_id}-")} - {thread.thread_id}
        answered = await self._find_permitted(
            posted.keys() - ids - {thread.thread_id}, project, here, look, limit=MOST_REPLIES
        )
        matches = answered + await self._find_permitted(ids, project, here, look, limit=MAX_OPEN)
        replies = [posted[candidate.thread_id] for candidate in matches if candidate.thread_id in posted][:MOST_REPLIES]
        summaries = {
            str(reply["thread_id"]): summary(str(reply["reply_text"])) for reply in await look.still_there(replies)
        }
        newest = sorted(matches, key=lambda candidate: float(candidate.root_ts), reverse=True)
        hints = (_hint(other, summaries.get(other.thread_id, "")) for other in newest)
        return tuple(hint for hint in hints if hint)

    async def seen_by(self, thread: Thread, look: ChannelLook) -> Visibility | None:
        """Return the visibility of the thread's channel, which is saved with its findings."""
        await look.look_up([thread.chat_id])
        label = look.label(thread)
        return label.visibility if label else None

    async def list_withdrawn(self, thread: Thread) -> tuple[str, ...]:
        """Return the threads whose hints this thread's agents saw but may no longer see."""
        if not thread.hinted:
            return ()
        look = ChannelLook(channels=self.channels, history=self.history)
        others = [other for thread_id in thread.hinted if (other := await self._load_or_none(thread_id))]
        await look.look_up([thread.chat_id, *(other.chat_id for other in others)])
        here = look.label(thread)
        return tuple(other.thread_id for other in others if not (here and _may_show(other, here, look)))

    async def _find_permitted(
        self, ids: Iterable[str], project: str, here: HintSource, look: ChannelLook, *, limit: int
    ) -> list[Thread]:
        """Return the newest of these threads whose hints are permitted."""
        newest = sorted(ids, key=lambda thread_id: float(thread_id.rsplit("-", 1)[1]), reverse=True)
        permitted: list[Thread] = []
        while newest and len(permitted) < limit:
            batch, newest = await self._next_threads(newest, project, limit - len(permitted))
            await look.look_up(other.chat_id for other in batch)
            permitted += [other for other in batch if _may_show(other, here, look)]
        return permitted

    async def _next_threads(self, ids: list[str], project: str, limit: int) -> tuple[list[Thread], list[str]]:
        """Return the next `limit` threads that their documents permit, and the remaining ids."""
        batch: list[Thread] = []
        for number, thread_id in enumerate(ids):
            if len(batch) == limit:
                return batch, ids[number:]
            other = await self._load_or_none(thread_id)
            if other and other.visibility == "public" and _is_of(other.project, project) and other.investigator_return:
                batch.append(other)
        return batch, []

    async def _newest_replies(self, thread: Thread, project: str) -> dict[str, Reply]:
        """Return the newest reply of each thread of the project."""
        try:
            records = await self.replies.tail(REPLIES_READ)
        except TriageError as problem:
            log.warning("posted replies cannot be read for hints: %s", problem)
            return {}
        whole = ("thread_id", "chat_id", "posted_message_id", "reply_text")
        mine = [record for record in records if _is_of(record.get("project"), project) and all(map(record.get, whole))]
        return {
            str(record["thread_id"]): record
            for record in mine
            if str(record["thread_id"]).startswith(f"{thread.team_id}-")
        }

    async def _load_or_none(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # its own queue will set the file aside


def _is_of(about: object, project: str) -> bool:
    """Return whether a thread's project is this one, or one of its roots."""
    return str(about or "").partition("/")[0] == project


def _message_key(reply: Reply) -> tuple[str, str]:
    return str(reply["chat_id"]), str(reply["posted_message_id"])


def _may_show(other: Thread, here: HintSource, look: ChannelLook) -> bool:
    now = look.label(other)
    if now is None or other.visibility is None:
        return False
    return still_may_flow(now.evolve(visibility=other.visibility), now, here)


def _hint(thread: Thread, replied: str) -> Hint | None:
    """Build the hint of a thread with findings, from fields with a closed format and the posted reply."""
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
