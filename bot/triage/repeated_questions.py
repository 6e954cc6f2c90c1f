"""Asked again: a question that was asked before is linked to that thread, and an answer that still holds serves again.

It looks into the replies and the open questions of the same channel, so that nothing said in one channel shows in
another. The newest answer alone counts. It becomes the draft, without any engine, when each of its references stands in
the files as they are now, it is still in its thread, no reader's thumb is down on it, nobody has written below it that
it did not serve, and no operator has sent it back since. A person approves it as they do any draft.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.redaction.redactor import REDACTED
from bot.decide.retrieval.question_similarity import alike
from bot.errors import TriageError
from bot.models.markup import bare
from bot.models.repeated_question import ANSWERED_BEFORE, AskedBefore
from bot.runtime.offload import beside
from bot.tools.trees import pinned
from bot.triage.served_answers import NOTHING, NotAgain, served_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.findings import EngineReport
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.slack import Chat, History

log = logging.getLogger(__name__)

REPLIES_READ = 2_000
"""The newest replies that are looked through."""
WORDS_READ = 10_000
"""The newest words of readers and operators about replies."""
OPEN_READ = 50
"""The newest open questions of the channel that are looked at."""
BOUNCED = "bounced"
"""The `vote` of an operator who sent a reply back that was to serve again; metrics do not count it as a reader's."""


@dataclass(frozen=True, kw_only=True)
class EarlierAnswers:
    """What was found: links for the card, and the answer where one serves again."""

    links: tuple[AskedBefore, ...] = ()
    report: EngineReport | None = None


