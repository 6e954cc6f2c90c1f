"""Fixer: rounds of edits by an agent, the project's check by code, and a validator, until a change passes both.

The agent has no way to run anything, and to change anything but text files of the workspace. Its conversation goes on
from round to round; the validator's context is fresh each time. All rounds share the turns, the time and the money of
one run. The check runs on copies, once before any change: one that passes there proves nothing about the defect.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.agents.diff_validator import describe_check
from bot.agents.fix_forms import DEFAULT_TITLE, FixAnswer
from bot.agents.run import Task
from bot.decide.drafted_changes import (
    clean_words,
    correct_tests,
    find_hidden,
    find_objections,
    measure_change,
    measure_text,
)
from bot.decide.file_marks import is_test
from bot.decide.limits import NOTHING_SPENT
from bot.errors import TriageError
from bot.models.fix import MAX_DESCRIPTION_CHARS, MAX_DIFF_CHARS, MAX_ROUNDS, MAX_TITLE_CHARS, FixRound
from bot.models.fix_task import DraftedFile, FixDraft
from bot.tools.file_tools import FileTools
from bot.tools.read_log import ReadLog
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.diff_validator import DiffValidator
    from bot.agents.journal import RunLog
    from bot.agents.loop import Loop
    from bot.agents.run import Run
    from bot.decide.limits import RunLimits, Spent
    from bot.models.fix_task import FixTask
    from bot.models.program_run import CheckReport
    from bot.models.session import Session
    from bot.models.turn import Entry
    from bot.programs.copied_check import CopiedCheck
    from bot.tools.edit_tools import EditTools
    from bot.tools.guard import Guard

VALIDATOR_TURNS = 10
_LOGGED_LINES = 6
NOTHING_CHANGED = "No file was changed, so nothing was checked."
NO_JUDGEMENT = "The validator came to no judgement."
NO_PASS = f"No change passed the check and the validator in {MAX_ROUNDS} rounds."


@dataclass(kw_only=True)
class FixProgress:
    """Rounds so far, also of a run that is broken off."""

    check_before: CheckReport | None = None
    rounds: list[FixRound] = field(default_factory=list)
    problem: str = ""
    """The reason why there is no draft, in a plain sentence."""


@dataclass(kw_only=True)
class _Conversation:
    """The agent's conversation over all rounds."""

    history: Sequence[Entry] = ()
    spent: Spent = NOTHING_SPENT


