"""Boundary of declared programs: those of the settings that run in the folder of a project or a workspace.

Without a network; isolated they see the folder, their own installation and what the settings add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.isolation.grant import PRIVATE_HOME, Grant
from bot.isolation.in_force import boundary
from bot.isolation.program import locate_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ConfinedProgram:
    """A program as it is started."""

    command: tuple[str, ...]
    """The boundary's program with its options, then the program itself; without a boundary the program alone."""
    variables: dict[str, str]
    """Variables in which its environment differs from that of its caller."""


def confine_program(argv: Sequence[str], *, folder: Path, writes: bool, reads: Sequence[Path] = ()) -> ConfinedProgram:
    """Return the command that starts a declared program in a folder. Blocking.

    Raises `FileNotFoundError` if there is no such program, and `Misconfigured` if a required boundary is missing.
    """
    located = locate_program(argv[:1])  # not its arguments: values of parameters grant nothing
    command = (*located.command, *argv[1:])
    limits = boundary()
    grant = Grant(
        folder=folder,
        reads=(*(each for path in reads for each in (path, path.resolve())), *located.reads, folder),
        writes=(folder,) if writes else (),
        is_equipped=True,
    )
    confined = limits.arguments(grant, command)
    return ConfinedProgram(
        command=confined, variables={"PATH": located.path, "HOME": PRIVATE_HOME} if limits.bwrap else {}
    )


def describe_boundary(*, writes: bool) -> tuple[bool, str]:
    """Return whether declared programs are isolated here, and what that means, as a sentence."""
    limits = boundary()
    if limits.bwrap:
        reach = "reads and writes" if writes else "reads"
        return True, f"It {reach} its folder, and has no network and nothing else of this machine but programs."
    return False, (
        "It has all rights of the bot's user on this machine, the network included, and may write anywhere: "
        f"{limits.problem}."
    )
