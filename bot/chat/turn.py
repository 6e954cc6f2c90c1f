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

from bot.chat.agent_run import ChatTurn, TurnOutcome, place_of
from bot.chat.canned_replies import LATE, TO_TRIAGE, called_off, failed, restarted
from bot.chat.fallback_reply import listed
from bot.chat.history import LOST
from bot.chat.respond import GONE, respond_tool
from bot.chat.status_indicator import TurnSigns, clear
from bot.chat.turn_reply import TurnReply
from bot.commands.permission import NOT_OF_US
from bot.decide.silent_exit import Ended
from bot.errors import Refused, TriageError, Uncertain

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.chat.agent import Mind
    from bot.chat.reaction_rules import ReactionRules
    from bot.chat.reply_poster import Voice
    from bot.chat.silent_exit_alarm import SilentEnds
    from bot.chat.thread_history import Remembering
    from bot.chat.toolbox import Taint
    from bot.commands.command import CommandAnswer
    from bot.commands.permission import Permission
    from bot.decide.redaction.redactor import Redactor
    from bot.models.conversation import ChatContext
    from bot.models.interaction import Asker
    from bot.models.message import Message
    from bot.models.talk import CommandRun, TalkRecord, TalkTurn
    from bot.ports.inbound import TriageEntrance
    from bot.ports.outbound import Clock
    from bot.ports.slack import Marks, Signs
    from bot.tools.tool import Tool
    from bot.triage.ground_truth import GroundTruth

log = logging.getLogger(__name__)

LATE_AFTER = timedelta(minutes=10)
"""Age from which a message is not handled when its turn comes: the asker has left, or asked again."""

AFTER_RESTART = 9
"""Number of the message about a restart, for its nonce."""


