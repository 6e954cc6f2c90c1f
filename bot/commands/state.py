"""State of Triage: `pause`, `resume`, `stop`."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import EmptyInput
from bot.commands.inputs_work import ControlInput
from bot.commands.registry import StandIn, command
from bot.errors import TriageError
from bot.models.command_data.status import StatusData
from bot.models.thread_event import HeldBack, StateChanged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls, State
    from bot.triage.orchestrator import Orchestrator

_SET_TO: Mapping[State, str] = {"running": "resumed", "paused": "paused", "stopped": "stopped"}
_END_PAUSE = "`/triage resume` ends the pause."
_END_STOP = "`/triage resume` starts it again."


@dataclass(frozen=True, kw_only=True)
class StateCommands:
    """Commands that set the state, which the orchestrator then follows."""

    controls: Controls
    orchestrator: Orchestrator
    clock: Clock

    orchestrator_control = StandIn(
        "orchestrator_control",
        "shows the state of Triage; for admins it also pauses or resumes it",
        input=ControlInput,
        role="operator",
        by="action",
        result=StatusData,
    )

    @command(
        "pause",
        "lets investigations wait; approved replies are still posted",
        input=EmptyInput,
        role="admin",
        tier="reversible",
        deed="investigations were paused",
    )
    async def pause(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """Pause: investigations that have not begun wait."""
        self._refuse_outdated(asker)
        if self.controls.state != "running":
            hint = _END_PAUSE if self.controls.state == "paused" else _END_STOP
            already = f"Triage is {self.controls.state} already. {hint}{self._describe_held()}"
            return CommandAnswer(line=already, is_unchanged=True)
        await self.controls.set_state("paused", self.clock.now(), ordered_at=asker.written_at)
        self.orchestrator.notify(f"<@{asker.user_id}> has paused Triage: investigations wait. {_END_PAUSE}")
        return CommandAnswer(
            line="Paused. Messages are recorded and classified, investigations wait, approved replies are posted. "
            f"Running work continues to its end ({count(self.orchestrator.running, 'run')}). {_END_PAUSE}"
            f"{self._describe_held()}"
        )

    @command(
        "resume",
        "resumes after pause or stop; replies that stop held back need a decision again",
        input=EmptyInput,
        role="admin",
        tier="reversible",
        deed="investigations were resumed",
        needs_press=True,
    )
    async def resume(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """Resume: begin the investigations that waited."""
        self._refuse_outdated(asker)
        if self.controls.state == "running":
            return CommandAnswer(line="Triage was not paused.", is_unchanged=True)
        held_threads, unheard = tuple(self.orchestrator.waiting), await self.controls.take_unheard()
        await self.controls.set_state("running", self.clock.now(), ordered_at=asker.written_at)
        unposted = await self.orchestrator.release()
        await self._hold_back(unposted)
        self._update_status(held_threads)
        self.orchestrator.notify(f"<@{asker.user_id}> has resumed Triage.")
        replies = count(len(unposted), "approved reply", "approved replies")
        back = f" {replies} back to the operator." if unposted else ""
        started = len(held_threads) - len(unposted) - len(self.orchestrator.waiting)
        still = " Others wait for their project: `list_projects`." if self.orchestrator.waiting else ""
        return CommandAnswer(
            line=f"Triage has resumed. {count(started, 'question')} had waited."
            f"{back}{still}{_describe_unheard(unheard)}"
        )

    @command(
        "stop",
        "ends all runs, and holds back approved replies that are not posted yet",
        input=EmptyInput,
        role="admin",
        tier="reversible",
        deed="Triage was stopped",
        needs_press=True,
    )
    async def stop(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """Stop: no run, no post. Running work ends before the state is on disk."""
        save_task = asyncio.create_task(
            self.controls.set_state("stopped", self.clock.now(), ordered_at=asker.written_at)
        )
        await asyncio.sleep(0)  # the state is set from here on, so nothing new begins
        halted = await self.orchestrator.halt()
        await self._hold_back(halted.posts)
        self._update_status((*halted.runs, *halted.fixes))
        await save_task
        replies = count(len(halted.posts), "approved reply", "approved replies")
        late_text = f" {count(halted.unfinished, 'run')} did not end immediately." if halted.unfinished else ""
        summary = f"{count(len(halted.runs), 'run')} ended, {replies} held back for the operator to look at again."
        summary += f" {count(len(halted.fixes), 'fix', 'fixes')} interrupted." if halted.fixes else ""
        summary += await self._name_runbooks(halted.runbooks)
        self.orchestrator.notify(f"<@{asker.user_id}> has stopped Triage: {summary} {_END_STOP}")
        return CommandAnswer(
            line=f"Stopped: {summary}{late_text} Nothing is posted. {_END_STOP}{self._describe_held()}"
        )

    async def _name_runbooks(self, thread_ids: Iterable[str]) -> str:
        """Return a sentence on the runbooks that run on, after a space; empty without one."""
        names = []
        for thread_id in thread_ids:
            with suppress(TriageError):  # what cannot be read is in the log
                thread = await self.orchestrator.store.load(thread_id)
                remedy = thread.incident.proposal if thread and thread.incident else None
                names += [f"`{escape(remedy.runbook)}`"] if remedy else []
        return f" Still running, to their end: {', '.join(names)}." if names else ""

    def _refuse_outdated(self, asker: Asker) -> None:
        """Raise `NotDone` for a message that came late, and was written before the present state was ordered."""
        if self.controls.is_outdated(asker.written_at):
            raise NotDone(
                f"This was written before Triage was {_SET_TO[self.controls.state]}, and came late. Nothing was done. "
                "Send it again if you still need it."
            )

    async def _hold_back(self, thread_ids: Iterable[str]) -> None:
        """Return approved replies to their operator, unless they are posted in the thread after all."""
        at = self.clock.now()
        events = ((thread_id, HeldBack(at=at, fresh=self.clock.new_id())) for thread_id in thread_ids)
        await asyncio.gather(*(self.orchestrator.submit(*event) for event in events))

    def _update_status(self, thread_ids: Iterable[str]) -> None:
        """Update the status of these threads: their runs wait, or wait no more."""
        for thread_id in thread_ids:
            self.orchestrator.tell(thread_id, StateChanged(at=self.clock.now(), fresh=self.clock.new_id()))

    def _describe_held(self) -> str:
        """Describe the questions held by the state (not those awaiting a decision), as the App Home shows them too."""
        number = len(self.orchestrator.waiting)
        return f" {count(number, 'question')} {'is' if number == 1 else 'are'} held until then." if number else ""


def _describe_unheard(unheard: Mapping[str, int]) -> str:
    """Describe the messages to the bot that arrived while it was stopped."""
    if not unheard:
        return ""
    messages, people = sum(unheard.values()), count(len(unheard), "person", "people")
    return (
        f" While it was stopped it received {count(messages, 'message')} of {people}: the questions among them "
        "continue now, the others were answered with one line and not acted on."
    )


def count(number: int, singular: str, plural: str = "") -> str:
    """Return number and noun, such as `1 run`, `2 runs`; `plural` is an irregular plural."""
    return f"{number} {singular if number == 1 else plural or f'{singular}s'}"
