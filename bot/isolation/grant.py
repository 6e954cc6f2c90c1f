"""Grants of programs, and the `bwrap` arguments that enforce them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ALONE = ("--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
OF_A_USER = ("--unshare-user",)
OF_ROOT = ("--cap-add", "CAP_DAC_OVERRIDE")
"""Right for root to read granted folders of other users; it loses all others."""
_PROC = ("--proc", "/proc", "--remount-ro", "/proc")
"""A private `/proc`, read-only: a program of root could write kernel settings there, even without capabilities."""
Mount = tuple[str, ...]
"""Option of `bwrap` with its values, or two for one path; the last value is the path inside."""

PRIVATE_HOME = "/tmp"  # noqa: S108  # an empty folder in the program's own memory, not this machine's
"""Home of a program that needs one: empty, and deleted when it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Grant of a program: folders and files at their own paths, besides programs and libraries."""

    folder: PurePath
    """Working folder."""
    reads: tuple[PurePath, ...] = ()
    writes: tuple[PurePath, ...] = ()
    has_network: bool = False
    """True if it may use this machine's network; else it can open no connection, not even to this machine."""
    is_equipped: bool = False
    """True if it has devices, a private `/proc` and an empty `/tmp`, as most programs expect."""


def confine(bwrap: Sequence[str], grant: Grant, system: Iterable[Mount], arguments: Sequence[str]) -> tuple[str, ...]:
    """Build the command that starts `arguments` with no more than `grant`. `system` are the mounts of programs.

    `bwrap` is its path and the options needed here: `OF_A_USER` or `OF_ROOT`.
    """
    program, *rights = bwrap
    alone = (
        *_ALONE,
        *rights,
        *(() if grant.has_network else ("--unshare-net",)),
        *(("--new-session",) if grant.is_equipped else ()),
    )
    mounts = [part for mount in _order_mounts([*system, *_list_mounts(grant)]) for part in mount]
    start = ("--dir", str(grant.folder), "--chdir", str(grant.folder))
    return (program, *alone, *mounts, *start, "--", *arguments)


def _list_mounts(grant: Grant) -> list[Mount]:
    least: list[Mount] = [("--dev-bind", device, device) for device in ("/dev/null", "/dev/urandom")]
    equipment: list[Mount] = [("--dev", "/dev"), _PROC, ("--tmpfs", PRIVATE_HOME)]
    return [
        *(equipment if grant.is_equipped else least),
        *(("--ro-bind", str(path), str(path)) for path in grant.reads),
        *(("--bind", str(path), str(path)) for path in grant.writes),
    ]


def _order_mounts(mounts: Iterable[Mount]) -> list[Mount]:
    """Order mounts from outer to inner, since an outer one hides inner ones; keep the last per path, drop redundant
    ones."""
    last = {PurePath(mount[-1]): mount for mount in mounts}
    by_place: dict[PurePath, Mount] = {}
    for place in sorted(last):
        outer = next((by_place[above] for above in place.parents if above in by_place), None)
        if outer and outer[0] == "--symlink":  # its target is a mounted system folder
            continue
        if not (outer and outer[0] == last[place][0] == "--ro-bind" and outer[-2:] == (outer[-1], outer[-1])):
            by_place[place] = last[place]
    return [*by_place.values()]