@dataclass(frozen=True, kw_only=True)
class Again:
    """Looks back so many `days`; 0: never. `open_threads` gives the ids of all threads with work outstanding."""

    replies: Journal
    words: Journal
    """`feedback.ndjson`."""
    store: Store
    chat: Chat
    history: History
    open_threads: Callable[[], Sequence[str]]
    projects: Callable[[], tuple[Project, ...]]
    redactor: Redactor
    clock: Clock
    days: float

    async def look(self, thread: Thread) -> EarlierAnswers:
        """What is known of this question. Another draft of it is always a fresh one, and keeps the links."""
        try:
            if thread.investigator_round > 1:
                await self._keep_bounce(thread)
                return EarlierAnswers(links=thread.asked_before)
            return await self._found(thread) if self.days else EarlierAnswers()
        except TriageError as problem:
            log.warning("thread %s: whether it was asked before is not known: %s", thread.thread_id, problem)
            return EarlierAnswers(links=thread.asked_before)

    async def _found(self, thread: Thread) -> EarlierAnswers:
        question = await beside(self.redactor.redact, thread.search_text)
        if REDACTED in question or thread.unread:  # what stood there may differ
            return EarlierAnswers()
        said = [record for record in await self.replies.tail(REPLIES_READ) if self._concerns(record, thread)]
        record = await asyncio.to_thread(_newest, question, said)
        links = [link] if (link := await self._still_open(thread, question)) else []
        if record is None:
            return EarlierAnswers(links=tuple(links))
        link = _link(record, await self.chat.permalink(channel=thread.chat_id, ts=str(record["posted_message_id"])))
        try:
            if why := await self._objection(thread, record, said):
                raise NotAgain(why)
            report = await self._served(record, thread)
        except NotAgain as why_not:
            return EarlierAnswers(links=(link.evolve(not_again=self.redactor.redact(str(why_not))), *links))
        return EarlierAnswers(links=(link, *links), report=report)

    def _concerns(self, record: dict[str, Any], thread: Thread) -> bool:
        """Return whether a reply was posted here, lately, in another thread and about the same project."""
        other, at = str(record.get("thread_id", "")), _moment(record.get("posted_at"))
        here = record.get("chat_id") == thread.chat_id and other.startswith(f"{thread.team_id}-")
        about, route = str(record.get("project", "")), thread.route
        project = route is None or route.project in (about, about.partition("/")[0])
        late = at is not None and at >= self.clock.now() - timedelta(days=self.days)
        whole = bool(record.get("question") and record.get("posted_message_id"))
        return here and other != thread.thread_id and project and late and whole

    async def _objection(self, thread: Thread, record: dict[str, Any], said: Sequence[dict[str, Any]]) -> str | None:
        """What people have said against it, in one way or another; `None` when nothing."""
        if thread.question_type == "status_check":
            return "how things are now is looked into anew"
        down, back = _spoiled(await self.words.tail(WORDS_READ))
        alike_ones = [each for each in said if each.get("reply_text") == record["reply_text"]]
        same = {str(each.get("draft_id")) for each in alike_ones}
        if same & down:
            return "a reader's thumb is down on it"
        if same & back:
            return "an operator has sent it back since"
        if any([await self._is_denied(each) for each in alike_ones]):
            return "somebody has written below it that it did not serve"
        gone = await self.history.message(channel=thread.chat_id, ts=str(record["posted_message_id"])) is None
        return "it was deleted" if gone else None

    async def _is_denied(self, record: dict[str, Any]) -> bool:
        """Return whether somebody has written below a reply that it did not serve."""
        thread = await self._loaded(str(record.get("thread_id")))
        return thread is not None and any(word.reply == record.get("posted_message_id") for word in thread.denied)

    async def _served(self, record: dict[str, Any], thread: Thread) -> EngineReport:
        """The answer as findings. Raises `NotAgain`."""
        about = str(record.get("project", ""))
        project = next((pinned(project) for project in self.projects() if project.name == about), None)
        if project is None:
            raise NotAgain(f"the project {about} is no longer configured" if about else NOTHING)
        if thread.external and not project.external:
            raise NotAgain(f"people of another company may not see what is answered from {project.belongs_to}")
        return await served_again(record, project, self.redactor)

    async def _still_open(self, thread: Thread, question: str) -> AskedBefore | None:
        """The newest open thread of the channel that asks the same."""
        channel = f"{thread.team_id}-{thread.chat_id}-"
        ids = [one for one in self.open_threads() if one.startswith(channel) and one != thread.thread_id]
        newest = sorted(ids, key=lambda one: float(one.rsplit("-", 1)[1]), reverse=True)[:OPEN_READ]
        loaded = [await self._loaded(thread_id) for thread_id in newest]
        others = [other for other in loaded if other and other.is_open]
        same = await asyncio.to_thread(self._first_alike, question, others)
        if same is None:
            return None
        url = await self.chat.permalink(channel=same.chat_id, ts=same.original_message_id)
        return AskedBefore(thread_id=same.thread_id, url=url)

    def _first_alike(self, question: str, others: Sequence[Thread]) -> Thread | None:
        """The first of these open questions that is the same one; blocking, because it compares with many.

        A text with a secret is another one than `question`, which has none, with the secret and without it. With a file
        that nobody read it may ask anything.
        """
        near = (other for other in others if alike(question, other.search_text) and not other.unread)
        return next((other for other in near if alike(question, self.redactor.redact(other.search_text))), None)

    async def _loaded(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # whoever works on it sets it aside

    async def _keep_bounce(self, thread: Thread) -> None:
        """What an operator sent back when it was to serve again does so no more. Kept twice after some crashes."""
        decision = thread.decision
        if thread.engine != ANSWERED_BEFORE or decision is None or decision.action != "bounce":
            return
        for link in thread.asked_before:
            if link.draft_id and link.not_again is None:
                await self.words.append(_bounced(link, thread, by=decision.by, at=self.clock.now()))


def _newest(question: str, said: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The newest reply to the same question; runs in a thread, because it compares with many."""
    return next(
        (record for record in reversed(said) if alike(question, _asks(record))),
        None,
    )


def _asks(record: dict[str, Any]) -> str:
    """What is compared of a reply's question; records from before this was kept hold ids."""
    return str(record.get("search_text") or bare(str(record["question"])))


def _link(record: dict[str, Any], url: str) -> AskedBefore:
    by = record.get("approved_by")
    return AskedBefore(
        thread_id=str(record["thread_id"]),
        url=url,
        draft_id=str(record.get("draft_id")),
        reply_ts=str(record["posted_message_id"]),
        answered_by=str(by) if by else None,
        answered_at=_moment(record.get("posted_at")),
    )


def _spoiled(words: Iterable[dict[str, Any]]) -> tuple[set[str], set[str]]:
    """The drafts on which somebody's newest thumb is down, and those that were sent back when they served again."""
    newest: dict[tuple[str, str], str] = {}
    back = set()
    for word in words:
        draft, vote = str(word.get("draft_id")), str(word.get("vote"))
        if vote == BOUNCED:
            back.add(draft)
        else:
            newest[draft, str(word.get("by"))] = vote
    return {draft for (draft, _), vote in newest.items() if vote == "down"}, back


def _bounced(link: AskedBefore, thread: Thread, *, by: str, at: datetime) -> dict[str, Any]:
    return {
        "at": at.isoformat(),
        "thread_id": link.thread_id,
        "posted_message_id": link.reply_ts,
        "draft_id": link.draft_id,
        "by": by,
        "vote": BOUNCED,
        "reason": thread.bounced_as,
        "text": "",
    }


def _moment(said: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(said)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else None