@dataclass(frozen=True, kw_only=True)
class Talking:
    """Runs turns of the chat agent."""

    mind: Mind
    voice: Voice
    signs: Signs
    marks: Marks
    reactions: ReactionRules
    silent: SilentEnds
    truth: GroundTruth
    remembering: Remembering
    permission: Permission
    context_of: Callable[[TalkTurn], Awaitable[ChatContext]]
    triage: TriageEntrance
    done_in: Callable[[TalkTurn], Awaitable[Sequence[CommandRun]]]
    """Function that returns the commands executed in a turn, from the audit."""
    line: Callable[[Message], str]
    """Function that returns the usage line for a message's place, sent when no model is available."""
    redactor: Redactor
    clock: Clock
    may_claim: Callable[[str, str], bool]
    """Test whether an answer to these words may be read as a claim of having done something."""
    _off: dict[str, str] = field(default_factory=dict)
    """Running turns that were cancelled, with the user who did; empty for the asker."""
    _over: set[str] = field(default_factory=set)
    """Running turns that are answered: only their status is still removed."""

    async def run(self, turn: TalkTurn, taint: Taint, *, refused: bool, talks: Sequence[TalkRecord]) -> TurnOutcome:
        """Run one turn, from the permission check to its end. `refused`: its asker was told of the refusal already.

        `talks` is its conversation, after those that it continues.
        """
        if self.voice.silenced(turn.message.home):
            return TurnOutcome(result="silenced")
        if refusal := await self.permission.refusal(turn.asker, "member"):
            if not refused:
                await self.voice.tell(turn.message, refusal)
            return TurnOutcome(result="refused", refused=refusal == NOT_OF_US)
        if self.clock.now() - turn.message.create_time > LATE_AFTER:
            return await self._plainly(turn, LATE, "late")
        if not self.mind.is_ready and not await self.mind.reload_credentials():
            await self.voice.tell(turn.message, self.line(turn.message))
            return TurnOutcome(result="no model")
        return await self._talk(turn, taint, talks)

    async def pick_up(self, turn: TalkTurn) -> TurnOutcome:
        """Report what a turn did that a restart cut off, unless the thread shows an answer; it is never run again."""
        signs = self._signs(turn)
        said_at = await self._said_at(turn)
        if self.voice.silenced(turn.message.home):
            outcome = TurnOutcome(result="silenced")
        elif said_at:
            outcome = TurnOutcome(result="answered", answered=True)
            await self._add_done(turn, after=float(said_at))
        else:
            await self._say_of_restart(turn)
            outcome = TurnOutcome(result="restarted")
        changed = await self._changed(turn) if outcome.answered else ()
        await self._end(turn, signs, well=True if changed else None if outcome.answered else False)
        return outcome

    async def was_answered(self, turn: TalkTurn) -> TurnOutcome:
        """Finish a turn whose answer was shown or saved before a restart: remove its status.

        Its changes are reported in the channel, unless they are there already.
        """
        if not (turn.is_direct or self.voice.silenced(turn.message.home) or await self._said_at(turn)):
            await self._add_done(turn)
        await self._end(turn, self._signs(turn), well=None)
        return TurnOutcome(result="answered", answered=True)

    async def _said_at(self, turn: TalkTurn) -> str | None:
        where = (turn.message.chat_id, turn.root_ts, turn.message.message_id)
        return await self.truth.said_at(*where, turn=turn.turn_id)

    async def _changed(self, turn: TalkTurn, *, after: float = 0.0) -> tuple[CommandRun, ...]:
        return tuple(ran for ran in await self.done_in(turn) if ran.has_changed and ran.at.timestamp() > after)

    async def _add_done(self, turn: TalkTurn, *, after: float = 0.0) -> None:
        """Report the changes of a turn after a moment, which its answer does not mention."""
        if not (turn.is_direct or self.voice.may_publish(turn)):
            return
        if changed := await self._changed(turn, after=after):
            rows = [ran.line if turn.is_direct else ran.row or ran.line for ran in changed]
            try:
                await self.voice.report(turn, listed("Done", rows), number=AFTER_RESTART, look_first=True)
            except TriageError as problem:
                log.warning("turn %s: its answer does not say what was done: %s", turn.turn_id, problem)

    async def broke(self, turn: TalkTurn) -> TurnOutcome:
        """Tell the asker that their turn failed with an unexpected error."""
        return await self._plainly(turn, failed(None, detailed=self._reads_details(turn)), "failed")

    def _reads_details(self, turn: TalkTurn) -> bool:
        return turn.is_direct and self.permission.has_role(turn.message.sender.id, "operator")

    async def called_off(self, turn: TalkTurn, by: str = "") -> TurnOutcome:
        """Report that a waiting turn was cancelled by its asker, or by the user `by`."""
        return replace(await self._plainly(turn, called_off(by), "called off", well=True), called_off_by=by)

    async def cancelled(self, turn: TalkTurn) -> TurnOutcome:
        """Finish a running turn that was cancelled before its agent did anything."""
        if turn.turn_id not in self._off:
            return TurnOutcome(result="silenced")
        return await self.called_off(turn, self._called_off_by(turn))

    def call_off(self, turn: TalkTurn, by: str = "") -> bool:
        """Register the cancellation of a running turn; return whether its task must be cancelled, which happens once.

        `by` is empty for the asker.
        """
        if turn.turn_id in self._over or turn.turn_id in self._off:
            return False
        self._off[turn.turn_id] = by
        return True

    def ended(self, turn: TalkTurn) -> None:
        """Drop the cancellation state of a turn whose task has ended."""
        self._off.pop(turn.turn_id, None)
        self._over.discard(turn.turn_id)

    def _called_off_by(self, turn: TalkTurn) -> str:
        """Return the user who cancelled the present turn, and let its task continue."""
        if task := asyncio.current_task():
            task.uncancel()
        return self._off[turn.turn_id]

    async def clear(self, *, channel: str, thread_ts: str) -> None:
        """Remove the status from a thread without a running turn."""
        await clear(self.signs, channel=channel, thread_ts=thread_ts)

    async def _say_of_restart(self, turn: TalkTurn) -> None:
        ran = await self.done_in(turn)
        said = restarted([one.line for one in ran if not one.waits], waiting=[one.line for one in ran if one.waits])
        try:
            if turn.is_direct:
                await self.voice.report(turn, said, number=AFTER_RESTART, look_first=True)
            else:
                await self.voice.show_report(turn, said, number=AFTER_RESTART)
                await self._add_done(turn)
        except TriageError as problem:
            log.warning("turn %s: nothing can be said of the restart: %s", turn.turn_id, problem)
            is_gone = isinstance(problem, Refused) and problem.code == GONE
            if not (is_gone or self.voice.silenced(turn.message.home)):
                why = f"a restart cut it off, and that could not be said ({problem})"
                ended = Ended(failure=why, in_doubt=isinstance(problem, Uncertain))
                await self.silent.ended(place_of(turn), ended, recovered=True)

    async def _talk(self, turn: TalkTurn, taint: Taint, talks: Sequence[TalkRecord]) -> TurnOutcome:
        signs = self._signs(turn)
        reply = TurnReply(turn=turn, voice=self.voice, signs=signs, may_claim=self.may_claim)
        signs.begin()
        well: bool | None = None  # unknown for a turn that is cut off
        try:
            respond = self._respond(turn, reply, taint)
            agent = self._showing(reply).agent(
                asker=turn.asker,
                context=await self.context_of(turn),
                respond=respond,
                doing=signs.doing,
                taint=taint,
            )
            reply.called = agent.called
            run = ChatTurn(
                turn=turn,
                agent=agent,
                plain=respond,
                reply=reply,
                voice=self.voice,
                silent=self.silent,
                detailed=self._reads_details(turn),
            )
            try:
                name, earlier, is_foreign = await self.remembering.of(turn, talks, agent.summarize)
                taint.is_blind = earlier is None
                if is_foreign:
                    taint.hold()
                words = await self.remembering.words(turn)
                outcome = await run.run(words, name, [LOST] if earlier is None else earlier)
            except asyncio.CancelledError:
                if turn.turn_id not in self._off:
                    raise
                outcome = await run.called_off(self._called_off_by(turn))
            well = False if not outcome.answered else True if reply.is_done and not reply.is_late else None
            well = None if reply.calls.to_triage else well  # triage adds its own emoji
            return outcome
        finally:
            self._over.add(turn.turn_id)
            await self._end(turn, signs, well=well)

    def _respond(self, turn: TalkTurn, reply: TurnReply, taint: Taint) -> Tool:
        """Build `respond` for this turn."""
        return respond_tool(
            reply.post,
            calls=reply.calls,
            rests_on=lambda: taint.rests_on,
            in_public=not self._reads_details(turn),
            show=reply.show,
            ask_triage=lambda _: self._to_triage(turn),
            redactor=self.redactor,
        )

    async def _plainly(self, turn: TalkTurn, text: str, result: str, *, well: bool = False) -> TurnOutcome:
        signs = self._signs(turn)
        said = await TurnReply(turn=turn, voice=self.voice, signs=signs).tell(text)
        await self._end(turn, signs, well=well)
        return TurnOutcome(result=result if said else "failed", answered=said)

    async def _end(self, turn: TalkTurn, signs: TurnSigns, *, well: bool | None) -> None:
        """Remove the status of a turn; in a silenced thread no emoji shows the outcome."""
        await signs.end(well=None if self.voice.silenced(turn.message.home) else well)

    def _showing(self, reply: TurnReply) -> Mind:
        """Return the agent factory with an `execute` that notes confirmations: their buttons count as an answer."""
        execute = self.mind.toolbox.execute

        async def show(name: str, given: Mapping[str, Any], asker: Asker, *, tainted: bool = False) -> CommandAnswer:
            answer = await execute(name, given, asker, tainted=tainted)
            if answer.outcome == "asked":
                await reply.waits(name, answer.line)
            return answer

        return replace(self.mind, toolbox=replace(self.mind.toolbox, execute=show))

    async def _to_triage(self, turn: TalkTurn) -> None:
        """Turn the message into a question for triage. Raises `Refused` if that is not possible."""
        if not await self.triage.ask(turn.message):
            raise Refused("no question can be made of it in this channel, where I take none", code="not_watched")
        await self.voice.tell(turn.message, TO_TRIAGE)

    def _signs(self, turn: TalkTurn) -> TurnSigns:
        names = self.reactions.names if self.reactions.allows(turn.message.chat_id) else {}
        return TurnSigns(turn=turn, signs=self.signs, marks=self.marks, names=names)
