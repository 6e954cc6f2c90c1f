"""Reply of one chat turn: the model's text by `respond`, else code's line on what was done.

A retry belongs to the same turn. One answer is posted, however often the model calls `respond`. In a channel only the
asker reads it; everybody reads code's lines on what was changed, where those are allowed. Nothing raises except what
`Voice` raises for the model's text.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.chat.agent import LONGEST
from bot.chat.canned_replies import NOTHING_CHANGED, READ_IN_PART
from bot.chat.fallback_reply import done, in_public, repeats, report, unkept
from bot.chat.respond import GONE, RespondCalls, RespondInput
from bot.decide.addressing.addressee import may_claim
from bot.decide.silent_exit import RESPOND
from bot.errors import Refused, ToolError, TriageError
from bot.models.message import own_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.chat.agent import ChatAgent
    from bot.chat.call_log import Called
    from bot.chat.reply_poster import PostedMessage, Voice
    from bot.chat.status_indicator import TurnSigns
    from bot.models.talk import TalkTurn
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

_IN_DM = " in our direct message"


@dataclass(kw_only=True)
class TurnReply:
    """Reply of a turn, and its state."""

    turn: TalkTurn
    voice: Voice
    signs: TurnSigns
    may_claim: Callable[[str, str], bool] | None = None
    """Test whether an answer to these words may be read as a claim of having done something; `None` for code's
    lines."""
    calls: RespondCalls = field(default_factory=RespondCalls)
    called: Sequence[Called] = ()
    """Calls of the turn, updated by its agent."""
    has_button: bool = False
    """True if a confirmation was shown to the asker."""
    is_late: bool = False
    """True if a part is posted later, since Slack does not accept it now."""
    is_gone: bool = False
    """True if nothing can be posted in the thread: its message was deleted."""
    _posts: int = 0
    _answer: PostedMessage | None = None
    _unkept: str = ""
    """Text of the answer on what was not done."""
    _told: list[Called] = field(default_factory=list)
    """Calls done before the answer was given."""
    _published: list[Called] = field(default_factory=list)
    """Calls reported in the channel for all to read."""

    @property
    def has_changed(self) -> bool:
        """Return whether the turn has changed something."""
        return _changes(self.called)

    @property
    def is_done(self) -> bool:
        """Return whether the turn has changed something, and nothing of it was refused, failed or waits for a press."""
        return _changes(self.called) and not unkept(self.called)

    async def post(self, text: str) -> None:
        """Post the model's answer to the asker; in a channel nobody else sees an unapproved answer."""
        if not self.turn.is_direct:
            await self.show(text)
            return
        number, more = self._number(), self._around(text)
        try:
            self._answer = await self.voice.say(self.turn, text, number=number, **more)
        except Refused as problem:
            self.is_gone = self.is_gone or problem.code == GONE
            raise
        self._note_posted(is_there=self._answer is not None)

    async def show(self, text: str) -> None:
        """Show the model's answer to the asker alone, with the changes that the channel may not read.

        In a direct message nobody else reads: there it is posted as any other.
        """
        if self.turn.is_direct:
            await self.post(text)
            return
        more = self._around(text)
        try:
            self.is_late |= not await self.voice.show(self.turn, text, number=self._number(), **more)
        except Refused as problem:
            self.is_gone = self.is_gone or problem.code == GONE
            raise

    def _account(self) -> str:
        """Record the calls that the answer covers; return code's text on what was not done.

        In a direct message the finished calls come before it, whatever the model says; a channel has code's lines.
        """
        self._unkept, self._told = self._left(self.called), [one for one in self.called if one.outcome == "done"]
        own = done(self._told) if self._unkept and self.turn.is_direct else ""
        return "\n".join(filter(None, (own, self._unkept)))

    def _around(self, text: str) -> dict[str, str]:
        """Build code's lines around an answer.

        What was not done is above; what was done is below, unless it is said above, in the channel, or the answer
        consists only of the commands' own lines.
        """
        before = self._account()
        if self.turn.is_direct:
            after = "" if self._unkept or repeats(text, self._told) else done(self._told)
        else:
            after = self._unread(self._told)
        return {"before": before, "after": after, "notice": self._notice(text)}

    def _notice(self, text: str) -> str:
        """Build the notice below an answer: no call backs its claim, or not all of the message was read."""
        looked = any(one.outcome == "done" and one.name != RESPOND for one in self.called)
        is_bare = not (self._unkept or looked or _changes(self.called))
        bare = NOTHING_CHANGED if is_bare and self._claims(text) else ""
        part = READ_IN_PART.format(characters=LONGEST) if len(self.turn.message.content) > LONGEST else ""
        return f"{bare} {part}".strip()

    def _claims(self, text: str) -> bool:
        """Return whether a change was asked for, or the answer may be read as a claim of one."""
        said = own_words(self.turn.message)
        return may_claim(self.turn.door) and self.may_claim is not None and self.may_claim(said, text)

    def _unread(self, called: Sequence[Called]) -> str:
        """List the changes of the calls if code's line in the channel does not give all of them."""
        own = done(called)
        return "" if own == self._rows(called) else own

    def _rows(self, called: Sequence[Called]) -> str:
        """List the changes of the calls as all may read them; empty if nothing may be posted."""
        message = self.turn.message
        if self.turn.is_direct or not self.voice.may_publish(self.turn):
            return ""
        return done(in_public(called, message.content))

    async def waits(self, command: str, line: str) -> None:
        """Note that a command needs a confirmation, whose buttons are in the asker's direct message."""
        self.has_button = True
        if self.turn.is_direct:
            self.signs.posted()
        await self.voice.note(self.turn, f"[`{command}`, waits for a press] {line}")

    async def tell(self, mrkdwn: str) -> bool:
        """Send code's text to the asker; return whether it is or will be shown."""
        if not self.turn.is_direct:
            return await self._show_report(mrkdwn)
        return await self._report(mrkdwn)

    async def end(self, mrkdwn: str, called: Sequence[Called]) -> bool:
        """Tell the asker how the turn ended, and the channel what was changed until then."""
        is_told = await self.tell(mrkdwn)
        await self.publish(called, is_read=is_told)
        return is_told

    async def publish(self, called: Sequence[Called], *, is_read: bool = False) -> bool:
        """Report the changes in the channel; return whether somebody reads all of them, or will.

        `is_read`: the asker does, who otherwise reads elsewhere what the channel may not.
        """
        new = [one for one in called if one.outcome == "done" and not any(one is known for known in self._published)]
        rows = self._rows(new)
        if not rows:
            return True
        self._published += new
        is_read = is_read or rows != done(new)
        return await self._report(rows, is_read=is_read) or is_read

    async def _report(self, mrkdwn: str, *, is_read: bool = False) -> bool:
        try:
            posted = await self.voice.report(self.turn, mrkdwn, number=self._number())
        except TriageError as problem:
            log.warning("turn %s: it could not be told how it ended: %s", self.turn.turn_id, problem)
            self.is_gone = self.is_gone or (not is_read and isinstance(problem, Refused) and problem.code == GONE)
            return False
        self._note_posted(is_there=posted is not None)
        return True

    async def close(self, agent: ChatAgent, plain: Tool, *, nudged: bool) -> bool:
        """Send what an agent left unsaid when it ended by itself; return whether code has reported what was done.

        In a direct message the model's plain text is its answer. In a channel it is shown to the asker, and only after
        a retry prompt: only code's report of changes is posted without approval.
        """
        if agent.words and (self.turn.is_direct or (nudged and not _changes(agent.called))):
            await self._respond(agent.words, plain)
        if self.calls.closed or self.calls.in_doubt:
            return False
        if _is_told(agent.called) and (nudged or _changes(agent.called)):
            return await self._tell_all(agent.called)
        return self.has_button and not self.turn.is_direct and await self._show_report(self._left(agent.called))

    def _left(self, called: Sequence[Called]) -> str:
        return unkept(called, where="" if self.turn.is_direct else _IN_DM)

    async def complete(self, called: Sequence[Called]) -> None:
        """Add the changes made after the answer was given; the channel gets code's lines on them."""
        more = [left] if self._is_new(left := self._left(called)) and self.calls.posted else []
        later = [one for one in called if one.has_changed and not any(one is known for known in self._told)]
        if self.calls.closed:
            await self.publish(called)
        own = report(later) if self.turn.is_direct else self._unread(later)
        if said := "\n".join([*([own] if own else []), *more]):
            await self._add(said)

    async def _add(self, said: str) -> None:
        """Append code's text to an answer; if it cannot be changed, send a separate message."""
        if not self._answer:
            if self.calls.closed:
                await self.tell(said)
            return
        try:
            await self.voice.amend(self.turn, self._answer, said)
        except TriageError as problem:
            log.warning("turn %s: its answer does not say what was done after it: %s", self.turn.turn_id, problem)

    def _note_posted(self, *, is_there: bool) -> None:
        if is_there:
            self.signs.posted()
        else:
            self.is_late = True

    async def _tell_all(self, called: Sequence[Called]) -> bool:
        """Report what was done, once to the asker: the channel's lines may contain all of it."""
        said = report(called)
        is_told = said == self._rows(called) or await self.tell(said)
        return await self.publish(called) and is_told

    def _is_new(self, left: str) -> bool:
        return bool(left) and left != self._unkept

    async def _respond(self, words: str, plain: Tool) -> None:
        """Pass plain text through the checks of `respond`."""
        try:
            await plain.run(RespondInput.model_construct(text=words))
        except ToolError as problem:
            log.warning("turn %s: its plain text is no answer: %s", self.turn.turn_id, problem)

    async def _show_report(self, said: str) -> bool:
        try:
            self.is_late |= not await self.voice.show_report(self.turn, said, number=self._number())
        except TriageError as problem:
            log.warning("turn %s: it could not be shown what was done: %s", self.turn.turn_id, problem)
            self.is_gone = self.is_gone or (isinstance(problem, Refused) and problem.code == GONE)
            return False
        return True

    def _number(self) -> int:
        self._posts += 1
        return self._posts - 1


def _is_told(called: Sequence[Called]) -> bool:
    return any(one.name != RESPOND for one in called)


def _changes(called: Sequence[Called]) -> bool:
    return any(one.has_changed for one in called)
