"""Run of the chat agent for one turn: answer, retry prompt, and handling of a silent exit."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from blocks.text import escape
from bot.chat.call_log import NOT_RUN
from bot.chat.call_summary import summarize_calls
from bot.chat.canned_replies import (
    MESSAGE_DELETED,
    append_done,
    format_cost,
    format_failure,
    format_silent_exit,
    format_stopped_turn,
)
from bot.chat.silent_exit_alarm import AlarmResult, TurnPlace
from bot.decide.silent_exit import LoopClosed, RetryPrompt, TurnEnd
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.agent import ChatAgent
    from bot.chat.reply_poster import ReplyPoster
    from bot.chat.silent_exit_alarm import SilentExitAlarm
    from bot.chat.turn_reply import TurnReply
    from bot.models.conversation import ChatLine
    from bot.models.conversation_record import TurnRecord
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

TurnResult = Literal[
    "answered",
    "called off",
    "failed",
    "late",
    "no model",
    "refused",
    "restarted",
    "silenced",
    "silent",
    "to triage",
    "withdrawn",
]


@dataclass(kw_only=True)
class TurnOutcome:
    """Outcome of a turn, for the audit."""

    result: TurnResult
    actions: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    """Names of the calls that were not executed."""
    is_answered: bool = False
    is_refused: bool = False
    """True if the asker was told that the bot is for members only."""
    called_off_by: str = ""
    """User who cancelled it, if that was not its asker."""


@dataclass(frozen=True, kw_only=True)
class ChatTurn:
    """One run and its collaborators. `plain` is the tool that checks the model's plain text when that is the answer."""

    turn: TurnRecord
    agent: ChatAgent
    plain: Tool
    reply: TurnReply
    poster: ReplyPoster
    silent_exits: SilentExitAlarm
    detailed: bool
    """True if the asker may read the reason of a failure and the cost: operators and admins in their direct
    messages."""

    async def run(self, words: str, name: str, history: Sequence[ChatLine]) -> TurnOutcome:
        """Run the agent, prompt it again if it did not answer, and handle a silent exit."""
        calls, agent = self.reply.calls, self.agent
        turn_end = await self._chat(words, name, history)
        next_step = await self._handle_end(turn_end)
        if isinstance(next_step, RetryPrompt):
            calls.clear_doubt()
            turn_end = await self._chat(next_step.text, name, history, nudged=True)
            next_step = await self._handle_end(replace(turn_end, is_retried=True))
        if isinstance(next_step, AlarmResult):
            await self.poster.notify(self.turn.message, format_silent_exit(summarize_calls(agent.tool_calls)))
            return self._outcome("silent")
        if self._is_silenced:
            return self._outcome("silenced")
        if not self.reply.is_gone:
            await self.reply.complete(agent.tool_calls)
        if self.reply.is_gone:
            if done := summarize_calls(agent.tool_calls) if self.reply.has_changed else "":
                await self.poster.notify(self.turn.message, f"{MESSAGE_DELETED}\n{done}", in_thread=False)
            return self._outcome("withdrawn")
        stands_there = isinstance(next_step, LoopClosed) and not turn_end.posted_otherwise
        closed = calls.closed or self.reply.has_button or turn_end.reported or stands_there
        result: TurnResult = "to triage" if calls.handed_to_triage else "answered" if closed else "failed"
        return self._outcome(result, answered=closed)

    async def report_cancelled(self, by: str) -> TurnOutcome:
        """Report the state of a cancelled turn, once its running commands have ended. `by` is empty for its asker."""
        agent = self.agent
        await agent.wait_for_commands()
        if self.reply.calls.closed:
            await self.reply.complete(agent.tool_calls)
        elif not self._is_silenced:
            await self.poster.withdraw(self.turn)
            message = format_stopped_turn(
                summarize_calls(agent.tool_calls), by=by, cost=format_cost(agent.spent) if self.detailed else ""
            )
            await self.reply.end(message, agent.tool_calls)
        return replace(self._outcome("called off", answered=True), called_off_by=by)

    def _outcome(self, result: TurnResult, *, answered: bool = False) -> TurnOutcome:
        not_run = tuple(call.name for call in self.agent.tool_calls if call.outcome == NOT_RUN)
        return TurnOutcome(result=result, actions=self.agent.actions, not_run=not_run, is_answered=answered)

    @property
    def _is_silenced(self) -> bool:
        return self.poster.controls.why_silent(self.turn.message.home) is not None

    async def _handle_end(self, turn_end: TurnEnd) -> object:
        if self._is_silenced or self.reply.is_gone:  # nothing may be sent
            return None
        if turn_end.in_doubt and self.poster.is_on_record(self.turn):  # no thread shows what one person alone reads
            self.poster.post_later(self.turn)
            turn_end = replace(turn_end, truth="yes")
        return await self.silent_exits.handle_end(place_of(self.turn), turn_end)

    async def _chat(self, words: str, name: str, history: Sequence[ChatLine], *, nudged: bool = False) -> TurnEnd:
        """Run the agent once, and send what it left unanswered."""
        agent, reply, failure, why = self.agent, self.reply, "", ""
        calls, turn_id = reply.calls, self.turn.turn_id
        try:
            await agent.chat(words, name, history)
            failure = escape(agent.stop_reason)
        except TriageError as problem:
            log.warning("turn %s: %s", turn_id, problem)
            failure, why = format_failure(problem, detailed=self.detailed), format_failure(problem, detailed=True)
        except Exception:
            log.exception("turn %s failed", turn_id)
            failure = format_failure(None, detailed=self.detailed)
        otherwise = reported = False
        if not (
            calls.closed or calls.in_doubt or reply.is_gone
        ):  # what is in doubt is looked for before anything is said
            if failure:
                message = append_done(failure, summarize_calls(agent.tool_calls), changed=reply.has_changed)
                otherwise = await reply.end(message, agent.tool_calls)
            else:
                reported = await reply.close(agent, self.plain, nudged=nudged)
        return TurnEnd(
            responded=calls.closed,
            in_doubt=calls.in_doubt,
            reported=reported,
            posted_otherwise=otherwise or reply.has_button,
            final_text=agent.last_text,
            actions=agent.actions,
            failure=why or failure or calls.refused,
        )


def place_of(turn: TurnRecord) -> TurnPlace:
    """Return the place of a turn, as alarms name it."""
    return TurnPlace(
        turn_id=turn.turn_id,
        asker=turn.message.sender.id,
        channel=turn.message.chat_id,
        thread_ts=turn.root_ts,
        ts=turn.message.message_id,
        is_public=not turn.is_direct,
    )
