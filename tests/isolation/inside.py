"""A program that tries to get out of its boundary and says what it got: `python inside.py`, with its tries as JSON.

It is run by tests and by `measure/attack/isolation.py`, with the project's folder as its own.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from typing import Any

_AT_HOST, _MS_REMOUNT, _MS_BIND = "127.0.0.1", 32, 4096


def read(path: str) -> Any:
    """The beginning of a file."""
    with open(path, "rb") as file:  # noqa: PTH123  # as little as possible is imported inside
        return file.read(200).decode("utf-8", "replace")


def names(path: str) -> Any:
    """The names in a folder."""
    return sorted(os.listdir(path))  # noqa: PTH208  # as above


def write(path: str) -> Any:
    """A new file, or a change of one."""
    with open(path, "a") as file:  # noqa: PTH123  # as above
        return file.write("changed")


def open_(path: str) -> Any:
    """A file open for writing, in which nothing is changed."""
    with open(path, "r+b", buffering=0):  # noqa: PTH123  # as above
        return "open"


def remove(path: str) -> Any:
    """A file less."""
    os.remove(path)  # noqa: PTH107  # as above
    return "removed"


def link(path: str) -> Any:
    """Another name for a file, in the program's own memory."""
    os.link(path, "/linked")
    return "linked"


def connect(port: int) -> Any:
    """A connection to this machine."""
    with socket.create_connection((_AT_HOST, port), timeout=2) as made:
        return made.recv(100).decode()


def send(port: int) -> Any:
    """A datagram to another machine, and to this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        return made.sendto(b"x", ("192.0.2.1", 53)) + made.sendto(b"x", (_AT_HOST, port))


def abstract(name: str) -> Any:
    """A socket of this machine that has a name and no file."""
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(f"\0{name}")
        return "connected"


def unix(path: str) -> Any:
    """A socket that is a file."""
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(path)
        return "connected"


def variables(known: str) -> Any:
    """The names of all variables, but for those that were given."""
    return sorted(set(os.environ) - set(known.split()))


def kill(pid: int) -> Any:
    """A signal to a process outside, which it would not feel."""
    os.kill(pid, 0)
    return "there"


def remount(path: str) -> Any:
    """The same folder, for writing."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(b"none", path.encode(), None, _MS_REMOUNT | _MS_BIND, None):
        raise OSError(ctypes.get_errno(), "mount")
    return "mounted"


TRIES = {
    made.__name__.rstrip("_"): made
    for made in (read, names, write, open_, remove, link, connect, send, abstract, unix, variables, kill, remount)
}


def main() -> None:
    """Make each try, and print what came of all: what it got, or nothing."""
    got = []
    for kind, about in json.loads(sys.argv[1]):
        try:
            got.append(TRIES[kind](about))
        except OSError:
            got.append(None)
    print(json.dumps(got))  # noqa: T201  # the output


if __name__ == "__main__":
    main()