@dataclass(frozen=True, kw_only=True)
class Fixer:
    """Drafter of one change."""

    loop: Loop
    limits: RunLimits
    guard: Guard
    desk: EditTools
    check: CopiedCheck
    validator: DiffValidator
    log: RunLog
    progress: FixProgress
    before_turn: Callable[[Session], Awaitable[Sequence[str]]] | None = None

    async def draft(self, task: FixTask) -> FixDraft | None:
        """Return a change that passed; `None` after the last round, with the reason in `progress`.

        Raises `TriageError` if an agent cannot go on.
        """
        progress = self.progress
        await self.log.say("The project's check runs before any change.")
        progress.check_before = before = await self.check.run()
        await self._log_check("before any change", before)
        if before.exit_code is None:
            progress.problem = f"The project's check did not come to its end before any change. {before.problem}"
            return None
        talk, question = _Conversation(), self._write_task(task, before)
        for number in range(1, MAX_ROUNDS + 1):
            await self.log.say(f"round {number} of {MAX_ROUNDS}")
            answer = await self._edit(task, talk, question)
            if answer.problem:
                progress.problem = f"The agent could not mend it: {self.guard.redactor.redact(answer.problem)}"
                progress.rounds.append(FixRound(number=number, problem=progress.problem))
                return None
            ended, question = await self._try(task, talk, number, before)
            progress.rounds.append(ended)
            if ended.problem:
                await self.log.say(f"round {number}: {ended.problem}")
            else:
                return self._build_draft(answer)
        progress.problem = NO_PASS
        return None

    async def _edit(self, task: FixTask, talk: _Conversation, question: str) -> FixAnswer:
        """Have the agent change files. Raises `TriageError` without an answer."""
        reader = FileTools(root=task.folder, guard=self.guard, read_log=ReadLog(), ignore=task.ignore)
        run: Run[FixAnswer] = await self.loop.run(
            Task(
                agent="fixer",
                prompt=render("fixer", most=f"{MAX_DIFF_CHARS:,}"),
                question=question,
                tools=[*reader.tools, *self.desk.tools],
                form=FixAnswer,
                limits=self.limits,
                goes_on=talk.history,
                spent=talk.spent,
                tier=2,
                session_id=None if talk.history else task.session_id,
                parent_session_id=task.session_id if talk.history else None,
                thread_id=task.thread_id,
                journal=self.log,
                before_turn=self.before_turn,
            )
        )
        talk.history, talk.spent = run.history, run.spent
        return run.get_answer()

    async def _try(self, task: FixTask, talk: _Conversation, number: int, before: CheckReport) -> tuple[FixRound, str]:
        """Check and judge the files as they are; return the round, and the next message for the agent."""
        files, guard = self.desk.changes, self.guard
        if fault := self._find_fault():
            return FixRound(number=number, problem=fault), _write_again(fault, "")
        after = await self.check.run()
        await self._log_check(f"in round {number}", after)
        if not after.has_passed:
            problem = f"The project's check did not pass: {describe_check(after)}"
            output = guard.wrap(after.output, source="check") if after.output else "It printed nothing."
            return FixRound(number=number, check=after, problem=problem), _write_again(problem, output)
        left = None if talk.spent.usd is None else max(0.0, self.limits.usd - talk.spent.usd)
        limits = replace(
            self.limits,
            turns=VALIDATOR_TURNS,
            usd=self.limits.usd if left is None else left,
            seconds=max(1.0, self.limits.seconds - talk.spent.seconds),
        )
        try:
            judgement, spent = await self.validator.judge(task, files, before=before, after=after, limits=limits)
        except TriageError:  # the round is shown with its check
            self.progress.rounds.append(FixRound(number=number, check=after, problem=NO_JUDGEMENT))
            raise
        talk.spent = talk.spent.plus(replace(spent, turns=0, tool_bytes=0))
        has_tests = any(is_test(file.path, file.texts[1]) for file in files)
        judgement = correct_tests(judgement, has_tests=has_tests)
        objections = find_objections(judgement, passed_before=before.has_passed)
        judgement = judgement.evolve(reasons=tuple(guard.redactor.redact(reason)[:600] for reason in judgement.reasons))
        problem = "The validator sent the change back." if objections else ""
        ended = FixRound(number=number, check=after, judgement=judgement, problem=problem)
        return ended, _write_again(problem, guard.wrap("\n".join(objections), source="validator"))

    async def _log_check(self, when: str, report: CheckReport) -> None:
        """Log the result of a check, with its last lines if it failed."""
        await self.log.say(f"check {when}: {describe_check(report)}")
        lines = [line.rstrip() for line in report.output.splitlines() if line.strip()]
        for line in lines[-_LOGGED_LINES:] if not report.has_passed else ():
            await self.log.say(f"check printed: {line}")

    def _find_fault(self) -> str:
        """Return the reason why the change is not even checked, in a plain sentence; empty without one."""
        files = self.desk.changes
        if not files:
            return NOTHING_CHANGED
        size = measure_change([file.path for file in files], self.guard.redactor.redact(self.desk.patch))
        if size > MAX_DIFF_CHARS:
            return (
                f"The change is too large to be shown whole: {size:,} characters, of {MAX_DIFF_CHARS:,} at most, with "
                "the lines around each place, and with quotes and line breaks counted twice."
            )
        hidden = (find_hidden(file.path, *file.texts, self.guard.redactor) for file in files)
        clause = next(filter(None, hidden), "")
        return f"Not all of the change can be read: {clause}." if clause else ""

    def _build_draft(self, answer: FixAnswer) -> FixDraft:
        redact = self.guard.redactor.redact
        files = tuple(DraftedFile(change=file.change, digest=file.digest) for file in self.desk.changes)
        title = redact(clean_words(answer.title))[:MAX_TITLE_CHARS].strip()
        title = title if any(map(str.isalnum, title)) else DEFAULT_TITLE
        description = redact(clean_words(answer.description))[:MAX_DESCRIPTION_CHARS]
        while measure_text(description) > MAX_DESCRIPTION_CHARS:
            description = description[:-1]
        return FixDraft(files=files, title=title, description=description)

    def _write_task(self, task: FixTask, before: CheckReport) -> str:
        wrap, findings = self.guard.wrap, task.findings
        parts = [findings.draft_reply, *_list_references(task), findings.research_notes]
        output = f"\n\n{wrap(before.output, source='check')}" if before.output else ""
        return render(
            "fixer_task",
            defect=wrap(task.defect.summary, source="findings"),
            ref=wrap(task.defect.ref, source="findings"),
            question=wrap(task.question, source="slack"),
            findings=wrap("\n\n".join(part for part in parts if part), source="findings"),
            project=f"{task.project}: {task.description}".rstrip(": "),
            check=f"{describe_check(before).capitalize()}{output}",
        )


def _list_references(task: FixTask) -> list[str]:
    return [
        f"{each.ref}: {each.supports_claim}\n{each.quote or ''}".rstrip()
        for each in task.findings.evidence_refs
        if each.kind == "file"
    ]


def _write_again(reason: str, details: str) -> str:
    return render("fixer_again", reason=reason, details=details)
