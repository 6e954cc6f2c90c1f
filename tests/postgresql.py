"""PostgreSQL of this machine: one cluster for the tests of a worker, run as a user other than root."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

PASSWORD = "-".join(("s3cret", "word"))
MISSING = "PostgreSQL is not installed (apt install postgresql)"
NO_EXTRA = "the extra `postgresql` is not installed"
DATABASE = "triage"
_SPEED = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=40")
"""A crash of the server loses nothing with them, only one of the machine does."""
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


class Cluster:
    """A server in `folder` with the user `shop`, whose password `PASSWORD` only connections over TCP need."""

    def __init__(self, binaries: Path, folder: Path, options: tuple[str, ...]) -> None:
        self._binaries, self.folder, self._options, self._user = binaries, folder, options, _find_user()
        self._server: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.address = f"postgresql://shop:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """Create the empty cluster."""
        (self.folder / "word").write_text(PASSWORD)
        if self._user:
            for path in (self.folder, self.folder / "word"):
                shutil.chown(path, self._user)
        login = ("--auth-host=scram-sha-256", "--auth-local=trust", "--username=shop")
        subprocess.run(
            (
                *(self._binaries / "initdb", "-D", self.folder / "data", "-E", "UTF8", "--no-locale", "--no-sync"),
                *(*login, f"--pwfile={self.folder / 'word'}"),
            ),
            check=True,
            capture_output=True,
            user=self._user,
            cwd=self.folder,
        )

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        options = [part for option in self._options for part in ("-c", option)]
        data, port = self.folder / "data", str(self.port)
        self._server = subprocess.Popen(
            (self._binaries / "postgres", "-D", data, "-p", port, "-h", "127.0.0.1", "-k", self.folder, *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self.folder,
        )
        self._wait(self._server)

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop the server: SIGINT cuts all connections, SIGQUIT is a crash."""
        if self._server is None:
            return
        self._server.send_signal(how)
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._server = None

    def local_address(self, database: str) -> str:
        """The address of a database over the socket, without a password."""
        return f"postgresql://shop@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def run(self, statement: str, database: str = "postgres") -> None:
        """Run one statement, outside of a transaction."""
        import psycopg

        with psycopg.connect(self.local_address(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _wait(self, server: subprocess.Popen[bytes]) -> None:
        import psycopg

        until = time.monotonic() + _STARTS_WITHIN
        while True:
            try:
                psycopg.connect(self.local_address("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                if server.poll() is not None or time.monotonic() > until:
                    raise
                time.sleep(0.05)  # another process starts; nothing else tells that it is ready
            else:
                return


@contextmanager
def run_cluster(binaries: Path, options: tuple[str, ...] = _SPEED) -> Iterator[Cluster]:
    """A running cluster until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="triage-postgresql-") as name:
        cluster = Cluster(binaries, Path(name), options)
        cluster.create()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop(signal.SIGINT)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server, started once for all tests of a worker."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip(MISSING)
    if importlib.util.find_spec("psycopg_pool") is None:
        pytest.skip(NO_EXTRA)
    with run_cluster(binaries) as running:
        yield running


@pytest.fixture(scope="session")
def postgresql(cluster: Cluster) -> str:
    """The address of a server with the user `shop`, with the password `PASSWORD`."""
    return cluster.address


@pytest.fixture(scope="session")
def migrated_database(cluster: Cluster) -> str:
    """The address of a database with the schema of this Triage, and its statement that empties it."""
    import asyncio

    from bot.adapters.postgresql.migrations import migrate

    cluster.run(f"create database {DATABASE}")
    asyncio.run(migrate(cluster.local_address(DATABASE), really=True))
    return cluster.local_address(DATABASE)


@pytest.fixture
def database_address(cluster: Cluster, migrated_database: str) -> str:
    """The address of an empty database with the schema of this Triage, for one test."""
    cluster.run(_EMPTY, DATABASE)
    return migrated_database


_EMPTY = """
do $$
declare name text;
begin
    for name in select tablename from pg_tables where schemaname = 'triage' and tablename not like '%migrations' loop
        execute format('delete from triage.%I', name);
    end loop;
    insert into triage.leadership default values;
    set local search_path to procrastinate;
    delete from procrastinate_jobs;
    delete from procrastinate_workers;
end $$
"""
"""Rows are deleted, which is faster than new files for each table."""
