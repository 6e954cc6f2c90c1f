"""Check of a project: its declared program, run in a workspace, isolated as declared commands are.

It may be repeated: nothing of it is kept but what it writes in the workspace.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.isolation import boundary
from bot.isolation.declared import confine_program
from bot.models.program_run import CheckReport
from bot.programs.reads import find_reads_fault
from bot.runtime.child_program import MOST_KEPT, ChildProgram
from bot.runtime.program_output import format_last_lines
from bot.runtime.workspace_lock import PATIENCE, hold_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bot.decide.redaction.redactor import Redactor
    from bot.models.declared_command import DeclaredCheck


@dataclass(frozen=True, kw_only=True)
class ProjectChecks:
    """Runner of checks. `environment` has the variables that programs of the settings get."""

    environment: Mapping[str, str]
    redactor: Redactor
    lock_patience: float = PATIENCE

    async def run(self, check: DeclaredCheck, folder: Path) -> CheckReport:
        """Run a check to its end or its time limit; a cancelled call ends it with all that it has started.

        Raises `Misconfigured` if a required boundary is missing.
        """
        is_isolated, began = bool(boundary().bwrap), time.monotonic()
        child = ChildProgram(lambda _: None, joins_errors=True)
        code, problem = None, ""
        try:
            code = await self._run(child, check, folder)
        except ToolError as busy:
            problem = f"It was not started: {busy}."
        except TimeoutError:
            problem = f"It took longer than {check.timeout_s:g} s, and was ended."
        except OSError as failure:
            problem = f"{check.argv[0]} cannot be started: {failure.strerror}."
        redact = partial(self.redactor.redact, repeated=True)
        output = await asyncio.to_thread(format_last_lines, child.output, redact, is_cut=len(child.output) >= MOST_KEPT)
        return CheckReport(
            exit_code=128 - code if code is not None and code < 0 else code,
            duration_ms=round((time.monotonic() - began) * 1_000),
            output=output,
            problem=redact(problem),
            is_isolated=is_isolated,
        )

    async def _run(self, child: ChildProgram, check: DeclaredCheck, folder: Path) -> int:
        """Run its program, alone in the workspace; return the exit code, negative for a signal.

        Raises `OSError`, `TimeoutError`, and `ToolError` if something else works there.
        """
        if fault := await asyncio.to_thread(find_reads_fault, check.reads):
            raise FileNotFoundError(2, fault)
        work = partial(confine_program, check.argv, folder=folder, writes=True, reads=check.reads)
        program = await asyncio.to_thread(work)
        environment = {**self.environment, **program.variables}
        async with hold_workspace(folder, alone=True, patience=self.lock_patience), asyncio.timeout(check.timeout_s):
            return (await child.run(program.command, cwd=folder, environment=environment)).code
