"""The view of the machine that a program is granted, and the arguments of `bwrap` that give it no more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ALONE = ("--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
OF_A_USER = ("--unshare-user",)
OF_ROOT = ("--cap-add", "CAP_DAC_OVERRIDE")
"""Root goes on reading folders of others that were granted, and has no other right of root's."""
_PROC = ("--proc", "/proc", "--remount-ro", "/proc")
"""Of its own processes; whose user is root could write the kernel's settings there, whatever rights it has lost."""
Mount = tuple[str, ...]
"""An option of `bwrap` with its values, or two for one place; the last is the place inside."""

PRIVATE_HOME = "/tmp"  # noqa: S108  # an empty folder in the program's own memory, not this machine's
"""The home of a program that has one: empty, and gone when it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A program's view: folders and files at the places that they have outside, beside programs and libraries."""

    folder: PurePath
    """Where it starts."""
    reads: tuple[PurePath, ...] = ()
    writes: tuple[PurePath, ...] = ()
    network: bool = False
    """True if it has this machine's network; else it can open no connection, not even to this machine."""
    equipped: bool = False
    """True if it has devices, a `/proc` of its own processes and an empty `/tmp`, as most programs expect."""


def confined(bwrap: Sequence[str], grant: Grant, system: Iterable[Mount], arguments: Sequence[str]) -> tuple[str, ...]:
    """The command that starts `arguments` with no more than `grant`. `system` are the mounts of programs.

    `bwrap` is its path and what it needs here: `OF_A_USER` or `OF_ROOT`.
    """
    program, *rights = bwrap
    alone = (
        *_ALONE,
        *rights,
        *(() if grant.network else ("--unshare-net",)),
        *(("--new-session",) if grant.equipped else ()),
    )
    mounts = [part for mount in _ordered([*system, *_own(grant)]) for part in mount]
    start = ("--dir", str(grant.folder), "--chdir", str(grant.folder))
    return (program, *alone, *mounts, *start, "--", *arguments)


def _own(grant: Grant) -> list[Mount]:
    least: list[Mount] = [("--dev-bind", device, device) for device in ("/dev/null", "/dev/urandom")]
    equipment: list[Mount] = [("--dev", "/dev"), _PROC, ("--tmpfs", PRIVATE_HOME)]
    return [
        *(equipment if grant.equipped else least),
        *(("--ro-bind", str(path), str(path)) for path in grant.reads),
        *(("--bind", str(path), str(path)) for path in grant.writes),
    ]


def _ordered(mounts: Iterable[Mount]) -> list[Mount]:
    """The outer before the inner, which it would hide; one mount a place, the last; none where it changes nothing."""
    last = {PurePath(mount[-1]): mount for mount in mounts}
    kept: dict[PurePath, Mount] = {}
    for place in sorted(last):
        outer = next((kept[above] for above in place.parents if above in kept), None)
        if outer and outer[0] == "--symlink":  # it leads to a folder of the system, which is there
            continue
        if not (outer and outer[0] == last[place][0] == "--ro-bind" and outer[-2:] == (outer[-1], outer[-1])):
            kept[place] = last[place]
    return [*kept.values()]
