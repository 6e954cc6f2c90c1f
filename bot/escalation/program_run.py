"""Run of tier 2 or 3 by a team's own program in place of Triage's investigator.

Its answer has the form of any long run's, and code opens its references again, as those of any findings. No tool of
Triage has seen the lines that it opened, so none counts as unopened: the quotes must stand there word for word.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.answers import InvalidAnswer, parse_answer
from bot.agents.incident_output import choose_long_form
from bot.agents.investigator import to_return
from bot.agents.own_lines import with_own_lines
from bot.agents.shortening import shorten
from bot.agents.unchecked_notes import clip_notes
from bot.decide.program_arguments import ProgramValues, fill
from bot.errors import TriageError
from bot.escalation.handoff_content import build_handoff
from bot.escalation.headless import RunEnd
from bot.escalation.program_answer import ProgramAnswer, read_answer
from bot.models.escalation import PROGRAM, HeadlessReturn
from bot.models.findings import EngineReport
from bot.models.session import Session
from bot.runtime.atomic_file import replace_file
from bot.runtime.child_program import MOST_KEPT, ChildProgram
from bot.tools.tool import schema_of
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.agents.briefing import Briefing
    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.transcript import Transcript
    from bot.models.escalation import EscalationTask
    from bot.models.project import Project
    from bot.models.session import Outcome
    from bot.ports.outbound import Clock, SessionStore
    from bot.runtime.child_program import ProgramEnd

MOST_SHOWN = 500_000
"""Characters of the output in the transcript."""
_LONGEST_REASON = 600


@dataclass(frozen=True, kw_only=True)
class ProgramRun:
    """Harness around a program. `folder` is for its files; `context` is the handoff of the tier before."""

    task: EscalationTask
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    briefing: Briefing
    context: str
    prompt: str
    model: str
    max_turns: int
    seconds: float
    transcript: Transcript
    redactor: Redactor
    sessions: SessionStore
    clock: Clock
    _shown: list[int] = field(default_factory=lambda: [0])

    @property
    def limits(self) -> str:
        """Return the program and its limits."""
        return f"the program {self.command[0]}, {self.seconds / 60:.3g} minutes"

    async def run(self) -> RunEnd:
        """Run the program; its cost counts as far as it reports one, else as all that the run may cost."""
        now, task = self.clock.now(), self.task
        session = Session(
            session_id=task.session_id,
            agent="investigator",
            tier=task.tier,
            model=self.model,
            parent_session_id=task.parent_session_id,
            thread_id=task.thread_id,
            started_at=now,
            saved_at=now,
            held_usd=task.usd,
        )
        await self.sessions.save(session)
        try:
            end, answer = await self._run_program()
        except BaseException as problem:
            is_cancelled = isinstance(problem, asyncio.CancelledError)
            await self._close(session, "cancelled" if is_cancelled else "failed", ProgramAnswer(""))
            raise
        await self._close(session, end.returned.outcome, answer, end.returned.reason)
        return end

    def collect(self, returned: HeadlessReturn) -> RunEnd:
        """Return the end of a run that was broken off, with the text that the program wrote so far."""
        return RunEnd(returned=returned.evolve(unchecked_notes=clip_notes(self._read_return_file())))

    async def close(self) -> None:
        """Do nothing: the program ended with its run."""

    async def _run_program(self) -> tuple[RunEnd, ProgramAnswer]:
        project, places = await self.briefing.scout_projects(self.task.assignment)
        command = fill(self.command, self._write_task(project, places))
        self.transcript.write(f"starts {command[0]} in {project.root}")
        child = ChildProgram(self._show)
        try:
            async with asyncio.timeout(self.seconds):
                end = await child.run(command, cwd=project.root, environment=self.environment)
        except TimeoutError:
            answer = read_answer(child.output, self._read_return_file())
            return self._fail("limit", f"it took longer than {self.seconds:g} s", answer), answer
        except OSError as problem:
            reason = f"the program {command[0]} cannot be started: {problem.strerror}"
            return self._fail("failed", reason, ProgramAnswer("")), ProgramAnswer("", cost_usd=0.0)
        self.transcript.write(f"{command[0]} ended with exit code {end.code}")
        answer = read_answer(end.output, self._read_return_file())
        return await self._read_end(end, answer, project), answer

    async def _read_end(self, end: ProgramEnd, answer: ProgramAnswer, project: Project) -> RunEnd:
        if end.code:
            return self._fail(answer.outcome, self._describe_failure(end, answer), answer)
        if answer.fault:
            return self._fail(answer.outcome, f"the program reports {self._clip(answer.fault)}", answer)
        try:
            parsed = parse_answer(choose_long_form(self.task.assignment), answer.text, shorten)
        except InvalidAnswer as problem:
            return self._fail("unusable", f"the program's answer cannot be used: {problem}", answer)
        findings = await with_own_lines(to_return(parsed.answer, self.task.assignment.round), project, self.redactor)
        report = EngineReport(
            project=project.name,
            engine=PROGRAM,
            findings=findings,
            found_nothing=findings.confidence == "low" and not findings.evidence_refs,
            answer_changes=parsed.changes,
        )
        returned = HeadlessReturn(
            session_id=self.task.session_id, outcome="answered", report=report, cost_usd=answer.cost_usd
        )
        return RunEnd(returned=returned, handoff=build_handoff(self.task, returned, parsed.answer))

    def _fail(self, outcome: Outcome, reason: str, answer: ProgramAnswer) -> RunEnd:
        """Return the end of a run that has no answer; a failed program hands nothing over."""
        returned = HeadlessReturn(
            session_id=self.task.session_id,
            outcome=outcome,
            reason=reason,
            unchecked_notes=clip_notes(answer.text),
            cost_usd=answer.cost_usd,
        )
        return RunEnd(returned=returned)

    def _describe_failure(self, end: ProgramEnd, answer: ProgramAnswer) -> str:
        how = f"with exit code {end.code}" if end.code > 0 else f"by signal {-end.code}"
        said = answer.fault or " / ".join(end.last_lines)
        return f"the program ended {how}{f': {self._clip(said)}' if said else ''}"

    def _clip(self, text: str) -> str:
        safe = " ".join(self.redactor.redact(text).split())
        return safe if len(safe) <= _LONGEST_REASON else f"…{safe[1 - _LONGEST_REASON :]}"

    def _write_task(self, project: Project, places: str) -> ProgramValues:
        """Write the task's file; return the values of the placeholders."""
        schema = schema_of(choose_long_form(self.task.assignment))
        self.folder.mkdir(mode=0o700, exist_ok=True)
        values = ProgramValues(
            task_file=self.folder / "task.md",
            task_dir=self.folder,
            return_file=self.folder / "answer.json",
            project_root=project.root,
            schema=json.dumps(schema),
            model=self.model,
            session_id=self.task.session_id,
            thread_id=self.task.thread_id,
            tier=self.task.tier,
            max_turns=self.max_turns,
            seconds=int(self.seconds),
            usd=self.task.usd,
        )
        text = render(
            "program_task",
            root=str(project.root),
            return_file=str(values.return_file),
            schema=json.dumps(schema, indent=1),
            minutes=f"{self.seconds / 60:.3g}",
            more=self.prompt,
            task=f"{self.briefing.render(self.task.assignment, project, places)}\n\n{self.context}".rstrip(),
        )
        try:
            values.return_file.unlink(missing_ok=True)
            replace_file(values.task_file, f"{text}\n".encode(), point="escalations")
        except OSError as problem:
            raise TriageError(f"{values.task_file} could not be written: {problem.strerror}") from problem
        return values

    def _read_return_file(self) -> str:
        """Return the text that the program wrote; empty without one. Only a plain file counts."""
        with suppress(OSError):
            handle = os.open(self.folder / "answer.json", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                if stat.S_ISREG(os.fstat(handle).st_mode):
                    return file.read(MOST_KEPT).decode("utf-8", "replace")
        return ""

    def _show(self, lines: Sequence[str]) -> None:
        """Write lines of the output into the transcript, up to a limit."""
        if self._shown[0] > MOST_SHOWN:
            return
        self._shown[0] += self.transcript.show(lines)
        if self._shown[0] > MOST_SHOWN:
            self.transcript.write("The rest of its output is left out.")

    async def _close(self, session: Session, outcome: Outcome, answer: ProgramAnswer, reason: str = "") -> None:
        """Save the final record: the reported cost, at most the sum that was held for it; else all of that."""
        now, cost = self.clock.now(), answer.cost_usd
        closed = session.evolve(
            num_turns=answer.turns,
            cost_usd=None if cost is None else min(cost, session.held_usd),
            unsure_usd=session.held_usd if cost is None else 0.0,
            held_usd=0.0,
            duration_ms=round((now - session.started_at).total_seconds() * 1000),
            outcome=outcome,
            reason=self.redactor.redact(reason),
            saved_at=now,
        )
        with suppress(TriageError):  # the record saved before counts all that was held
            await self.sessions.save(closed)
