"""Pins: write the files of requirements, and `constraints.txt`; `make lock`, with uv on the path.

They have each library that the program, its image, or its developers install, with the digests of its files for every
platform; `constraints.txt` has the same versions without them, for installations of other extras. `requirements-uv.txt`
has the uv that `make` installs with where there is none on the path. Pins stay as they are; `--upgrade` takes the
newest.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME, IMAGE, DEVELOPMENT = "requirements.txt", "requirements-image.txt", "requirements-dev.txt"
CONSTRAINTS = "constraints.txt"
INSTALLER = "requirements-uv.txt"
_PIN = re.compile(r"^(?P<pin>(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?: ; [^\\]+?)?) \\?$", re.MULTILINE)
_DIGEST = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def read_pins(text: str) -> dict[str, str]:
    """Return the versions by name."""
    return {match["name"]: match["version"] for match in _PIN.finditer(text)}


def read_digests(text: str) -> dict[str, list[str]]:
    """Return the SHA-256 digests of each library's files by name."""
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)
    return {match["name"]: _DIGEST.findall(block) for block in blocks if (match := _PIN.match(block))}


def constraints_of(text: str) -> str:
    """Return the pins of a file with digests without them."""
    return "".join(f"{match['pin'].strip()}\n" for match in _PIN.finditer(text))


def main() -> int:
    """Resolve, and write the five files."""
    kept = [] if "--upgrade" in sys.argv[1:] else ["--constraint", CONSTRAINTS]
    _compile([*kept, "--all-extras"], DEVELOPMENT)
    pins = constraints_of((ROOT / DEVELOPMENT).read_text(encoding="utf-8"))
    (ROOT / CONSTRAINTS).write_text(pins, encoding="utf-8")
    _compile(["--constraint", CONSTRAINTS], RUNTIME)
    _compile(["--constraint", CONSTRAINTS, "--extra", "postgresql"], IMAGE)
    _compile(["--upgrade"] if "--upgrade" in sys.argv[1:] else [], INSTALLER, "uv")
    return 0


def _compile(options: list[str], target: str, library: str = "") -> None:
    """Write the pins of the project, or of one library."""
    every = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    source = "-" if library else "pyproject.toml"
    command = ["uv", "pip", "compile", source, *every, *options, "--output-file", target]
    subprocess.run(command, cwd=ROOT, input=library, text=True, check=True)


if __name__ == "__main__":
    sys.exit(main())
