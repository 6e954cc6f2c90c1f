"""Start of a process that outlives the bot: in a session of its own, without an input."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from bot.errors import RetryLater

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def start_detached(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], output: Path
) -> subprocess.Popen[bytes]:
    """Start it with exactly this environment; what it prints is appended to `output`. Raises `RetryLater`."""
    try:
        handle = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            return subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=handle,
                stderr=handle,
                start_new_session=True,
            )
        finally:
            os.close(handle)
    except OSError as problem:
        raise RetryLater(f"{command[0]} could not be started: {problem.strerror}") from problem
