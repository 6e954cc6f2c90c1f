"""A bare root: a Debian in a folder, made once for each list of packages, and copied for each use of it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from measure.bare_root import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
RELEASES = {"3.11": "bookworm", "3.13": "trixie"}
"""The release of Debian whose own Python has this version."""


@dataclass(frozen=True)
class Bind:
    """Folder or file of this machine that a root has too."""

    path: Path
    place: str
    is_read_only: bool = True


@dataclass(frozen=True)
class Root:
    """One copy, in which commands run with their own processes and nothing of this machine but its network."""

    folder: Path
    binds: tuple[Bind, ...] = ()
    is_read_only: bool = False
    """But for binds, and a /tmp in memory."""
    variables: Mapping[str, str] = field(default_factory=dict)

    def words(self, *command: str, user: str = "root", cwd: str = "/", options: tuple[str, ...] = ()) -> list[str]:
        """Return the command line that runs a command in here, with further options of bwrap."""
        number, group, home = self.account(user)
        words = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-add", "ALL"]
        words += ["--ro-bind" if self.is_read_only else "--bind", str(self.folder), "/", "--dev", "/dev"]
        words += ["--proc", "/proc", *(("--tmpfs", "/tmp") if self.is_read_only else ())]  # noqa: S108  # of the root
        for bind in self.binds:
            words += ["--ro-bind" if bind.is_read_only else "--bind", str(bind.path), bind.place]
        words += ["--clearenv"]
        for name, value in {"PATH": PATH, "HOME": home, **self.variables}.items():
            words += ["--setenv", name, value]
        return [*words, *options, "--chdir", cwd, "--", *(as_user(number, group) if number else ()), *command]

    def run(self, *command: str, user: str = "root", cwd: str = "/", stdin: str = "") -> str:
        """Run a command to its end, and return what it printed. Raise `Failed` with that if its exit code is not 0."""
        done = subprocess.run(
            self.words(*command, user=user, cwd=cwd),
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise Failed(f"exit code {done.returncode} of {' '.join(command)}:\n{done.stdout}")
        return done.stdout

    def make_place(self, bind: Bind) -> None:
        """Make the folder or file over which a bind will lie: a read-only root cannot."""
        place = self.folder / bind.place.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if bind.path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            place.touch()

    def account(self, user: str) -> tuple[int, int, str]:
        """Return number, group and home of a user, named or numbered as in the root's passwd."""
        for line in (self.folder / "etc" / "passwd").read_text(encoding="utf-8").splitlines():
            name, _, number, group, _, home, _ = line.split(":")
            if user in {name, number}:
                return int(number), int(group), home
        raise LookupError(f"the root has no user {user}")


class Failed(Exception):
    """Command that ended with another exit code than 0."""


def as_user(number: int, group: int) -> list[str]:
    """Return the words that start a command with a user's rights, and no capability to get more."""
    rights = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    return ["setpriv", f"--reuid={number}", f"--regid={group}", "--clear-groups", *rights]


@contextmanager
def bare_root(release: str, *packages: str) -> Iterator[Root]:
    """Give a copy of a Debian of this release with these packages alone, for as long as it is used."""
    made = _made(release, ("ca-certificates", *packages))
    with tempfile.TemporaryDirectory(prefix="triage-root-") as folder:
        copy = Path(folder) / "root"
        subprocess.run(["cp", "--archive", "--reflink=auto", str(made), str(copy)], check=True)  # noqa: S607  # coreutils
        for name in ("etc/resolv.conf", "etc/hosts"):
            if Path("/", name).is_file():
                shutil.copyfile(Path("/", name), copy / name)
        if machine.CERTIFICATES.is_file():
            shutil.copyfile(machine.CERTIFICATES, copy / machine.CERTIFICATES.relative_to("/"))
        yield Root(copy, variables=machine.variables())


def _made(release: str, packages: tuple[str, ...]) -> Path:
    """Return the folder that copies are taken from; make it if nobody has yet, in half a minute."""
    name = hashlib.sha256(" ".join((release, *packages)).encode()).hexdigest()[:12]
    kept = Path(tempfile.gettempdir()) / f"triage-bare-roots-{os.geteuid()}"
    kept.mkdir(mode=0o700, exist_ok=True)
    if kept.is_symlink() or kept.stat().st_uid != os.geteuid() or kept.stat().st_mode & 0o077:
        raise PermissionError(f"{kept} is not this user's alone; remove it")
    made = kept / f"{release}-{name}"
    if not made.is_dir():
        with tempfile.TemporaryDirectory(prefix="new-", dir=kept) as new:
            root = Path(new) / "root"
            command = ["debootstrap", "--variant=minbase", f"--include={','.join(packages)}", release, str(root)]
            done = subprocess.run(
                [*command, machine.find_mirror()],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            if done.returncode:
                raise Failed(f"debootstrap:\n{done.stdout[-4000:]}")
            (root / "etc/apt/apt.conf.d/99machine").write_text(machine.apt_settings(), encoding="utf-8")
            root.rename(made)
    return made
