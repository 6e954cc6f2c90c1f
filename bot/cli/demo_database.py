"""Database of `triage demo --replicas`: a PostgreSQL of this machine that only the demo reaches, over a socket file."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MISSING = "--replicas needs the server programs of PostgreSQL: apt install postgresql"
_STARTS_WITHIN = 30.0


@asynccontextmanager
async def run_database(folder: Path) -> AsyncIterator[str]:
    """Run a server with its data in `folder` until the end of the block; yield the address of its database.

    Raises `Misconfigured` where PostgreSQL is not installed, or does not start.
    """
    programs, user = _find_programs(), _find_user()
    with tempfile.TemporaryDirectory(prefix="triage-demo-") as name:  # a socket's path may have 107 characters
        sockets, data = Path(name), folder / "postgresql" if user is None else Path(name) / "data"
        if user:
            shutil.chown(sockets, user)
        if not (data / "PG_VERSION").exists():
            await _create(programs, data, user)
        options = ("-c", "listen_addresses=", "-k", str(sockets), "-c", "max_connections=60")
        server = await asyncio.create_subprocess_exec(
            *(programs / "postgres", "-D", data, *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=user,
            cwd=sockets,
            start_new_session=True,  # ctrl-C ends the bots first
        )
        try:
            address = f"postgresql://triage@/postgres?host={quote(name, safe='')}"
            await _wait(server, address)
            yield address
        finally:
            if server.returncode is None:
                server.terminate()
                await server.wait()


async def _create(programs: Path, data: Path, user: str | None) -> None:
    made = await asyncio.create_subprocess_exec(
        *(programs / "initdb", "-D", data, "-E", "UTF8", "--no-locale", "--auth=trust", "--username=triage"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        user=user,
        cwd="/",
    )
    _, errors = await made.communicate()
    if made.returncode:
        raise Misconfigured(f"--replicas: no database could be made: {errors.decode(errors='replace').strip()}")


async def _wait(server: asyncio.subprocess.Process, address: str) -> None:
    import psycopg

    try:
        async with asyncio.timeout(_STARTS_WITHIN):
            while server.returncode is None:
                try:
                    return await (await psycopg.AsyncConnection.connect(address, connect_timeout=2)).close()
                except psycopg.OperationalError:
                    await asyncio.sleep(0.1)
    except TimeoutError:
        pass
    raise Misconfigured("--replicas: PostgreSQL did not start; `triage demo` without it needs no database")


def _find_programs() -> Path:
    """Return the newest installed programs; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    place = str(found[-1]) if found else shutil.which("initdb")
    if place is None:
        raise Misconfigured(MISSING)
    return Path(place).parent


def _find_user() -> str | None:
    """Return a user whom PostgreSQL accepts where this one is root, whose data is gone with the demo."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)
