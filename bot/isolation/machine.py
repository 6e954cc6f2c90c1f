"""Mounts of this machine's programs, libraries and network files; and a test of `bwrap`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.isolation.grant import OF_A_USER, OF_ROOT, Grant, confine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.isolation.grant import Mount

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Folders of system programs; a program in the boundary sees no others on its PATH."""
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_LINKED = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_NAMES = ("/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/gai.conf", "/etc/services")
_TRUST = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies")
_PEOPLE = ("/etc/passwd", "/etc/group", "/etc/localtime", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
_TRIAL_SECONDS = 10.0

INSTALL = "`apt install bubblewrap`, `dnf install bubblewrap` or `apk add bubblewrap`"
ALLOW = (
    "let this user make user namespaces: on Ubuntu an AppArmor profile for bwrap or "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`, elsewhere `sysctl user.max_user_namespaces=10000`, in a "
    "container a seccomp profile that allows them (docs/deploy.md)"
)


@cache
def system_mounts(*, network: bool) -> tuple[Mount, ...]:
    """Return the mounts that programs need to start, and with `network` to resolve and trust hosts."""
    return (*_mounts(_PROGRAMS), *_mounts(_LINKED), *(_mounts((*_NAMES, *_TRUST, *_PEOPLE)) if network else ()))


def _mounts(places: tuple[str, ...]) -> Iterator[Mount]:
    for place in map(Path, places):
        if place.is_symlink() and place.is_dir():
            yield ("--symlink", str(place.readlink()), str(place))
        elif place.exists():
            yield ("--ro-bind-try", str(place.resolve()), str(place))


def bwrap_here() -> tuple[tuple[str, ...], str]:
    """Find a working `bwrap`; return its path and options, or the reason why there is none, with the next step."""
    if sys.platform != "linux":
        return (), "there is none on this system: bubblewrap needs Linux"
    program = shutil.which("bwrap", path=PATH) or shutil.which("bwrap")
    if program is None:
        return (), f"bubblewrap is not installed: {INSTALL}"
    refusal = ""
    for rights in (OF_ROOT, OF_A_USER) if os.geteuid() == 0 else (OF_A_USER,):
        refusal = _refusal((program, *rights))
        if not refusal:
            return (program, *rights), ""
    return (), f"{program} is refused ({refusal}); {ALLOW}"


def _refusal(bwrap: tuple[str, ...]) -> str:
    """Return the reason why a program does not start in `bwrap`; empty if it does."""
    tried = (shutil.which("true", path=PATH) or "/bin/true",)
    command = confine(bwrap, Grant(folder=Path("/")), system_mounts(network=False), tried)
    try:
        process = subprocess.run(
            command, env={}, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return type(problem).__name__
    message = " ".join(process.stderr.decode(errors="replace").split())[:200]
    return (message.removeprefix("bwrap: ") or f"exit code {process.returncode}") if process.returncode else ""
