"""The asker's own questions: `mine`. The answer gives each one's state and never the draft's content."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from blocks.asker import describe_assignment
from blocks.queue import question_link
from blocks.text import clip, escape, moment, name_channel
from bot.commands.command import CommandAnswer
from bot.commands.inputs import EmptyInput
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.command_data.tasks import OwnQuestionData, OwnQuestionsData
from bot.models.markup import fill_names
from bot.models.named_question import OwnQuestion
from bot.models.plain_lines import to_plain_text
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question

if TYPE_CHECKING:
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.orchestrator import Orchestrator

MAX_LISTED = 10
"""Number of open questions listed."""
MAX_CLOSED_LISTED = 3
"""Number of questions listed that ended within the last day."""
_READ = 1_000
"""Characters of a question that are read for its name."""
MAX_OPEN = 30
"""Number of open questions that the chat agent can recognise by their words."""
_CLOSED_WITHIN = timedelta(days=1)

_OUTCOME_PHRASES = {
    "replied": "answered in its thread",
    "settled": "closed, since you settled it",
    "recovered": "closed, since its incident or alert is over",
    "dismissed": "closed by an operator without an answer from the bot",
    "skipped": "closed by an operator without an answer from the bot",
    "expired": "closed, since nobody decided in time; write in its thread and mention the bot to ask again",
    "taken-over": "taken over by an operator, who answers in person",
    "withdrawn": "withdrawn, since it was deleted",
    "muted": "closed, since the bot is silent in its thread",
    "practice": "closed; the bot practises in its channel and posts nothing there",
}


@dataclass(frozen=True, kw_only=True)
class OwnQuestionCommands:
    """The command `mine`. `url` is the workspace's address."""

    orchestrator: Orchestrator
    url: str
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "mine",
        "shows the state of your own questions, and their place in the queue",
        input=EmptyInput,
        role="member",
        tier="read",
        also=("get_my_questions",),
        untrusted="people",
        result=OwnQuestionsData,
    )
    async def mine(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """List the asker's open questions and those that ended lately; this thread's own comes first, even if it has
        ended."""
        threads = self.orchestrator.open_threads
        open_ids = sorted(threads.asked_by(asker.user_id), key=lambda thread_id: thread_id != asker.thread_id)
        closed_here = [] if asker.thread_id in open_ids else await self._ended_here(asker)
        open_threads = [*closed_here, *await self._read(open_ids[:MAX_LISTED])]
        rows = [self._row(thread) for thread in open_threads]
        if len(open_ids) > MAX_LISTED:
            rows.append(f"… and {len(open_ids) - MAX_LISTED} more.")
        closed_threads = await self._read(threads.closed_of(asker.user_id, MAX_CLOSED_LISTED))
        since = self.clock.now() - _CLOSED_WITHIN
        listed_ids = {thread.thread_id for thread in closed_here}
        closed = [
            thread
            for thread in closed_threads
            if thread.closed_at and thread.closed_at > since and thread.thread_id not in listed_ids
        ]
        closed_rows = [self._row(thread) for thread in closed]
        number = len(open_ids)
        others = f", {len(closed_rows)} {'more ' * bool(closed_here)}ended within a day" if closed_rows else ""
        line = f"{count(number, 'question')} of yours {'is' if number == 1 else 'are'} open{others}."
        if not number:
            line = "No question of yours is open. Ask in a channel that the bot watches, or mention it."
        line = f"The question of this thread has ended. {line}" if closed_here else line
        data = OwnQuestionsData(
            open=number,
            questions=tuple(map(self._build_question, (*open_threads, *closed))),
            omitted=max(0, number - MAX_LISTED),
        )
        return CommandAnswer(line=line, rows=(*rows, *closed_rows), data=data)

    async def _ended_here(self, asker: Asker) -> list[Thread]:
        """Return the question of the current thread if it is the asker's and has ended."""
        threads = await self._read([asker.thread_id] if asker.thread_id else [])
        return [
            thread for thread in threads if thread.status == "closed" and thread.original_sender_id == asker.user_id
        ]

    async def list_open(self, user_id: str) -> list[OwnQuestion]:
        """Return a user's open questions, the oldest first, in their own words."""
        thread_ids = self.orchestrator.open_threads.asked_by(user_id)[:MAX_OPEN]
        return [
            OwnQuestion(home=thread.thread_id, text=_quote_question(thread)) for thread in await self._read(thread_ids)
        ]

    async def _read(self, thread_ids: list[str]) -> list[Thread]:
        """Load the threads that can be read, without secrets."""
        threads = []
        for thread_id in thread_ids:
            try:
                thread = await self.orchestrator.store.load(thread_id)
            except TriageError:
                continue
            if thread:
                threads.append(await run_offloaded(redact_question, thread, self.redactor))
                await asyncio.sleep(0)  # each may be long, and they may be many
        return threads

    def _build_question(self, thread: Thread) -> OwnQuestionData:
        return OwnQuestionData(
            thread_id=thread.thread_id,
            status=thread.status,
            outcome=thread.outcome,
            since=thread.status_history[-1].at,
            channel=thread.chat_id,
            question=clip(_quote_question(thread), 80),
            state=to_plain_text(self._state(thread), UTC),
            link=question_link(thread, self.url),
        )

    def _row(self, thread: Thread) -> str:
        question = escape(clip(_quote_question(thread), 80)).replace("|", "/") or "your question"
        since = moment(thread.status_history[-1].at)
        where = f"<{question_link(thread, self.url)}|{question}> in {name_channel(thread.chat_id)}"
        return f"• {where}: {self._state(thread)} · {since}"

    def _state(self, thread: Thread) -> str:
        """Describe the question's state, without the draft's content or the reason of a failed run."""
        if thread.status == "closed":
            return _describe_end(thread)
        if thread.mode == "preview":
            return "seen; the bot practises in this channel and posts nothing here"
        if self.orchestrator.why_held(thread):
            is_stopped = self.orchestrator.state() == "stopped"
            return "waits, since " + (
                "an admin has stopped the bot" if is_stopped else "the bot or its project is paused"
            )
        match thread.status:
            case "collecting":
                return _describe_wait(thread)
            case "pending-user" if thread.draft_pending is None:
                return f"could not be looked up automatically; an operator has it{self._describe_queue_place(thread)}"
            case "pending-user":
                return (
                    f"was looked up{describe_assignment(thread)}, and waits for an operator"
                    f"{self._describe_queue_place(thread)}"
                )
            case "approved" | "in-doubt":
                return "is about to be answered"
            case "escalated":
                return f"is being looked up at length{describe_assignment(thread)}"
            case _:
                return f"is being looked up{describe_assignment(thread)}"

    def _describe_queue_place(self, thread: Thread) -> str:
        """Return the question's place among its operator's open decisions, counted from the oldest."""
        line = self.orchestrator.open_threads.list_undecided(thread.operator)
        if thread.thread_id not in line:
            return ""
        return f" (number {line.index(thread.thread_id) + 1} of {len(line)})"


def _quote_question(thread: Thread) -> str:
    """Return the asker's own messages of the question, with names in place of user ids."""
    own = (m.content[:_READ] for m in thread.question_messages if m.sender_id == thread.original_sender_id)
    return fill_names(" ".join(" ".join(own)[:_READ].split()), thread.names)


def _describe_wait(thread: Thread) -> str:
    """Describe a question that is not investigated yet, or a created task that has not started."""
    if thread.waiting and thread.due_at:
        ahead = count(thread.waiting.ahead, "question")
        return f"waits for its turn, which comes {moment(thread.due_at)}, {ahead} ahead of it"
    if thread.is_about_order:
        return f"waits for its start; `/triage thread {thread.task}` says why"
    return "was just taken in"


def _describe_end(thread: Thread) -> str:
    """Describe how a question ended."""
    if thread.decision and thread.decision.action == "settle":
        return "closed by an operator as settled"
    return _OUTCOME_PHRASES.get(thread.outcome or "", "closed")
