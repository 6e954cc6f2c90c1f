"""Weights file of a home, which overrides the packaged weights: reading, replacing and undoing it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import Misconfigured
from bot.models.weights import WeightTable

if TYPE_CHECKING:
    from pathlib import Path

NAME = "weights.json"
PREVIOUS = "weights.previous.json"
"""The previously replaced file; none if the packaged weights were in use before."""


class WeightsFile:
    """The weights of one home (`Weights`)."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def read(self) -> WeightTable | None:
        """Return the home's own weights, or `None` if the packaged ones are in use. Raises `Misconfigured`."""
        return await asyncio.to_thread(_read, self._home)

    async def write(self, table: WeightTable) -> str:
        """Replace the home's weights; the previous file is kept for `undo`. Returns the path."""
        return str(await asyncio.to_thread(_write, self._home, table))

    async def undo(self) -> bool:
        """Restore the weights before the last write; return whether that is a file, or else the packaged weights.

        Raises `Misconfigured` if the home has no own weights.
        """
        return await asyncio.to_thread(_undo, self._home)


def _read(home: Path) -> WeightTable | None:
    path = home / NAME
    try:
        return WeightTable.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as problem:
        first = problem.errors()[0]["msg"] if isinstance(problem, ValidationError) else problem
        raise Misconfigured(
            f"{path}: expected weights as `triage retrain` writes them: {first}; `triage retrain --undo` goes back"
        ) from None


def _write(home: Path, table: WeightTable) -> Path:
    path, previous, beside = home / NAME, home / PREVIOUS, home / "weights.tmp"
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(f"{table.model_dump_json(indent=1)}\n")
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            path.replace(previous)
        else:
            previous.unlink(missing_ok=True)
        beside.replace(path)
    except OSError as problem:
        raise Misconfigured(f"{path}: cannot be written: {problem.strerror}") from None
    return path


def _undo(home: Path) -> bool:
    path, previous = home / NAME, home / PREVIOUS
    if not path.exists() and not previous.exists():
        raise Misconfigured(f"{path}: expected weights to undo; the packaged ones are in use already")
    try:
        if previous.exists():
            previous.replace(path)
            return True
        path.unlink()
    except OSError as problem:
        raise Misconfigured(f"{path}: cannot be undone: {problem.strerror}") from None
    return False
