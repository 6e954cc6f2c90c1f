"""Reply of one chat turn: the model's text by `respond`, else code's line on what was done.

A retry belongs to the same turn. One answer is posted, however often the model calls `respond`. In a channel only the
asker reads it; everybody reads code's lines on what was changed, where those are allowed. Nothing raises except what
`ReplyPoster` raises for the model's text.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.chat.agent import MAX_MESSAGE_CHARS
from bot.chat.call_summary import describe_done, describe_undone, filter_public, is_repetition, summarize_calls
from bot.chat.canned_replies import NOTHING_CHANGED, READ_IN_PART
from bot.chat.respond import THREAD_NOT_FOUND, RespondCalls, RespondInput
from bot.decide.addressing.addressee import may_claim
from bot.decide.silent_exit import RESPOND
from bot.errors import Refused, ToolError, TriageError
from bot.models.message import own_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.agent import ChatAgent
    from bot.chat.call_log import LoggedCall
    from bot.chat.reply_poster import PostedMessage, ReplyPoster
    from bot.chat.status_indicator import EndReaction, StatusIndicator
    from bot.decide.addressing.unbacked_claims import ClaimWords
    from bot.models.conversation_record import TurnRecord
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

_IN_DM = " in our direct message"


@dataclass(kw_only=True)
class TurnReply:
    """Reply of a turn, and its state."""

    turn: TurnRecord
    poster: ReplyPoster
    indicator: StatusIndicator
    claims: ClaimWords | None = None
    """Words of answers that claim to have done something; `None` for code's lines."""
    calls: RespondCalls = field(default_factory=RespondCalls)
    tool_calls: Sequence[LoggedCall] = ()
    """Calls of the turn, updated by its agent."""
    has_button: bool = False
    """True if a confirmation was shown to the asker."""
    is_late: bool = False
    """True if a part is posted later, since Slack does not accept it now."""
    is_gone: bool = False
    """True if nothing can be posted in the thread: its message was deleted."""
    _posts: int = 0
    _answer: PostedMessage | None = None
    _undone: str = ""
    """Text of the answer on what was not done."""
    _reported: list[LoggedCall] = field(default_factory=list)
    """Calls done before the answer was given."""
    _published: list[LoggedCall] = field(default_factory=list)
    """Calls reported in the channel for all to read."""

    @property
    def has_changed(self) -> bool:
        """Return whether the turn has changed something."""
        return _changes(self.tool_calls)

    @property
    def is_done(self) -> bool:
        """Return whether the turn has changed something, and nothing of it was refused, failed or waits for a press."""
        return _changes(self.tool_calls) and not describe_undone(self.tool_calls)

    def end_reaction(self, *, is_answered: bool) -> EndReaction | None:
        """Return the reaction that shows the end; none if triage adds its own, or if a part is posted later."""
        if self.calls.handed_to_triage:
            return None
        if not is_answered:
            return "failure"
        return "success" if self.is_done and not self.is_late else None

    async def post(self, text: str) -> None:
        """Post the model's answer to the asker; in a channel nobody else sees an unapproved answer."""
        if not self.turn.is_direct:
            await self.show(text)
            return
        number, frame = self._number(), self._build_frame(text)
        try:
            self._answer = await self.poster.post_answer(self.turn, text, number=number, **frame)
        except Refused as problem:
            self.is_gone = self.is_gone or problem.code == THREAD_NOT_FOUND
            raise
        self._note_posted(is_there=self._answer is not None)

    async def show(self, text: str) -> None:
        """Show the model's answer to the asker alone, with the changes that the channel may not read.

        In a direct message nobody else reads: there it is posted as any other.
        """
        if self.turn.is_direct:
            await self.post(text)
            return
        frame = self._build_frame(text)
        try:
            self.is_late |= not await self.poster.show_answer(self.turn, text, number=self._number(), **frame)
        except Refused as problem:
            self.is_gone = self.is_gone or problem.code == THREAD_NOT_FOUND
            raise

    def _record_reported(self) -> str:
        """Record the calls that the answer covers; return code's text on what was not done.

        In a direct message the finished calls come before it, whatever the model says; a channel has code's lines.
        """
        self._undone, self._reported = (
            self._list_undone(self.tool_calls),
            [call for call in self.tool_calls if call.outcome == "done"],
        )
        own = describe_done(self._reported) if self._undone and self.turn.is_direct else ""
        return "\n".join(filter(None, (own, self._undone)))

    def _build_frame(self, text: str) -> dict[str, str]:
        """Build code's lines around an answer.

        What was not done is above; what was done is below, unless it is said above, in the channel, or the answer
        consists only of the commands' own lines.
        """
        before = self._record_reported()
        if self.turn.is_direct:
            after = "" if self._undone or is_repetition(text, self._reported) else describe_done(self._reported)
        else:
            after = self._list_unread(self._reported)
        return {"before": before, "after": after, "notice": self._notice(text)}

    def _notice(self, text: str) -> str:
        """Build the notice below an answer: no call backs its claim, or not all of the message was read."""
        looked = any(call.outcome == "done" and call.name != RESPOND for call in self.tool_calls)
        is_bare = not (self._undone or looked or _changes(self.tool_calls))
        bare = NOTHING_CHANGED if is_bare and self._claims(text) else ""
        part = (
            READ_IN_PART.format(characters=MAX_MESSAGE_CHARS)
            if len(self.turn.message.content) > MAX_MESSAGE_CHARS
            else ""
        )
        return f"{bare} {part}".strip()

    def _claims(self, text: str) -> bool:
        """Return whether a change was asked for, or the answer may be read as a claim of one."""
        question = own_words(self.turn.message)
        return may_claim(self.turn.door) and self.claims is not None and self.claims.may_claim(question, text)

    def _list_unread(self, called: Sequence[LoggedCall]) -> str:
        """List the changes of the calls if code's line in the channel does not give all of them."""
        own = describe_done(called)
        return "" if own == self._rows(called) else own

    def _rows(self, called: Sequence[LoggedCall]) -> str:
        """List the changes of the calls as all may read them; empty if nothing may be posted."""
        message = self.turn.message
        if self.turn.is_direct or not self.poster.may_publish(self.turn):
            return ""
        return describe_done(filter_public(called, message.content))

    async def report_waiting(self, command: str, line: str) -> None:
        """Note that a command needs a confirmation, whose buttons are in the asker's direct message."""
        self.has_button = True
        if self.turn.is_direct:
            self.indicator.note_posted()
        await self.poster.note_waiting(self.turn, f"[`{command}`, waits for a press] {line}")

    async def notify(self, mrkdwn: str) -> bool:
        """Send code's text to the asker; return whether it is or will be shown."""
        if not self.turn.is_direct:
            return await self._show_report(mrkdwn)
        return await self._report(mrkdwn)

    async def end(self, mrkdwn: str, called: Sequence[LoggedCall]) -> bool:
        """Tell the asker how the turn ended, and the channel what was changed until then."""
        is_told = await self.notify(mrkdwn)
        await self.publish(called, is_read=is_told)
        return is_told

    async def publish(self, called: Sequence[LoggedCall], *, is_read: bool = False) -> bool:
        """Report the changes in the channel; return whether somebody reads all of them, or will.

        `is_read`: the asker does, who otherwise reads elsewhere what the channel may not.
        """
        new = [
            call
            for call in called
            if call.outcome == "done" and not any(call is earlier for earlier in self._published)
        ]
        rows = self._rows(new)
        if not rows:
            return True
        self._published += new
        is_read = is_read or rows != describe_done(new)
        return await self._report(rows, is_read=is_read) or is_read

    async def _report(self, mrkdwn: str, *, is_read: bool = False) -> bool:
        try:
            posted = await self.poster.post_report(self.turn, mrkdwn, number=self._number())
        except TriageError as problem:
            log.warning("turn %s: it could not be told how it ended: %s", self.turn.turn_id, problem)
            self.is_gone = self.is_gone or (
                not is_read and isinstance(problem, Refused) and problem.code == THREAD_NOT_FOUND
            )
            return False
        self._note_posted(is_there=posted is not None)
        return True

    async def close(self, agent: ChatAgent, plain: Tool, *, nudged: bool) -> bool:
        """Send what an agent left unsaid when it ended by itself; return whether code has reported what was done.

        In a direct message the model's plain text is its answer. In a channel it is shown to the asker, and only after
        a retry prompt: only code's report of changes is posted without approval.
        """
        if agent.last_text and (self.turn.is_direct or (nudged and not _changes(agent.tool_calls))):
            await self._respond(agent.last_text, plain)
        if self.calls.closed or self.calls.in_doubt:
            return False
        if _has_commands(agent.tool_calls) and (nudged or _changes(agent.tool_calls)):
            return await self._tell_all(agent.tool_calls)
        return (
            self.has_button and not self.turn.is_direct and await self._show_report(self._list_undone(agent.tool_calls))
        )

    def _list_undone(self, called: Sequence[LoggedCall]) -> str:
        return describe_undone(called, where="" if self.turn.is_direct else _IN_DM)

    async def complete(self, called: Sequence[LoggedCall]) -> None:
        """Add the changes made after the answer was given; the channel gets code's lines on them."""
        undone = [left] if self._is_new(left := self._list_undone(called)) and self.calls.posted else []
        later = [call for call in called if call.has_changed and not any(call is earlier for earlier in self._reported)]
        if self.calls.closed:
            await self.publish(called)
        own = summarize_calls(later) if self.turn.is_direct else self._list_unread(later)
        if text := "\n".join([*([own] if own else []), *undone]):
            await self._add(text)

    async def _add(self, text: str) -> None:
        """Append code's text to an answer; if it cannot be changed, send a separate message."""
        if not self._answer:
            if self.calls.closed:
                await self.notify(text)
            return
        try:
            await self.poster.append_to_answer(self.turn, self._answer, text)
        except TriageError as problem:
            log.warning("turn %s: its answer does not say what was done after it: %s", self.turn.turn_id, problem)

    def _note_posted(self, *, is_there: bool) -> None:
        if is_there:
            self.indicator.note_posted()
        else:
            self.is_late = True

    async def _tell_all(self, called: Sequence[LoggedCall]) -> bool:
        """Report what was done, once to the asker: the channel's lines may contain all of it."""
        text = summarize_calls(called)
        is_told = text == self._rows(called) or await self.notify(text)
        return await self.publish(called) and is_told

    def _is_new(self, left: str) -> bool:
        return bool(left) and left != self._undone

    async def _respond(self, words: str, plain: Tool) -> None:
        """Pass plain text through the checks of `respond`."""
        try:
            await plain.run(RespondInput.model_construct(text=words))
        except ToolError as problem:
            log.warning("turn %s: its plain text is not an answer: %s", self.turn.turn_id, problem)

    async def _show_report(self, text: str) -> bool:
        try:
            self.is_late |= not await self.poster.show_report(self.turn, text, number=self._number())
        except TriageError as problem:
            log.warning("turn %s: it could not be shown what was done: %s", self.turn.turn_id, problem)
            self.is_gone = self.is_gone or (isinstance(problem, Refused) and problem.code == THREAD_NOT_FOUND)
            return False
        return True

    def _number(self) -> int:
        self._posts += 1
        return self._posts - 1


def _has_commands(called: Sequence[LoggedCall]) -> bool:
    return any(call.name != RESPOND for call in called)


def _changes(called: Sequence[LoggedCall]) -> bool:
    return any(call.has_changed for call in called)
