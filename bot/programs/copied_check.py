"""Check of a project on a copy of a workspace: what it writes there, the workspace never gets."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from bot.models.program_run import CheckReport
from bot.runtime.removed_folder import remove_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models.declared_command import DeclaredCheck
    from bot.programs.project_check import ProjectChecks


@dataclass(frozen=True, kw_only=True)
class CopiedCheck:
    """Runner of one check. `scratch` is the folder of the copies, each of which lasts for one run."""

    checks: ProjectChecks
    check: DeclaredCheck
    workspace: Path
    scratch: Path
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def run(self) -> CheckReport:
        """Run the check on the files as they are now. Raises `Misconfigured` if a required boundary is missing."""
        copy = self.scratch / f"{self.workspace.name}-{next(self._numbers)}"
        try:
            await asyncio.to_thread(_copy, self.workspace, copy)
            return await self.checks.run(self.check, copy)
        except OSError as problem:
            reason = f"The workspace could not be copied for it: {problem.strerror or 'see the log'}."
            return CheckReport(exit_code=None, duration_ms=0, output="", problem=reason, is_isolated=False)
        finally:
            await asyncio.to_thread(remove_folder, copy)


def _copy(workspace: Path, copy: Path) -> None:
    """Copy the files without git's mark, links as links. Raises `OSError`."""
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def leave_out(folder: str, names: list[str]) -> set[str]:
        return {".git"} & {*names} if folder == str(workspace) else set()

    shutil.copytree(workspace, copy, symlinks=True, ignore=leave_out)
