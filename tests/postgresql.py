"""PostgreSQL of this machine, started for a while as a user other than root."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "-".join(("s3cret", "word"))
MISSING = "PostgreSQL is not installed (apt install postgresql)"
_SPEED = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=40")
_STARTS_WITHIN = 20.0


def find_binaries() -> Path | None:
    """The newest installed binaries: Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    place = shutil.which("initdb")
    return Path(place).parent if place else None


def _find_user() -> str | None:
    """A user whom PostgreSQL accepts; `None` for the present one."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


@contextmanager
def run_postgresql(binaries: Path) -> Iterator[str]:
    """The address of a server with the user `shop`, with the password `PASSWORD`, until the end of the block."""
    user = _find_user()
    with tempfile.TemporaryDirectory(prefix="triage-postgresql-") as name:
        folder = Path(name)
        (folder / "word").write_text(PASSWORD)
        if user:
            for path in (folder, folder / "word"):
                shutil.chown(path, user)
        login = ("--auth=scram-sha-256", "--username=shop", f"--pwfile={folder / 'word'}")
        subprocess.run(
            (binaries / "initdb", "-D", folder / "data", "-E", "UTF8", "--no-locale", "--no-sync", *login),
            check=True,
            capture_output=True,
            user=user,
            cwd=folder,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = [part for option in _SPEED for part in ("-c", option)]
        server = subprocess.Popen(
            (binaries / "postgres", "-D", folder / "data", "-p", str(port), "-h", "127.0.0.1", "-k", folder, *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=user,
            cwd=folder,
        )
        address = f"postgresql://shop:{PASSWORD}@127.0.0.1:{port}/postgres"
        try:
            _wait(server, address)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server: subprocess.Popen[bytes], address: str) -> None:
    """Wait until it accepts connections."""
    until = time.monotonic() + _STARTS_WITHIN
    while True:
        try:
            psycopg.connect(address, connect_timeout=2).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.05)  # another process starts; nothing else tells that it is ready
        else:
            return
