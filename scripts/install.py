"""Install Triage into `.venv`, with one line of progress: `install.py [--dev] [PACKAGE …]`.

Takes uv if it is on the path. Else this interpreter's pip installs the pinned uv into `.venv`, which installs the rest
from the places that pip is set to: pip alone needs four times the seconds. Where uv does not run or fails, pip installs
all. Imports the standard library only: it runs first.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
from collections import deque
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
_OLDEST = (3, 11)
_STEP = re.compile(r"^\s*(Collecting|Downloading|Using cached|Building|Preparing|Installing|Resolved|Prepared)\b.*")
_SHOWN_ON_FAILURE = 40
_UV = "requirements-uv.txt"
_SETTING = re.compile(r"^(global|install|:env:)\.([a-z-]+)=('.*'|\".*\")$", re.MULTILINE)
_OF_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
}
"""Variables of uv by the settings of pip that say from where a library may come."""


def main() -> int:
    """Make the environment and install into it; return 1 with the installer's last lines when it fails."""
    parser = argparse.ArgumentParser(description="Install Triage into .venv.")
    parser.add_argument("--dev", action="store_true", help="also the developers' tools")
    parser.add_argument("packages", nargs="*", help="further packages")
    options = parser.parse_args()
    if sys.version_info < _OLDEST:
        _say("Triage needs Python 3.11 or newer; name one with make PYTHON=python3.12")
        return 2
    uv = shutil.which("uv")
    what = "Triage and the developers' tools (700 MB)" if options.dev else "Triage (about 100 MB)"
    _say(f"Installing {what} into {VENV.name} with {'uv' if uv else 'pip'}; only the first time …")
    began = time.monotonic()
    failure = _install(uv, "requirements-dev.txt" if options.dev else "requirements.txt", options.packages)
    _show("")
    if failure:
        _say(failure)
        return 1
    _say(f"Installed in {time.monotonic() - began:.0f} s.")
    return 0


def _install(uv: str | None, pins: str, packages: list[str]) -> str:
    """Make the environment, unless it is there, and install into it; return why that failed."""
    if uv:
        made = [] if PYTHON.exists() else [[uv, "venv", "--python", sys.executable, str(VENV)]]
        return _run_all([*made, *commands_of_uv(uv, pins, packages)], {})
    pip, venv = list_pip(_takes_another_python())
    if not PYTHON.exists() and (failure := _run_all([venv], {})):
        shutil.rmtree(VENV, ignore_errors=True)  # Debian without python3-venv leaves a Python without pip
        return failure
    if not _run_all([command_for_uv(pip)], {}):
        variables = read_places(_print_settings(pip))
        if not _run_all(commands_of_uv(str(VENV / "bin" / "uv"), pins, packages), variables):
            return ""
        _show("")
        _say("That did not go with uv; once more with pip …")
    return _run_all(commands_of_pip(pip, pins, packages), {})


def commands_of_uv(uv: str, pins: str, packages: list[str]) -> list[list[str]]:
    """Return the commands that install into the environment: the libraries of a file of pins, whose digests are
    compared, further packages, and the clone itself."""
    return [[uv, "pip", "install", "--python", str(PYTHON), *each] for each in _list_installed(pins, packages)]


def commands_of_pip(pip: list[str], pins: str, packages: list[str]) -> list[list[str]]:
    """Return the same of pip."""
    return [[*pip, *_QUICK, *each] for each in _list_installed(pins, packages)]


def command_for_uv(pip: list[str]) -> list[str]:
    """Return the command that installs the pinned uv; it fails where there is no wheel of it."""
    return [*pip, *_QUICK, "--only-binary", ":all:", "--no-deps", "--require-hashes", "--requirement", _UV]


def list_pip(takes_another: bool) -> tuple[list[str], list[str]]:
    """Return how pip is started, and the command that makes the environment for it: a copy of pip in there would cost
    seconds, and is needed only where this interpreter has no pip that installs into another environment."""
    if takes_another:
        pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
        return pip, [sys.executable, "-m", "venv", "--without-pip", str(VENV)]
    return [str(PYTHON), "-m", "pip"], [sys.executable, "-m", "venv", str(VENV)]


def read_places(settings: str) -> dict[str, str]:
    """Return the variables with which uv takes libraries from where pip does, from what `pip config list` prints.

    As in pip the command's settings go before the global ones, and the environment before both; and no index goes
    before another: the digests say which file it is.
    """
    found: dict[str, str] = {}
    rank = ["global", "install", ":env:"]
    for _, name, value in sorted(_SETTING.findall(settings), key=lambda each: rank.index(each[0])):
        if variable := _OF_UV.get(name):
            between = "," if variable == "UV_FIND_LINKS" else " "
            found[variable] = between.join(str(ast.literal_eval(value)).split())
    return found | ({"UV_INDEX_STRATEGY": "unsafe-best-match"} if "UV_INDEX" in found else {})


# Modules are compiled when they are first imported: most of what is installed never is.
_QUICK = ["install", "--no-compile", "--progress-bar", "off"]


def _list_installed(pins: str, packages: list[str]) -> list[list[str]]:
    libraries = ["--no-deps", "--require-hashes", "--requirement", pins]
    further = [["--constraint", "constraints.txt", *packages]] if packages else []
    return [libraries, *further, ["--no-deps", "--editable", "."]]


def _takes_another_python() -> bool:
    """Return whether this interpreter has a pip that installs into another environment (22.3 and newer)."""
    try:
        version = re.match(r"(\d+)\.(\d+)", metadata.version("pip"))
    except metadata.PackageNotFoundError:
        return False
    return version is not None and (int(version[1]), int(version[2])) >= (22, 3)


def _print_settings(pip: list[str]) -> str:
    return subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False).stdout


def _run_all(commands: list[list[str]], variables: dict[str, str]) -> str:
    """Run commands until one fails; return its last lines."""
    return next(filter(None, (_run(command, variables) for command in commands)), "")


def _run(command: list[str], variables: dict[str, str]) -> str:
    """Run one command; show its last step in one line of a terminal, and return its last lines when it fails."""
    last: deque[str] = deque(maxlen=_SHOWN_ON_FAILURE)
    environment = variables | os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            last.append(line)
            if _STEP.match(line):
                _show(line.strip())
        code = process.wait()
    return "".join(last) + f"\nThis failed: {' '.join(command)}" if code else ""


def _show(step: str) -> None:
    """Show a step in place of the one before; nothing where the output is no terminal."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI"):
        width = shutil.get_terminal_size().columns - 3
        print(f"\r\x1b[K{'  ' if step else ''}{step[:width]}", end="", flush=True)  # noqa: T201  # a script speaks to a person


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # as above


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        _show("")
        _say("Stopped. The next start goes on from here.")
        sys.exit(130)
