"""Installations as docs/install.md has them, in a bare root: a wheel by pipx, and a clone with the pinned libraries."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from measure.bare_root.newcomer import NEWCOMER, PACKAGES, SOURCE, newcomer, read_page
from measure.bare_root.root import Bind, Failed
from measure.bare_root.sent import ROOT
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests import wheel
from tests.line.human import Human

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure.bare_root.root import Root

QUESTION = "where is debounce_ms set?"
_PROGRAM = re.compile(r"^## 1\. The program$.*?^```$(.*?)^```$.*?`(pipx install [^`]+)`", re.DOTALL | re.MULTILINE)
"""The lines for a clone, and the one for a wheel."""


def try_installed(release: str, tell: Callable[[str], None]) -> None:
    """Install each way for a new user, and give the first commands; raise `Failed` at the first fault."""
    found = _PROGRAM.search((ROOT / "docs" / "install.md").read_text(encoding="utf-8"))
    if not found:
        raise Failed("docs/install.md does not say how to install")
    clone, pipx = found.groups()
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        built = wheel.build(Path(name) / "dist")
        bind = Bind(built, f"/srv/{built.name}")
        with newcomer(release, *PACKAGES, "pipx", binds=[bind]) as root:
            _try(root, pipx, f"cp {bind.place} .\n{pipx}\necho ~/.local/bin/triage", tell)
    with newcomer(release, *PACKAGES) as root:
        line = f"git clone --quiet {SOURCE} triage\ncd triage\n{clone}\ncommand -v triage"
        _try(root, "the lines for a clone", line, tell)


def _try(root: Root, name: str, lines: str, tell: Callable[[str], None]) -> None:
    """Give the lines of an installation, the last of which prints the program's path, and use it."""
    said = root.run("sh", "-ec", lines, user=NEWCOMER, cwd=root.account(NEWCOMER)[2])
    program = said.strip().splitlines()[-1]
    tell(f"{name}: {program}")
    asyncio.run(_use(root, program, tell))


async def _use(root: Root, program: str, tell: Callable[[str], None]) -> None:
    workspace = await Sandbox.start(port=0, manifest=ROOT / "manifest.yml")
    number, group, home = root.account(NEWCOMER)
    folder = root.folder / home.lstrip("/") / "elsewhere"
    wheel.prepare(folder)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, number, group)
    slack = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": workspace.api_url}
    here = replace(root, variables=slack)

    def run(*words: str, stdin: str = "") -> str:
        said = here.run(program, *words, user=NEWCOMER, cwd=f"{home}/elsewhere", stdin=stdin)
        tell(f"triage {' '.join(words)}")
        return said

    try:
        await asyncio.to_thread(wheel.give_first_commands, run, f"{home}/.triage", is_whole=True)
    except AssertionError as fault:
        raise Failed(str(fault)) from fault
    finally:
        await workspace.close()
    await _show(root, program, home)
    tell("triage demo: a question is answered and approved on its page")


async def _show(root: Root, program: str, home: str) -> None:
    """Start the demo, ask and approve."""
    here = replace(root, variables={})
    demo = await asyncio.create_subprocess_exec(
        *here.words(program, "demo", "--port", "0", user=NEWCOMER, cwd=home),
        stdout=asyncio.subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        _, url = await read_page(demo, lambda line: None)
        ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
        ts = await ana.say(QUESTION)
        await olu.press("approve", await olu.card(QUESTION))
        await ana.replies(ts)
    finally:
        if demo.returncode is None:
            demo.kill()  # all below it ends with it
            await demo.wait()
