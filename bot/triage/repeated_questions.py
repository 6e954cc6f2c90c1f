"""Repeated questions: link a question to an earlier one, and reuse its answer if that still holds.

Only replies and open questions of the same channel are searched, so that nothing passes between channels. Only the
newest answer counts. It becomes the draft, without an engine, if all of these hold: each reference is unchanged in the
current files, the reply still exists, it has no thumb down, nobody has replied that it did not help, and no operator
has bounced it since. An operator approves it like any draft.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.redaction.redactor import REDACTED
from bot.decide.retrieval.question_similarity import is_similar
from bot.errors import TriageError
from bot.models.recorded_time import parse_time
from bot.models.repeated_question import ANSWERED_BEFORE, AskedBefore
from bot.runtime.offload import run_offloaded
from bot.tools.trees import pin_tree
from bot.triage.served_answers import NOTHING, NotReusable, reuse_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.findings import EngineReport
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.slack import Chat, History
    from bot.triage.open_threads import OpenThreads
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

REPLIES_READ = 2_000
"""Newest replies that are searched."""
WORDS_READ = 10_000
"""Newest feedback records that are searched."""
OPEN_READ = 50
"""Newest open questions of the channel that are compared."""
BOUNCED = "bounced"
"""`vote` of an operator who bounced a reused answer; metrics do not count it as a reader's."""


@dataclass(frozen=True, kw_only=True)
class EarlierAnswers:
    """Result of the search: links for the card, and the report of an answer that is reused."""

    links: tuple[AskedBefore, ...] = ()
    report: EngineReport | None = None


