"""Validator of a change: tries to refute it in a fresh context, from the defect and the patch alone.

`decide/drafted_changes` makes the verdict (spec 1, section 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.fix_forms import JudgementOutput, choose_worst
from bot.agents.run import Task
from bot.models.fix import MAX_DIFF_CHARS, DiffJudgement
from bot.tools.file_tools import FileTools
from bot.tools.read_log import ReadLog
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.journal import RunLog
    from bot.agents.loop import Loop
    from bot.decide.limits import RunLimits, Spent
    from bot.models.fix_task import FixTask
    from bot.models.program_run import CheckReport
    from bot.tools.edit_tools import EditedFile
    from bot.tools.guard import Guard

_TOOLS = ("read_file", "search")


@dataclass(frozen=True, kw_only=True)
class DiffValidator:
    """Validator of changes, on a model."""

    loop: Loop
    guard: Guard
    log: RunLog

    async def judge(
        self, task: FixTask, files: Sequence[EditedFile], *, before: CheckReport, after: CheckReport, limits: RunLimits
    ) -> tuple[DiffJudgement, Spent]:
        """Judge a change, whose files are in the task's folder; return also what that took.

        Raises `TriageError` without a judgement.
        """
        reader = FileTools(root=task.folder, guard=self.guard, read_log=ReadLog(), ignore=task.ignore)
        run = await self.loop.run(
            Task(
                agent="diff-validator",
                prompt=render("diff_validator"),
                question=self._write_task(task, files, before, after),
                tools=[tool for tool in reader.tools if tool.name in _TOOLS],
                form=JudgementOutput,
                choose=choose_worst,
                limits=limits,
                tier=2,
                thread_id=task.thread_id,
                parent_session_id=task.session_id,
                journal=self.log,
            )
        )
        return DiffJudgement.model_validate(run.get_answer().model_dump()), run.spent

    def _write_task(self, task: FixTask, files: Sequence[EditedFile], before: CheckReport, after: CheckReport) -> str:
        wrap = self.guard.wrap
        listed = "\n".join(f"{file.change.status}: {file.path}" for file in files)
        patch = "".join(file.patch for file in files)
        return render(
            "diff_validator_task",
            defect=wrap(task.defect.summary, source="findings"),
            ref=wrap(task.defect.ref, source="findings"),
            project=f"{task.project}: {task.description}".rstrip(": "),
            files=wrap(listed, source="files"),
            patch=wrap(patch, source="patch", max_chars=2 * MAX_DIFF_CHARS),
            before=describe_check(before),
            after=describe_check(after),
        )


def describe_check(report: CheckReport) -> str:
    """Return the result of a check in words, without its output."""
    if report.has_passed:
        return "it passed."
    return report.problem or f"it failed with exit code {report.exit_code}."
