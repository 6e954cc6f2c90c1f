"""Chat turn: permission, history, the run of the agent, and an answer in every case.

An answer is confirmed by the call of `respond` and by the thread (`chat/silent_exit_alarm`), never assumed. The agent
sees only the asker's messages in a thread, and its own answers.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.chat.agent_run import ChatTurn, TurnOutcome, TurnResult, place_of
from bot.chat.call_summary import format_list
from bot.chat.canned_replies import TO_TRIAGE, TOO_OLD, format_cancelled, format_failure, format_restart
from bot.chat.history import UNREADABLE_HISTORY
from bot.chat.respond import THREAD_NOT_FOUND, build_respond_tool
from bot.chat.status_indicator import EndReaction, StatusIndicator, clear_status
from bot.chat.turn_reply import TurnReply
from bot.commands.permission import NOT_OF_US
from bot.decide.silent_exit import TurnEnd
from bot.errors import Refused, TriageError, Uncertain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.chat.agent import ChatAgentFactory
    from bot.chat.command_runs import CommandRuns
    from bot.chat.direct_replies import DirectReplies
    from bot.chat.reaction_rules import ReactionRules
    from bot.chat.reply_poster import ReplyPoster
    from bot.chat.silent_exit_alarm import SilentExitAlarm
    from bot.chat.thread_history import ThreadHistory
    from bot.chat.toolbox import Taint
    from bot.chat.turn_context import TurnContexts
    from bot.commands.command import CommandAnswer
    from bot.commands.permission import Permission
    from bot.decide.addressing.unbacked_claims import ClaimWords
    from bot.decide.redaction.redactor import Redactor
    from bot.models.conversation_record import CommandRun, ConversationRecord, TurnRecord
    from bot.models.interaction import Asker
    from bot.ports.inbound import TriageEntrance
    from bot.ports.outbound import Clock
    from bot.ports.slack import AssistantStatus, ReactionWriter
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

MAX_AGE = timedelta(minutes=10)
"""Age from which a message is not handled when its turn comes: the asker has left, or asked again."""

RESTART_NUMBER = 9
"""Number of the message about a restart, for its nonce."""


@dataclass(frozen=True, kw_only=True)
class TurnRunner:
    """Runs turns of the chat agent."""

    agent_factory: ChatAgentFactory
    poster: ReplyPoster
    assistant_status: AssistantStatus
    marks: ReactionWriter
    reactions: ReactionRules
    silent_exits: SilentExitAlarm
    thread_history: ThreadHistory
    permission: Permission
    contexts: TurnContexts
    triage: TriageEntrance
    command_runs: CommandRuns
    replies: DirectReplies
    """Direct replies, among them the usage line for a message's place, sent when no model is available."""
    redactor: Redactor
    clock: Clock
    claims: ClaimWords
    """Words of answers that claim to have done something."""
    _cancelled_by: dict[str, str] = field(default_factory=dict)
    """Running turns that were cancelled, with the user who did; empty for the asker."""
    _finishing: set[str] = field(default_factory=set)
    """Running turns that are answered: only their status is still removed."""

    async def run(
        self, turn: TurnRecord, taint: Taint, *, refused: bool, conversations: Sequence[ConversationRecord]
    ) -> TurnOutcome:
        """Run one turn, from the permission check to its end. `refused`: its asker was told of the refusal already.

        `conversations` is its conversation, after those that it continues.
        """
        if self.poster.controls.why_silent(turn.message.home):
            return TurnOutcome(result="silenced")
        if refusal := await self.permission.refusal(turn.asker, "member"):
            if not refused:
                await self.poster.notify(turn.message, refusal)
            return TurnOutcome(result="refused", is_refused=refusal == NOT_OF_US)
        if self.clock.now() - turn.message.create_time > MAX_AGE:
            return await self._reply_with(turn, TOO_OLD, "late")
        if not self.agent_factory.is_ready and not await self.agent_factory.reload_credentials():
            await self.poster.notify(turn.message, self.replies.guidance(turn.message))
            return TurnOutcome(result="no model")
        return await self._run_agent(turn, taint, conversations)

    async def report_cut_off(self, turn: TurnRecord) -> TurnOutcome:
        """Report what a turn did that a restart cut off, unless the thread shows an answer; it is never run again."""
        indicator = self._build_indicator(turn)
        said_at = await self._said_at(turn)
        if self.poster.controls.why_silent(turn.message.home):
            outcome = TurnOutcome(result="silenced")
        elif said_at:
            outcome = TurnOutcome(result="answered", is_answered=True)
            await self._add_done(turn, after=float(said_at))
        else:
            await self._report_restart(turn)
            outcome = TurnOutcome(result="restarted")
        changed = await self._list_changes(turn) if outcome.is_answered else ()
        await self._end(turn, indicator, reaction="success" if changed else None if outcome.is_answered else "failure")
        return outcome

    async def finish_answered(self, turn: TurnRecord) -> TurnOutcome:
        """Finish a turn whose answer was shown or saved before a restart: remove its status.

        Its changes are reported in the channel, unless they are there already.
        """
        if not (turn.is_direct or self.poster.controls.why_silent(turn.message.home) or await self._said_at(turn)):
            await self._add_done(turn)
        await self._end(turn, self._build_indicator(turn), reaction=None)
        return TurnOutcome(result="answered", is_answered=True)

    async def _said_at(self, turn: TurnRecord) -> str | None:
        where = (turn.message.chat_id, turn.root_ts, turn.message.message_id)
        return await self.silent_exits.truth.said_at(*where, turn=turn.turn_id)

    async def _list_changes(self, turn: TurnRecord, *, after: float = 0.0) -> tuple[CommandRun, ...]:
        return tuple(
            command
            for command in await self.command_runs.runs_of(turn)
            if command.has_changed and command.at.timestamp() > after
        )

    async def _add_done(self, turn: TurnRecord, *, after: float = 0.0) -> None:
        """Report the changes of a turn after a moment, which its answer does not mention."""
        if not (turn.is_direct or self.poster.may_publish(turn)):
            return
        if changed := await self._list_changes(turn, after=after):
            rows = [command.line if turn.is_direct else command.row or command.line for command in changed]
            try:
                await self.poster.post_report(turn, format_list("Done", rows), number=RESTART_NUMBER, look_first=True)
            except TriageError as problem:
                log.warning("turn %s: its answer does not say what was done: %s", turn.turn_id, problem)

    async def report_failure(self, turn: TurnRecord) -> TurnOutcome:
        """Tell the asker that their turn failed with an unexpected error."""
        return await self._reply_with(turn, format_failure(None, detailed=self._reads_details(turn)), "failed")

    def _reads_details(self, turn: TurnRecord) -> bool:
        return turn.is_direct and self.permission.has_role(turn.message.sender.id, "operator")

    async def report_cancelled(self, turn: TurnRecord, by: str = "") -> TurnOutcome:
        """Report that a waiting turn was cancelled by its asker, or by the user `by`."""
        return replace(await self._reply_with(turn, format_cancelled(by), "called off"), called_off_by=by)

    async def handle_cancelled(self, turn: TurnRecord) -> TurnOutcome:
        """Finish a running turn that was cancelled before its agent did anything."""
        if turn.turn_id not in self._cancelled_by:
            return TurnOutcome(result="silenced")
        return await self.report_cancelled(turn, self._take_cancelled_by(turn))

    def request_cancel(self, turn: TurnRecord, by: str = "") -> bool:
        """Register the cancellation of a running turn; return whether its task must be cancelled, which happens once.

        `by` is empty for the asker.
        """
        if turn.turn_id in self._finishing or turn.turn_id in self._cancelled_by:
            return False
        self._cancelled_by[turn.turn_id] = by
        return True

    def forget(self, turn: TurnRecord) -> None:
        """Drop the cancellation state of a turn whose task has ended."""
        self._cancelled_by.pop(turn.turn_id, None)
        self._finishing.discard(turn.turn_id)

    def _take_cancelled_by(self, turn: TurnRecord) -> str:
        """Return the user who cancelled the present turn, and let its task continue."""
        if task := asyncio.current_task():
            task.uncancel()
        return self._cancelled_by[turn.turn_id]

    async def clear(self, *, channel: str, thread_ts: str) -> None:
        """Remove the status from a thread without a running turn."""
        await clear_status(self.assistant_status, channel=channel, thread_ts=thread_ts)

    async def _report_restart(self, turn: TurnRecord) -> None:
        commands = await self.command_runs.runs_of(turn)
        message = format_restart(
            [command.line for command in commands if not command.waits],
            waiting=[command.line for command in commands if command.waits],
        )
        try:
            if turn.is_direct:
                await self.poster.post_report(turn, message, number=RESTART_NUMBER, look_first=True)
            else:
                await self.poster.show_report(turn, message, number=RESTART_NUMBER)
                await self._add_done(turn)
        except TriageError as problem:
            log.warning("turn %s: nothing can be said of the restart: %s", turn.turn_id, problem)
            is_gone = isinstance(problem, Refused) and problem.code == THREAD_NOT_FOUND
            if not (is_gone or self.poster.controls.why_silent(turn.message.home)):
                why = f"a restart cut it off, and that could not be said ({problem})"
                turn_end = TurnEnd(failure=why, in_doubt=isinstance(problem, Uncertain))
                await self.silent_exits.handle_end(place_of(turn), turn_end, recovered=True)

    async def _run_agent(self, turn: TurnRecord, taint: Taint, records: Sequence[ConversationRecord]) -> TurnOutcome:
        indicator = self._build_indicator(turn)
        reply = TurnReply(turn=turn, poster=self.poster, indicator=indicator, claims=self.claims)
        indicator.begin()
        reaction: EndReaction | None = None  # unknown for a turn that is cut off
        try:
            respond = self._respond(turn, reply, taint)
            agent = self._with_button_notes(reply).create_agent(
                asker=turn.asker,
                context=await self.contexts.context_of(turn),
                respond=None if turn.is_direct and self.agent_factory.is_small else respond,
                indicator=indicator,
                taint=taint,
            )
            reply.tool_calls = agent.tool_calls
            run = ChatTurn(
                turn=turn,
                agent=agent,
                plain=respond,
                reply=reply,
                poster=self.poster,
                silent_exits=self.silent_exits,
                detailed=self._reads_details(turn),
            )
            try:
                name, earlier, is_foreign = await self.thread_history.load(turn, records, agent.summarize)
                taint.is_blind = earlier is None
                if is_foreign:
                    taint.taint_history()
                words = await self.thread_history.read_message(turn)
                outcome = await run.run(words, name, [UNREADABLE_HISTORY] if earlier is None else earlier)
            except asyncio.CancelledError:
                if turn.turn_id not in self._cancelled_by:
                    raise
                outcome = await run.report_cancelled(self._take_cancelled_by(turn))
            reaction = reply.end_reaction(is_answered=outcome.is_answered)
            return outcome
        finally:
            self._finishing.add(turn.turn_id)
            await self._end(turn, indicator, reaction=reaction)

    def _respond(self, turn: TurnRecord, reply: TurnReply, taint: Taint) -> Tool:
        return build_respond_tool(
            reply.post,
            calls=reply.calls,
            rests_on=lambda: taint.source,
            in_public=not self._reads_details(turn),
            show=reply.show,
            ask_triage=lambda _: self._hand_to_triage(turn),
            redactor=self.redactor,
        )

    async def _reply_with(self, turn: TurnRecord, text: str, result: TurnResult) -> TurnOutcome:
        indicator = self._build_indicator(turn)
        is_delivered = await TurnReply(turn=turn, poster=self.poster, indicator=indicator).notify(text)
        await self._end(turn, indicator, reaction="success" if result == "called off" else "failure")
        return TurnOutcome(result=result if is_delivered else "failed", is_answered=is_delivered)

    async def _end(self, turn: TurnRecord, indicator: StatusIndicator, *, reaction: EndReaction | None) -> None:
        """Remove the status of a turn; in a silenced thread no emoji shows the outcome."""
        is_silent = self.poster.controls.why_silent(turn.message.home)
        await indicator.end(reaction=None if is_silent else reaction)

    def _with_button_notes(self, reply: TurnReply) -> ChatAgentFactory:
        """Return the agent factory with an `execute` that notes confirmations: their buttons count as an answer."""
        execute = self.agent_factory.toolbox.execute

        async def show(
            name: str, arguments: Mapping[str, Any], asker: Asker, *, tainted: bool = False
        ) -> CommandAnswer:
            answer = await execute(name, arguments, asker, tainted=tainted)
            if answer.outcome == "asked":
                await reply.report_waiting(name, answer.line)
            return answer

        return replace(self.agent_factory, toolbox=replace(self.agent_factory.toolbox, execute=show))

    async def _hand_to_triage(self, turn: TurnRecord) -> None:
        """Turn the message into a question for triage. Raises `Refused` if that is not possible."""
        if not await self.triage.ask(turn.message):
            raise Refused("no question can be made of it in this channel, where I take none", code="not_watched")
        await self.poster.notify(turn.message, TO_TRIAGE)

    def _build_indicator(self, turn: TurnRecord) -> StatusIndicator:
        names = self.reactions.names if self.reactions.allows(turn.message.chat_id) else {}
        return StatusIndicator(turn=turn, assistant_status=self.assistant_status, reactions=self.marks, names=names)
