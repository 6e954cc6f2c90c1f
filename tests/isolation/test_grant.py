"""The arguments of `bwrap` for a grant, by table."""

from __future__ import annotations

from pathlib import PurePath as P
from typing import Any

import pytest

from bot.isolation.grant import OF_A_USER, PRIVATE_HOME, Grant, Mount, confine

SYSTEM: tuple[Mount, ...] = (("--ro-bind-try", "/usr", "/usr"), ("--symlink", "usr/bin", "/bin"))
READ = "--ro-bind"
KINDS = (READ, "--bind", "--tmpfs", "--proc", "--remount-ro", "--dev")


def mounts(**given: Any) -> list[tuple[str, ...]]:
    """The mounts of a grant, without those of the system and of devices."""
    command = confine(("bwrap", *OF_A_USER), Grant(folder=P("/p"), **given), SYSTEM, ("rg", "--", "x"))
    assert command[0] == "bwrap"
    assert command[-8:] == ("--dir", "/p", "--chdir", "/p", "--", "rg", "--", "x")
    words = [*command[:-8]]
    starts = [n for n, word in enumerate(words) if word in KINDS]
    return [tuple(words[n : n + (3 if "bind" in words[n] else 2)]) for n in starts]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"reads": [P("/p")]}, [(READ, "/p", "/p")]),
        ({"reads": [P("/p"), P("/p")]}, [(READ, "/p", "/p")]),
        ({"reads": [P("/p/.git"), P("/p")]}, [(READ, "/p", "/p")]),
        ({"reads": [P("/p/app"), P("/p/.git")]}, [(READ, "/p/.git", "/p/.git"), (READ, "/p/app", "/p/app")]),
        ({"reads": [P("/p")], "writes": [P("/p/task")]}, [(READ, "/p", "/p"), ("--bind", "/p/task", "/p/task")]),
        ({"reads": [P("/p/task")], "writes": [P("/p/task")]}, [("--bind", "/p/task", "/p/task")]),
        (
            {"reads": [P("/p"), P("/p/task/in")], "writes": [P("/p/task")]},
            [(READ, "/p", "/p"), ("--bind", "/p/task", "/p/task"), (READ, "/p/task/in", "/p/task/in")],
        ),
        ({"reads": [P("/usr/src/p")]}, [(READ, "/usr/src/p", "/usr/src/p")]),
        ({"reads": [P("/bin/sh"), P("/usr/bin/dash")]}, [(READ, "/usr/bin/dash", "/usr/bin/dash")]),
        (
            {"reads": [P(f"{PRIVATE_HOME}/p")], "is_equipped": True},
            [
                *(("--dev", "/dev"), ("--proc", "/proc"), ("--remount-ro", "/proc"), ("--tmpfs", PRIVATE_HOME)),
                (READ, f"{PRIVATE_HOME}/p", f"{PRIVATE_HOME}/p"),
            ],
        ),
    ],
)
def test_the_mounts_of_a_grant(given: dict[str, object], expected: list[tuple[str, ...]]) -> None:
    """The outer before the inner, none twice; what may be written stays so, and what lies in it as it was granted."""
    assert mounts(**given) == expected


@pytest.mark.parametrize(("network", "equipped"), [(False, False), (True, False), (True, True)])
def test_the_network_and_the_rest(network: bool, equipped: bool) -> None:
    """No network unless it was granted; always its own processes, no right of root, and an end with its parent's."""
    command = confine(
        ("bwrap", *OF_A_USER), Grant(folder=P("/p"), has_network=network, is_equipped=equipped), SYSTEM, ("x",)
    )
    assert ("--unshare-net" in command) is not network
    assert ("--new-session" in command) is equipped
    for word in ("--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc"):
        assert word in command
    assert command[command.index("--cap-drop") + 1] == "ALL"
