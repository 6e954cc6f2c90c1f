"""Boundary of this process: set once from `security.isolation`, used at each program's start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.errors import Misconfigured
from bot.isolation.grant import confine
from bot.isolation.machine import bwrap_here, system_mounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.isolation.grant import Grant

Mode = Literal["required", "auto", "off"]
_COMPLAINT = b"bwrap: "


class NotIsolated(OSError):
    """A program was not started, since its boundary could not be set up."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Boundary: `bwrap`, or the reason why programs start without it."""

    bwrap: tuple[str, ...] = ()
    """Path of `bwrap`, and the options needed here."""
    problem: str = ""
    """Reason for a missing boundary, with the next step."""
    required: bool = False

    def arguments(self, grant: Grant, arguments: Sequence[str]) -> tuple[str, ...]:
        """Return the command that starts a program with no more than its grant; unchanged without a boundary.

        Raises `Misconfigured` if a boundary is required and missing.
        """
        self.demand()
        if not self.bwrap:
            return tuple(arguments)
        return confine(self.bwrap, grant, system_mounts(network=grant.has_network), arguments)

    def demand(self) -> None:
        """Raise `Misconfigured` if a boundary is required and missing."""
        if self.required and not self.bwrap:
            raise Misconfigured(f"security.isolation: required, and {self.problem}")

    def check(self, complaint: bytes) -> None:
        """Raise `NotIsolated` if the error output is `bwrap`'s own, so that the program itself never ran."""
        if self.bwrap and complaint.startswith(_COMPLAINT):
            why = " ".join(complaint[len(_COMPLAINT) :].decode(errors="replace").split())[:200]
            raise NotIsolated(0, f"its boundary cannot be set up ({why})")


_boundary: Boundary | None = None


def configure(mode: Mode) -> Boundary:
    """Set the boundary of the whole process; blocks for a moment. If it is `required` and missing, no program
    starts."""
    global _boundary
    detected = Boundary(problem="security.isolation is off") if mode == "off" else _on_this_machine()
    _boundary = replace(detected, required=mode == "required")
    return _boundary


def boundary() -> Boundary:
    """Return the boundary of this process; `auto` if none was set."""
    return _boundary or _on_this_machine()


@cache
def _on_this_machine() -> Boundary:
    return Boundary(*bwrap_here())
