"""Slack's own Node clients at the workspace: the tables of behaviours in `node/`, run by node itself."""

import asyncio
import hashlib
import json
import os
import secrets
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sandbox.server import Sandbox

pytestmark = pytest.mark.long

NODE = Path(__file__).parent / "node"
TABLES = {"web_api": 30, "socket_mode": 16, "bolt": 17, "http_mode": 5, "webhook": 3}
"""How many behaviours each table holds."""
PATIENCE = 120.0
"""Seconds for one table, and for the installation."""


@pytest.fixture(scope="module")
def packages(request: pytest.FixtureRequest) -> Path:
    """The installed clients: kept in pytest's cache, by the versions that `package.json` names."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("needs node 20 and npm")
    wanted = (NODE / "package.json").read_bytes()
    folder = Path(request.config.cache.mkdir(f"node-clients-{hashlib.sha256(wanted).hexdigest()[:12]}"))
    done = folder / "installed"
    if not done.exists():
        (folder / "package.json").write_bytes(wanted)
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
        ran = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if ran.returncode:
            pytest.skip(f"npm could not install the clients: {ran.stderr.strip()[-300:]}")
        done.touch()
    return folder / "node_modules"


@pytest.mark.parametrize("table", TABLES)
async def test_the_node_clients_behave_as_documented(table: str, packages: Path) -> None:
    """Each behaviour of the table comes true; what does not is named with its error."""
    port, secret = _free_port(), secrets.token_hex(16)
    http_mode: dict[str, Any] = {"events_url": f"http://127.0.0.1:{port}/slack/events", "signing_secret": secret}
    workspace = await Sandbox.start(ping_every=0.3, **(http_mode if table == "http_mode" else {}))
    try:
        outcome = await _run(
            table, SANDBOX_API=workspace.api_url, NODE_PATH=str(packages), APP_PORT=str(port), SIGNING_SECRET=secret
        )
    finally:
        await workspace.close()
    assert {name: wrong for name, wrong in outcome.items() if wrong} == {}
    assert len(outcome) == TABLES[table]


async def _run(table: str, **variables: str) -> dict[str, str | None]:
    process = await asyncio.create_subprocess_exec(
        "node",
        str(NODE / "run.js"),
        table,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, err.decode()
    outcome: dict[str, str | None] = json.loads(out)
    return outcome


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