@dataclass(frozen=True, kw_only=True)
class RepeatedQuestions:
    """Search for repeated questions in the last `days`; 0: off."""

    replies: Journal
    words: Journal
    """`feedback.ndjson`."""
    store: Store
    chat: Chat
    history: History
    open_threads: OpenThreads
    projects: Projects
    redactor: Redactor
    clock: Clock
    days: float

    async def look(self, thread: Thread) -> EarlierAnswers:
        """Search for earlier answers to this question. A redraft never reuses one, and keeps the links."""
        try:
            if thread.investigator_round > 1:
                await self._keep_bounce(thread)
                return EarlierAnswers(links=thread.asked_before)
            return await self._find_answers(thread) if self.days else EarlierAnswers()
        except TriageError as problem:
            log.warning("thread %s: whether it was asked before is not known: %s", thread.thread_id, problem)
            return EarlierAnswers(links=thread.asked_before)

    async def _find_answers(self, thread: Thread) -> EarlierAnswers:
        question = await run_offloaded(self.redactor.redact, thread.search_text)
        if REDACTED in question or thread.unread:  # the hidden parts may differ
            return EarlierAnswers()
        records = [record for record in await self.replies.tail(REPLIES_READ) if self._concerns(record, thread)]
        record = await asyncio.to_thread(_newest_reply, question, records)
        links = [link] if (link := await self._still_open(thread, question)) else []
        if record is None:
            return EarlierAnswers(links=tuple(links))
        link = _link(record, await self.chat.permalink(channel=thread.chat_id, ts=str(record["posted_message_id"])))
        try:
            if why := await self._objection(thread, record, records):
                raise NotReusable(why)
            report = await self._reuse_answer(record, thread)
        except NotReusable as why_not:
            return EarlierAnswers(links=(link.evolve(not_again=self.redactor.redact(str(why_not))), *links))
        return EarlierAnswers(links=(link, *links), report=report)

    def _concerns(self, record: dict[str, Any], thread: Thread) -> bool:
        """Return whether a reply is recent, of this channel, another thread and the same project, and a person approved
        it."""
        other, at = str(record.get("thread_id", "")), parse_time(record.get("posted_at"))
        here = record.get("chat_id") == thread.chat_id and other.startswith(f"{thread.team_id}-")
        about, route = str(record.get("project", "")), thread.route
        project = route is None or route.project in (about, about.partition("/")[0])
        is_recent = at is not None and at >= self.clock.now() - timedelta(days=self.days)
        whole = bool(record.get("search_text") and record.get("posted_message_id")) and not record.get("is_automatic")
        return here and other != thread.thread_id and project and is_recent and whole

    async def _objection(self, thread: Thread, record: dict[str, Any], records: Sequence[dict[str, Any]]) -> str | None:
        """Return why people's feedback or the reply's state prevents its reuse, `None` if nothing does."""
        if thread.question_type == "status_check":
            return "a question about the current state is always investigated again"
        down, back = _find_rejected(await self.words.tail(WORDS_READ))
        alike_ones = [each for each in records if each.get("reply_text") == record["reply_text"]]
        same = {str(each.get("draft_id")) for each in alike_ones}
        if same & down:
            return "a reader's thumb is down on it"
        if same & back:
            return "an operator has bounced it since"
        if any([await self._is_denied(each) for each in alike_ones]):
            return "somebody has replied that it did not help"
        is_deleted = await self.history.message(channel=thread.chat_id, ts=str(record["posted_message_id"])) is None
        return "it was deleted" if is_deleted else None

    async def _is_denied(self, record: dict[str, Any]) -> bool:
        """Return whether somebody has replied that it did not help."""
        thread = await self._load_or_none(str(record.get("thread_id")))
        return thread is not None and any(word.reply == record.get("posted_message_id") for word in thread.denied)

    async def _reuse_answer(self, record: dict[str, Any], thread: Thread) -> EngineReport:
        """Build the report that reuses the answer. Raises `NotReusable`."""
        about = str(record.get("project", ""))
        project = next((pin_tree(project) for project in self.projects.list_all() if project.name == about), None)
        if project is None:
            raise NotReusable(f"the project {about} is no longer configured" if about else NOTHING)
        if thread.external and not project.external:
            raise NotReusable(f"people of another company may not see what is answered from {project.belongs_to}")
        return await reuse_answer(record, project, self.redactor)

    async def _still_open(self, thread: Thread, question: str) -> AskedBefore | None:
        """Return a link to the newest open thread of the channel with the same question, if any."""
        channel = f"{thread.team_id}-{thread.chat_id}-"
        ids = [
            other_id
            for other_id in self.open_threads.ids()
            if other_id.startswith(channel) and other_id != thread.thread_id
        ]
        newest = sorted(ids, key=lambda other_id: float(other_id.rsplit("-", 1)[1]), reverse=True)[:OPEN_READ]
        loaded = [await self._load_or_none(thread_id) for thread_id in newest]
        others = [other for other in loaded if other and other.is_open]
        same = await asyncio.to_thread(self._first_alike, question, others)
        if same is None:
            return None
        url = await self.chat.permalink(channel=same.chat_id, ts=same.original_message_id)
        return AskedBefore(thread_id=same.thread_id, url=url)

    def _first_alike(self, question: str, others: Sequence[Thread]) -> Thread | None:
        """Return the first open thread with the same question; blocking, since it compares with many.

        A question with secrets or unread files never counts as the same: the hidden part may differ.
        """
        near = (other for other in others if is_similar(question, other.search_text) and not other.unread)
        return next((other for other in near if is_similar(question, self.redactor.redact(other.search_text))), None)

    async def _load_or_none(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # its own queue will set the file aside

    async def _keep_bounce(self, thread: Thread) -> None:
        """Record the bounce of a reused answer, so that it is not reused again. A crash may record it twice."""
        decision = thread.decision
        if thread.engine != ANSWERED_BEFORE or decision is None or decision.action != "bounce":
            return
        for link in thread.asked_before:
            if link.draft_id and link.not_again is None:
                await self.words.append(_build_bounce(link, thread, by=decision.by, at=self.clock.now()))


def _newest_reply(question: str, records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the newest reply to the same question; blocking, since it compares with many."""
    return next(
        (record for record in reversed(records) if is_similar(question, str(record["search_text"]))),
        None,
    )


def _link(record: dict[str, Any], url: str) -> AskedBefore:
    by = record.get("approved_by")
    return AskedBefore(
        thread_id=str(record["thread_id"]),
        url=url,
        draft_id=str(record.get("draft_id")),
        reply_ts=str(record["posted_message_id"]),
        answered_by=str(by) if by else None,
        answered_at=parse_time(record.get("posted_at")),
    )


def _find_rejected(words: Iterable[dict[str, Any]]) -> tuple[set[str], set[str]]:
    """Return the drafts with a thumb down as somebody's newest vote, and those bounced after reuse."""
    newest: dict[tuple[str, str], str] = {}
    back = set()
    for word in words:
        draft, vote = str(word.get("draft_id")), str(word.get("vote"))
        if vote == BOUNCED:
            back.add(draft)
        else:
            newest[draft, str(word.get("by"))] = vote
    return {draft for (draft, _), vote in newest.items() if vote == "down"}, back


def _build_bounce(link: AskedBefore, thread: Thread, *, by: str, at: datetime) -> dict[str, Any]:
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
