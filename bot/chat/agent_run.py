"""Run of the chat agent for one turn: answer, retry prompt, and handling of a silent exit."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.chat.call_log import NOT_RUN
from bot.chat.canned_replies import GONE, cost_of, ended_on_request, failed, silent, with_done
from bot.chat.fallback_reply import report
from bot.chat.silent_exit_alarm import Alarmed, TurnPlace
from bot.decide.silent_exit import Ended, LoopClosed, RetryPrompt
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.agent import ChatAgent
    from bot.chat.reply_poster import Voice
    from bot.chat.silent_exit_alarm import SilentEnds
    from bot.chat.turn_reply import TurnReply
    from bot.models.conversation import ChatLine
    from bot.models.talk import TalkTurn
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class TurnOutcome:
    """Outcome of a turn, for the audit."""

    result: str
    actions: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    """Names of the calls that were not executed."""
    answered: bool = False
    refused: bool = False
    """True if the asker was told that the bot is for members only."""
    called_off_by: str = ""
    """User who cancelled it, if that was not its asker."""


@dataclass(frozen=True, kw_only=True)
class ChatTurn:
    """One run and its collaborators. `plain` is the tool that checks the model's plain text when that is the answer."""

    turn: TalkTurn
    agent: ChatAgent
    plain: Tool
    reply: TurnReply
    voice: Voice
    silent: SilentEnds
    detailed: bool
    """True if the asker may read the reason of a failure and the cost: operators and admins in their direct
    messages."""

    async def run(self, words: str, name: str, history: Sequence[ChatLine]) -> TurnOutcome:
        """Run the agent, prompt it again if it did not answer, and handle a silent exit."""
        calls, agent = self.reply.calls, self.agent
        ended = await self._chat(words, name, history)
        follows = await self._follows(ended)
        if isinstance(follows, RetryPrompt):
            calls.not_there()
            ended = await self._chat(follows.text, name, history, nudged=True)
            follows = await self._follows(replace(ended, nudged=True))
        if isinstance(follows, Alarmed):
            await self.voice.tell(self.turn.message, silent(report(agent.called)))
            return self._outcome("silent")
        if self._is_silenced:
            return self._outcome("silenced")
        if not self.reply.is_gone:
            await self.reply.complete(agent.called)
        if self.reply.is_gone:
            if done := report(agent.called) if self.reply.has_changed else "":
                await self.voice.tell(self.turn.message, f"{GONE}\n{done}", in_thread=False)
            return self._outcome("withdrawn")
        stands_there = isinstance(follows, LoopClosed) and not ended.posted_otherwise
        closed = calls.closed or self.reply.has_button or ended.reported or stands_there
        result = "to triage" if calls.to_triage else "answered" if closed else "failed"
        return self._outcome(result, answered=closed)

    async def called_off(self, by: str) -> TurnOutcome:
        """Report the state of a cancelled turn, once its running commands have ended. `by` is empty for its asker."""
        agent = self.agent
        await agent.settle()
        if self.reply.calls.closed:
            await self.reply.complete(agent.called)
        elif not self._is_silenced:
            await self.voice.withdraw(self.turn)
            said = ended_on_request(report(agent.called), by=by, cost=cost_of(agent.spent) if self.detailed else "")
            await self.reply.end(said, agent.called)
        return replace(self._outcome("called off", answered=True), called_off_by=by)

    def _outcome(self, result: str, *, answered: bool = False) -> TurnOutcome:
        not_run = tuple(one.name for one in self.agent.called if one.outcome == NOT_RUN)
        return TurnOutcome(result=result, actions=self.agent.actions, not_run=not_run, answered=answered)

    @property
    def _is_silenced(self) -> bool:
        return self.voice.silenced(self.turn.message.home) is not None

    async def _follows(self, ended: Ended) -> object:
        if self._is_silenced or self.reply.is_gone:  # nothing may be sent
            return None
        if ended.in_doubt and self.voice.is_on_record(self.turn):  # no thread shows what one person alone reads
            self.voice.post_later(self.turn)
            ended = replace(ended, truth="yes")
        return await self.silent.ended(place_of(self.turn), ended)

    async def _chat(self, words: str, name: str, history: Sequence[ChatLine], *, nudged: bool = False) -> Ended:
        """Run the agent once, and send what it left unanswered."""
        agent, reply, failure, why = self.agent, self.reply, "", ""
        calls, turn_id = reply.calls, self.turn.turn_id
        try:
            await agent.chat(words, name, history)
            failure = escape(agent.stopped)
        except TriageError as problem:
            log.warning("turn %s: %s", turn_id, problem)
            failure, why = failed(problem, detailed=self.detailed), failed(problem, detailed=True)
        except Exception:
            log.exception("turn %s broke", turn_id)
            failure = failed(None, detailed=self.detailed)
        otherwise = reported = False
        if not (
            calls.closed or calls.in_doubt or reply.is_gone
        ):  # what is in doubt is looked for before anything is said
            if failure:
                said = with_done(failure, report(agent.called), changed=reply.has_changed)
                otherwise = await reply.end(said, agent.called)
            else:
                reported = await reply.close(agent, self.plain, nudged=nudged)
        return Ended(
            responded=calls.closed,
            in_doubt=calls.in_doubt,
            reported=reported,
            posted_otherwise=otherwise or reply.has_button,
            said=agent.words,
            actions=agent.actions,
            failure=why or failure or calls.refused,
        )


def place_of(turn: TalkTurn) -> TurnPlace:
    """Return the place of a turn, as alarms name it."""
    return TurnPlace(
        turn_id=turn.turn_id,
        asker=turn.message.sender.id,
        channel=turn.message.chat_id,
        thread_ts=turn.root_ts,
        ts=turn.message.message_id,
        in_public=not turn.is_direct,
    )
