"""One turn of the chat agent: who asks, what was said before, the agent itself, and an answer in every case.

Called by `assistant/conversations`, which keeps turns over restarts. Whether whoever asked was answered is known from
the call of `respond` and from the thread (`assistant/alarms`), never guessed. What the agent sees of a thread is what
the asker said there, and its own answers.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.assistant.alarms import Alarmed, TurnPlace
from bot.assistant.closing import gave_up
from bot.assistant.commands.permission import NOT_OF_US
from bot.assistant.respond import RespondCalls, respond_tool
from bot.assistant.sentences import LATE, NO_MODEL, SILENT, TO_TRIAGE, failed, restarted
from bot.assistant.signs import TurnSigns
from bot.decide.silence import Ended, Nudge
from bot.errors import Refused, TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bot.assistant.alarms import SilentEnds
    from bot.assistant.chat import ChatAgent, Mind
    from bot.assistant.commands.command import Answer
    from bot.assistant.commands.permission import Permission
    from bot.assistant.remembering import Remembering
    from bot.assistant.toolbox import Taint
    from bot.assistant.voice import Voice
    from bot.decide.redact import Redactor
    from bot.models.conversation import Context
    from bot.models.interaction import Asker
    from bot.models.mark import MarkState
    from bot.models.message import Message
    from bot.models.talk import TalkTurn
    from bot.ports import Clock
    from bot.slack_ports import Marks, Signs
    from bot.triage.ground_truth import GroundTruth

log = logging.getLogger(__name__)

LATE_AFTER = timedelta(minutes=10)
"""A message that is older when its turn comes is not acted on: whoever asked has gone since, or asked again."""

AFTER_RESTART = 9
"""The number of what is said of a turn that a restart cut off."""


@dataclass(kw_only=True)
class Outcome:
    """What came of a turn, for the audit."""

    result: str
    actions: tuple[str, ...] = ()
    answered: bool = False
    refused: bool = False
    """Whether the asker was told that this is for members only."""


@dataclass(frozen=True, kw_only=True)
class Talking:
    """Runs turns. `works_here` says whether this person reads answers that nobody else sees, and that no one approves:
    an operator or an admin."""

    mind: Mind
    voice: Voice
    signs: Signs
    marks: Marks
    names: Mapping[MarkState, str]
    marked: Callable[[str], bool]
    """Whether an emoji stands under messages of this channel."""
    silent: SilentEnds
    truth: GroundTruth
    remembering: Remembering
    permission: Permission
    works_here: Callable[[str], bool]
    context_of: Callable[[TalkTurn], Awaitable[Context]]
    ask_triage: Callable[[Message], Awaitable[bool]]
    done_in: Callable[[TalkTurn], Awaitable[Sequence[str]]]
    """What the commands of a turn have done, from the audit, a line each."""
    redactor: Redactor
    clock: Clock
    _numbers: dict[str, int] = field(default_factory=dict)
    """How much was said in each turn that runs."""
    _shown: set[str] = field(default_factory=set)
    """The turns in which a button was put before whoever asked."""

    async def run(self, turn: TalkTurn, taint: Taint, *, refused: bool) -> Outcome:
        """One turn, from whom it is to its end. `refused` says that its asker was told already."""
        if self.voice.silenced(turn.message.home):
            return Outcome(result="silenced")
        if refusal := await self.permission.refusal(turn.asker, "member"):
            if not refused:
                await self.voice.tell(turn.message, refusal)
            return Outcome(result="refused", refused=refusal == NOT_OF_US)
        if self.clock.now() - turn.message.create_time > LATE_AFTER:
            return await self._plainly(turn, LATE, "late")
        if not self.mind.is_ready and not await self.mind.reload_credentials():
            return await self._plainly(turn, NO_MODEL, "no model")
        return await self._talk(turn, taint)

    async def pick_up(self, turn: TalkTurn) -> Outcome:
        """A turn that a restart cut off is never run again: say what it did, unless the thread shows an answer."""
        if self.voice.silenced(turn.message.home):
            return Outcome(result="silenced")
        where = (turn.message.chat_id, turn.root_ts, turn.message.message_id)
        if await self.truth.spoke(*where, turn=turn.turn_id):
            return Outcome(result="answered", answered=True)
        signs = self._signs(turn)
        said = restarted(await self.done_in(turn))
        try:
            await self.voice.say(turn, said, number=AFTER_RESTART, look_first=True)
        except TriageError as problem:
            log.warning("turn %s: nothing can be said of the restart: %s", turn.turn_id, problem)
        await signs.end(well=False)
        return Outcome(result="restarted")

    async def _talk(self, turn: TalkTurn, taint: Taint) -> Outcome:
        signs, calls = self._signs(turn), RespondCalls()
        signs.begin()
        well: bool | None = False
        try:
            agent = self._showing(turn, signs).agent(
                asker=turn.asker,
                context=await self.context_of(turn),
                respond=respond_tool(
                    self._posting(turn, signs),
                    calls=calls,
                    rests_on=lambda: taint.rests_on,
                    in_public=not (turn.is_direct and self.works_here(turn.message.sender.id)),
                    show=lambda text: self.voice.show(turn, text),
                    ask_triage=lambda _: self._to_triage(turn),
                    redactor=self.redactor,
                ),
                doing=signs.doing,
                taint=taint,
            )
            outcome = await self._led(turn, agent, calls, signs)
            well = None if calls.to_triage else outcome.answered  # triage has marks of its own
            return outcome
        finally:
            self._numbers.pop(turn.turn_id, None)
            self._shown.discard(turn.turn_id)
            await signs.end(well=well)

    async def _led(self, turn: TalkTurn, agent: ChatAgent, calls: RespondCalls, signs: TurnSigns) -> Outcome:
        """Have the agent answer, remind it once, and see to it that silence is noticed."""
        ended = await self._chat(turn, agent, calls, signs, self.remembering.words(turn))
        follows = await self._follows(turn, ended)
        if isinstance(follows, Nudge):
            calls.not_there()
            again = await self._chat(turn, agent, calls, signs, follows.text)
            follows = await self._follows(turn, replace(again, nudged=True))
        if isinstance(follows, Alarmed):
            await self.voice.tell(turn.message, SILENT)
            return Outcome(result="silent", actions=agent.actions)
        if self.voice.silenced(turn.message.home):
            return Outcome(result="silenced", actions=agent.actions)
        closed = calls.closed or turn.turn_id in self._shown
        result = "to triage" if calls.to_triage else "answered" if closed else "failed"
        return Outcome(result=result, actions=agent.actions, answered=closed)

    async def _follows(self, turn: TalkTurn, ended: Ended) -> object:
        if self.voice.silenced(turn.message.home):  # nobody is to hear anything
            return None
        return await self.silent.ended(_place(turn), ended)

    async def _chat(self, turn: TalkTurn, agent: ChatAgent, calls: RespondCalls, signs: TurnSigns, text: str) -> Ended:
        said = failure = ""
        try:
            said = await agent.chat(text, *await self.remembering.of(turn, agent.summarize))
        except TriageError as problem:
            log.warning("turn %s: %s", turn.turn_id, problem)
            failure = failed(problem, agent.actions)
        except Exception:
            log.exception("turn %s broke", turn.turn_id)
            failure = failed(None, agent.actions)
        if not failure and not calls.closed:
            failure = gave_up(said)
        otherwise = bool(failure) and not calls.closed and await self._said(turn, failure, signs)
        return Ended(
            responded=calls.closed,
            in_doubt=calls.in_doubt,
            posted_otherwise=otherwise or turn.turn_id in self._shown,
            said=said,
            actions=agent.actions,
            failure=failure or calls.refused,
        )

    async def _said(self, turn: TalkTurn, text: str, signs: TurnSigns) -> bool:
        """Say a plain sentence in the agent's place; says whether it stands there."""
        try:
            await self._posting(turn, signs)(text)
        except TriageError as problem:
            log.warning("turn %s: its failure could not be said: %s", turn.turn_id, problem)
            return False
        return True

    async def _plainly(self, turn: TalkTurn, text: str, result: str) -> Outcome:
        signs = self._signs(turn)
        said = await self._said(turn, text, signs)
        await signs.end(well=False)
        return Outcome(result=result if said else "failed", answered=said)

    def _showing(self, turn: TalkTurn, signs: TurnSigns) -> Mind:
        """The mind; a command that waits has shown its button to whoever asked, so that the turn is no silent one."""
        execute = self.mind.toolbox.execute

        async def show(name: str, given: Mapping[str, Any], asker: Asker, *, tainted: bool = False) -> Answer:
            answer = await execute(name, given, asker, tainted=tainted)
            if answer.outcome == "asked":
                self._shown.add(turn.turn_id)
                if turn.is_direct:
                    signs.posted()
            return answer

        return replace(self.mind, toolbox=replace(self.mind.toolbox, execute=show))

    def _number(self, turn: TalkTurn) -> int:
        number = self._numbers.get(turn.turn_id, 0)
        self._numbers[turn.turn_id] = number + 1
        return number

    def _posting(self, turn: TalkTurn, signs: TurnSigns) -> Callable[[str], Awaitable[None]]:
        async def post(text: str) -> None:
            await self.voice.say(turn, text, number=self._number(turn))
            signs.posted()

        return post

    async def _to_triage(self, turn: TalkTurn) -> None:
        """Make a question of what was asked. Raises `Refused` where none can be made."""
        if not await self.ask_triage(turn.message):
            raise Refused("this channel is not watched, so no question can be made of it here", code="not_watched")
        await self.voice.tell(turn.message, TO_TRIAGE)

    def _signs(self, turn: TalkTurn) -> TurnSigns:
        names = self.names if self.marked(turn.message.chat_id) else {}
        return TurnSigns(turn=turn, signs=self.signs, marks=self.marks, names=names)


def _place(turn: TalkTurn) -> TurnPlace:
    return TurnPlace(
        turn_id=turn.turn_id,
        asker=turn.message.sender.id,
        channel=turn.message.chat_id,
        thread_ts=turn.root_ts,
        ts=turn.message.message_id,
        in_public=not turn.is_direct,
    )
