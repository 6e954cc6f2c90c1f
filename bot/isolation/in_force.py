"""The boundary in force in this process: settled once from `security.isolation`, asked for at each program's start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.errors import Misconfigured
from bot.isolation.grant import confined
from bot.isolation.machine import bwrap_here, system_mounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.isolation.grant import Grant

Mode = Literal["required", "auto", "off"]
_COMPLAINT = b"bwrap: "


class NotIsolated(OSError):
    """A program could not be started inside its boundary, and so was not started."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """`bwrap`, or the reason why programs start without it."""

    bwrap: tuple[str, ...] = ()
    """Its path, and what it needs here."""
    problem: str = ""
    """Why there is no boundary, with the next step."""
    required: bool = False

    def arguments(self, grant: Grant, arguments: Sequence[str]) -> tuple[str, ...]:
        """The command that starts a program with no more than its grant; its own one where there is no boundary.

        Raises `Misconfigured` where there must be one.
        """
        self.demand()
        if not self.bwrap:
            return tuple(arguments)
        return confined(self.bwrap, grant, system_mounts(network=grant.network), arguments)

    def demand(self) -> None:
        """Raise `Misconfigured` where there must be a boundary and is none."""
        if self.required and not self.bwrap:
            raise Misconfigured(f"security.isolation: required, and {self.problem}")

    def check(self, complaint: bytes) -> None:
        """Raise `NotIsolated` when what a failed program said is `bwrap`'s own: the program itself never ran."""
        if self.bwrap and complaint.startswith(_COMPLAINT):
            why = " ".join(complaint[len(_COMPLAINT) :].decode(errors="replace").split())[:200]
            raise NotIsolated(0, f"its boundary cannot be made ({why})")


_settled: Boundary | None = None


def settle(mode: Mode) -> Boundary:
    """Have this boundary from now on in the whole process; blocks for a moment. Without the `required` one no program
    starts any more."""
    global _settled
    found = Boundary(problem="security.isolation is off") if mode == "off" else _on_this_machine()
    _settled = replace(found, required=mode == "required")
    return _settled


def boundary() -> Boundary:
    """The boundary in force; `auto` where nothing was settled."""
    return _settled or _on_this_machine()


@cache
def _on_this_machine() -> Boundary:
    return Boundary(*bwrap_here())
