"""Files of deployment: what they promise about the user, the volume and secrets, and the image's steps themselves."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from bot.cli.run import READY
from bot.cli.subcommands import COMMANDS
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox

ROOT = Path(__file__).parents[2]
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
USER = 10_001


def instructions(keyword: str) -> list[str]:
    """The arguments of each instruction of this kind, in order."""
    return [line.split(" ", 1)[1] for line in DOCKERFILE.splitlines() if line.startswith(f"{keyword} ")]


def test_the_image_runs_as_an_ordinary_user_with_a_volume_that_it_owns() -> None:
    """The health check and the command are subcommands that exist."""
    assert instructions("USER") == [str(USER)]
    assert instructions("VOLUME") == ['["/state"]']
    (made,) = [step for step in instructions("RUN") if "useradd" in step]
    assert f"--uid {USER}" in made
    assert "--mode 700 --owner triage --group triage /state" in made
    (health,) = instructions("HEALTHCHECK")
    assert health.endswith('CMD ["triage", "alive"]')
    assert instructions("CMD") == ['["run"]']
    assert {"alive", "run"} <= {*COMMANDS}


def test_compose_takes_rights_away_and_keeps_the_state() -> None:
    """Secrets come by the file of variables, and are in no image."""
    service = yaml.safe_load((ROOT / "compose.yml").read_text())["services"]["triage"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "state:/state" in service["volumes"]
    assert "./triage.yml:/config/triage.yml:ro" in service["volumes"]
    assert service["env_file"] == ".env"


def test_the_service_starts_the_bot_as_its_own_user() -> None:
    """A wrong setting does not make it start again and again."""
    text = (ROOT / "triage.service").read_text()
    assert "ExecStart=/opt/triage/venv/bin/triage run" in text
    assert {"User=triage", "RestartPreventExitStatus=2", "KillMode=process"} <= {*text.splitlines()}


def sent() -> Iterator[Path]:
    """The files that a build of the image gets, by .dockerignore: the last rule that fits counts."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # of the PATH
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in [*listed.stdout.splitlines(), ".git/config", ".env", "bot/.env", ".venv/bin/python", "triage.yml"]:
        path = Path(name)
        places = [str(path), *map(str, path.parents)]
        is_out = False
        for rule in rules:
            pattern = rule.removeprefix("!").removeprefix("**/")
            if any(
                fnmatch(place, pattern) or ("**/" in rule and fnmatch(Path(place).name, pattern)) for place in places
            ):
                is_out = not rule.startswith("!")
        if not is_out:
            yield path


def test_a_build_gets_what_the_wheel_needs_and_no_secrets() -> None:
    """Neither history, variables nor settings."""
    names = {str(path) for path in sent()}
    assert {"pyproject.toml", "README.md", "LICENSE", "manifest.yml", "bot/__main__.py", "docs/install.md"} <= names
    assert not [name for name in names if name.startswith((".", "tests", "measure", "docs/images"))]
    assert names.isdisjoint({"bot/.env", "triage.yml"})


@pytest.mark.long  # a minute, and a package index
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("bwrap"), reason="needs root and bubblewrap")
async def test_the_steps_of_the_image_end_in_a_bot_that_works(tmp_path: Path) -> None:
    """In a root that has a system and Python only: built there, and run as the image's user, who owns /state only."""
    tmp_path.parent.chmod(0o755)
    source, opt, state, config = (tmp_path / name for name in ("src", "opt", "state", "config"))
    for folder in (opt, state, config):
        folder.mkdir(mode=0o755)
    for path in sent():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / path)
    os.chown(state, USER, USER)
    state.chmod(0o700)
    binds = [(source, "/src"), (opt, "/opt"), (state, "/state"), (config, "/config")]
    (build,) = [step for step in instructions("RUN") if "pip install" in step]
    built = await start(["/bin/sh", "-c", build], binds, cwd="/src")
    assert await built.wait() == 0, await text_of(built)
    workspace = await Sandbox.start(port=0, manifest=ROOT / "manifest.yml")
    (config / "triage.yml").write_text(
        "watched_chats: [{chat_id: C0HELP, name: help}]\noperators: [U0OPS]\nprojects: {triage: {root: /opt}}\n"
    )
    variables = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": workspace.api_url}
    try:
        bot = await start(as_user("triage", "run"), binds[1:], cwd="/state", variables=variables)
        assert bot.stdout is not None
        assert (await bot.stdout.readline()).decode().startswith(READY), await text_of(bot)
        async with asyncio.timeout(30):
            while await (await start(as_user("triage", "alive"), binds[1:], cwd="/state")).wait():
                pass
        assert (state / "health.json").stat().st_uid == USER
        bot.terminate()
        await bot.wait()
    finally:
        await workspace.close()


def as_user(*command: str) -> list[str]:
    """A command as the image's user, with the image's environment."""
    (pairs,) = instructions("ENV")
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "env", *pairs.split(), *command]


async def start(
    command: list[str], binds: list[tuple[Path, str]], *, cwd: str, variables: dict[str, str] | None = None
) -> asyncio.subprocess.Process:
    """Start a command in the bare root."""
    words = ["bwrap", "--die-with-parent", "--unshare-pid", "--cap-add", "cap_setuid", "--cap-add", "cap_setgid"]
    for part in ("/usr", "/bin", "/lib", "/lib64", "/etc"):
        words += ["--ro-bind-try", part, part]
    words += ["--ro-bind", sys.base_prefix, "/usr/local", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108  # of the root
    for path, place in binds:
        words += ["--bind", str(path), place]
    passed = {k: v for k, v in os.environ.items() if k.upper().startswith(("PIP_", "HTTP", "SSL_"))}
    passed |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": "/usr/local/lib", "HOME": "/tmp"}  # noqa: S108
    return await asyncio.create_subprocess_exec(
        *words, "--chdir", cwd, "--", *command,
        env=passed | (variables or {}), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


async def text_of(process: asyncio.subprocess.Process) -> str:
    """What it has printed."""
    assert process.stdout is not None
    return (await process.stdout.read()).decode()
