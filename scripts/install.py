"""Install Triage into `.venv`, with one line of progress: `install.py [--dev] [PACKAGE …]`.

Uses uv if it is on the path, else this interpreter's pip. Imports the standard library only: it runs first.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
_OLDEST = (3, 11)
_STEP = re.compile(r"^\s*(Collecting|Downloading|Using cached|Building|Preparing|Installing|Resolved|Prepared)\b.*")
_SHOWN_ON_FAILURE = 40


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
    for command in list_commands(uv, "requirements-dev.txt" if options.dev else "requirements.txt", options.packages):
        if code := _run(command):
            return code
    _say(f"Installed in {time.monotonic() - began:.0f} s.")
    return 0


def list_commands(uv: str | None, pins: str, packages: list[str]) -> list[list[str]]:
    """Return the commands that make the environment, unless it is there, and install into it: the libraries of a file
    of pins, whose digests are compared, further packages, and the clone itself."""
    libraries = ["--no-deps", "--require-hashes", "--requirement", pins]
    further = [["--constraint", "constraints.txt", *packages]] if packages else []
    installed = [libraries, *further, ["--no-deps", "--editable", "."]]
    if uv:
        made = [] if PYTHON.exists() else [[uv, "venv", "--python", sys.executable, str(VENV)]]
        return [*made, *([uv, "pip", "install", "--python", str(PYTHON), *each] for each in installed)]
    if _takes_another_python():  # a copy of pip in the environment would cost seconds
        made = [] if PYTHON.exists() else [[sys.executable, "-m", "venv", "--without-pip", str(VENV)]]
        pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    else:
        made = [] if PYTHON.exists() else [[sys.executable, "-m", "venv", str(VENV)]]
        pip = [str(PYTHON), "-m", "pip"]
    # Modules are compiled when they are first imported: most of what is installed never is.
    return [*made, *([*pip, "install", "--no-compile", "--progress-bar", "off", *each] for each in installed)]


def _takes_another_python() -> bool:
    """Return whether this interpreter has a pip that installs into another environment (22.3 and newer)."""
    asked = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"pip (\d+)\.(\d+)", asked.stdout)
    return version is not None and (int(version[1]), int(version[2])) >= (22, 3)


def _run(command: list[str]) -> int:
    """Run one command; show its last step in one line of a terminal, and its last lines when it fails."""
    last: deque[str] = deque(maxlen=_SHOWN_ON_FAILURE)
    variables = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            last.append(line)
            if _STEP.match(line):
                _show(line.strip())
        code = process.wait()
    _show("")
    if code:
        _say("".join(last) + f"\nThis failed: {' '.join(command)}")
        return 1
    return 0


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
